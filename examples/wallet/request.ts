import {
  isOpenid4vpAuthorizationRequestDcApi,
  Openid4vpClient,
  type Openid4vpAuthorizationRequest,
  type ResolvedOpenid4vpAuthorizationRequest,
} from '@openid4vc/openid4vp';
import { compactDecrypt, CompactEncrypt, compactVerify, decodeJwt, importJWK, type JWK } from 'jose';
import { randomBytes, randomUUID, type X509Certificate } from 'node:crypto';
import { fetchInTime, hash } from './client';
import { parsed, refusal, WalletFailure } from './failure';
import { generateHolderKey, publicJwk } from './keys';
import { publishedKey } from './published-key';
import { alternativeNames, keyOfChain } from './roots';

const schemes = ['openid4vp:', 'openid:', 'siopv2:', 'openid-vc:', 'haip-vp:', 'haip:', 'https:', 'http:'];
/** Kinds of client identifier (OpenID4VP 1.0 §5.9.3) that this wallet can check. */
const prefixes = ['decentralized_identifier', 'redirect_uri', 'x509_hash', 'x509_san_dns'];
const signatures = ['ES256', 'EdDSA'];
const encryption = 'ECDH-ES';
const encryptionSupport = {
  authorization_signing_alg_values_supported: [],
  authorization_encryption_alg_values_supported: [encryption],
  authorization_encryption_enc_values_supported: ['A128GCM', 'A256GCM', 'A128CBC-HS256'],
};

/** OpenID4VP 1.0 §10: what the wallet says of itself when a verifier lets it. */
const walletMetadata = {
  vp_formats_supported: {
    'dc+sd-jwt': { 'sd-jwt_alg_values': signatures, 'kb-jwt_alg_values': signatures },
    jwt_vc_json: { alg_values: signatures },
    mso_mdoc: { issuerauth_alg_values: [-7], deviceauth_alg_values: [-7] },
  },
  client_id_prefixes_supported: prefixes,
  request_object_signing_alg_values_supported: signatures,
  request_object_encryption_alg_values_supported: [encryption],
  request_object_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
};

export type TransactionData = NonNullable<ResolvedOpenid4vpAuthorizationRequest['transactionData']>[number];

/** An authorization request whose sender is established. */
export interface PresentationRequest {
  readonly client: Openid4vpClient;
  readonly payload: Openid4vpAuthorizationRequest;
  /** Of OpenID4VP: the draft, 100 for 1.0. */
  readonly version: number;
  /** For people: who signed, or that the request is unsigned. */
  readonly sender: string;
  /** Where the answer is posted to. */
  readonly responseUri: string;
  /** What the person confirms by presenting; empty when there is nothing. */
  readonly transactionData: readonly TransactionData[];
}

/** Throws when anything about the sender is in doubt. `roots` vouch for senders that are named by a certificate. */
export async function readRequest(link: string, roots: readonly X509Certificate[]): Promise<PresentationRequest> {
  const { protocol, searchParams } = URL.canParse(link) ? new URL(link) : { protocol: '', searchParams: undefined };
  if (!searchParams || !schemes.includes(protocol)) {
    throw new WalletFailure('This is not a request link; one begins with openid4vp:// or haip-vp://.');
  }
  const outer = Object.fromEntries(searchParams);
  refuseOlder(outer);
  const client = clientTrusting(roots, outer['request_uri'] ?? outer['response_uri'] ?? '');
  let { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: link });
  const { request_uri: uri, request_uri_method: method = 'get', ...others } = params;
  const expectedNonce = uri && method === 'post' ? randomBytes(16).toString('base64url') : undefined;
  if (typeof uri === 'string') params = { ...others, request: await fetchRequestObject(uri, expectedNonce) };
  if (typeof params['request'] === 'string') refuseOlder(decoded(params['request']));
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: params,
    ...(expectedNonce !== undefined && { wallet: { expectedNonce } }),
  });
  const { authorizationRequestPayload: payload, client: verifier, version, jar, transactionData = [] } = resolved;
  if (!prefixes.includes(verifier.prefix)) {
    throw new WalletFailure(`The wallet does not know verifiers of the kind ${verifier.prefix}.`);
  }
  const { response_mode: mode = 'absent' } = payload;
  if (isOpenid4vpAuthorizationRequestDcApi(payload) || payload.response_uri === undefined) {
    throw new WalletFailure(`The response_mode is ${mode}; this wallet answers by direct_post only.`);
  }
  const sender = jar ? 'signature verified' : 'unsigned';
  return { client, payload, version, sender, responseUri: payload.response_uri, transactionData };
}

/** Posts presentations by the id of what they answer, encrypted if the verifier wants it so; returns where the person goes on, if anywhere. */
export async function answer(request: PresentationRequest, presentations: ReadonlyMap<string, string>) {
  const { client, payload: authorizationRequestPayload, version } = request;
  // Drafts 22 to 25 have one presentation per query, OpenID4VP 1.0 §8.1 a list even of one.
  const entries = [...presentations].map(([id, one]) => [id, version >= 26 ? [one] : one] as const);
  const { authorizationResponsePayload, jarm } = await client.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload,
    authorizationResponsePayload: { vp_token: Object.fromEntries(entries) as Record<string, string> },
    ...(authorizationRequestPayload.response_mode === 'direct_post.jwt' && {
      // Becomes `apu`, which has to differ from `apv`, the verifier's nonce.
      jarm: { encryption: { nonce: randomUUID() }, serverMetadata: encryptionSupport },
    }),
  });
  const { response } = await client.submitOpenid4vpAuthorizationResponse({
    ...{ authorizationRequestPayload, authorizationResponsePayload },
    ...(jarm && { jarm }),
  });
  const body = parsed(await response.text()) as { redirect_uri?: unknown } | undefined;
  if (!response.ok) throw new WalletFailure(refusal(response, body));
  return typeof body?.redirect_uri === 'string' ? body.redirect_uri : null;
}

/** Tells the verifier that there will be no answer (OpenID4VP 1.0 §8.5), and not why. */
export async function decline({ responseUri, payload: { state } }: PresentationRequest): Promise<void> {
  const error = { error: 'access_denied', error_description: 'The wallet does not answer.' };
  const body = new URLSearchParams({ ...error, ...(state !== undefined && { state }) });
  await fetchInTime(responseUri, { method: 'POST', body });
}

/** What the client library knows no more or not at all, and this wallet neither. */
function refuseOlder(payload: Record<string, unknown>): void {
  const asks = String(payload['response_type']).split(' ').includes('id_token')
    ? 'an ID token (SIOPv2)'
    : 'presentation_definition' in payload || 'presentation_definition_uri' in payload
      ? 'a presentation definition (OpenID4VP drafts 18 to 24)'
      : undefined;
  if (asks === undefined) return;
  throw new WalletFailure(
    `The request asks with ${asks}; this wallet answers DCQL queries only (OpenID4VP 1.0). Present by the 1.0 link of the request.`,
  );
}

/**
 * The signed request object. The client library posts the members of the metadata in the place of `wallet_metadata` and
 * `wallet_nonce` (OpenID4VP 1.0 §5.10), and cannot read an encrypted request object.
 */
async function fetchRequestObject(uri: string, walletNonce: string | undefined): Promise<string> {
  const headers = { accept: 'application/oauth-authz-req+jwt' };
  const ours = await generateHolderKey('ES256');
  const keys = [{ ...publicJwk(ours), use: 'enc', alg: encryption, kid: ours.id }];
  const metadata = JSON.stringify({ ...walletMetadata, jwks: { keys } });
  const form = new URLSearchParams({ wallet_metadata: metadata, wallet_nonce: walletNonce ?? '' });
  const response = await fetchInTime(
    uri,
    walletNonce === undefined ? { headers } : { method: 'POST', headers, body: form },
  );
  const object = (await response.text()).trim();
  if (!response.ok) throw new WalletFailure(`The verifier answered ${response.status} to ${uri}.`);
  if (object.split('.').length !== 5) return object;
  const opened = await compactDecrypt(object, await importJWK(ours.privateJwk, encryption)).catch(() => {
    throw new WalletFailure('The verifier has encrypted its request to another key, or by other algorithms.');
  });
  return Buffer.from(opened.plaintext).toString();
}

/** The claims of a request object, unverified. */
function decoded(object: string): Record<string, unknown> {
  try {
    return decodeJwt(object);
  } catch {
    throw new WalletFailure('The verifier did not send a request object (a signed JWT).');
  }
}

/** The client library of presenting, with this wallet's cryptography behind it. @param source where the request came from */
function clientTrusting(roots: readonly X509Certificate[], source: string): Openid4vpClient {
  const keyOf = async (signer: { method: string; x5c?: unknown; didUrl?: unknown }): Promise<[JWK, string]> => {
    if (signer.method === 'x5c') return [keyOfChain(signer.x5c as string[], roots), 'the certificate in its x5c'];
    const url = String(signer.didUrl);
    const [did = ''] = url.split('#');
    return [await publishedKey(did, url, source, 'request'), url];
  };
  return new Openid4vpClient({
    callbacks: {
      fetch: fetchInTime,
      hash,
      verifyJwt: async (signer, { compact }) => {
        const [jwk, name] = await keyOf(signer);
        await compactVerify(compact, await importJWK(jwk, signer.alg), {
          algorithms: ['ES256', 'ES384', 'EdDSA', 'Ed25519'],
        }).catch(() => {
          throw new WalletFailure(`The request object is not signed by ${name}.`);
        });
        return { verified: true, signerJwk: { ...jwk, kty: jwk.kty ?? '' } };
      },
      getX509CertificateMetadata: alternativeNames,
      encryptJwe: async ({ publicJwk: key, alg, enc, apu, apv }, content) => {
        const bytes = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'));
        const jwe = await new CompactEncrypt(Buffer.from(content))
          .setProtectedHeader({ alg, enc, ...(key.kid !== undefined && { kid: key.kid }) })
          .setKeyManagementParameters({ apu: bytes(apu), apv: bytes(apv) })
          .encrypt(await importJWK(key as JWK, alg));
        return { jwe, encryptionJwk: key };
      },
      decryptJwe: () => ({ decrypted: false }) as never,
      signJwt: () => {
        throw new WalletFailure('The verifier wants a signed response; this wallet only encrypts.');
      },
    },
  });
}
