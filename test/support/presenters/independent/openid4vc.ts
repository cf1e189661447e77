import 'reflect-metadata'; // what @peculiar/x509 needs
import { createHash, randomUUID } from 'node:crypto';
import { setGlobalConfig } from '@openid4vc/oauth2';
import { isOpenid4vpAuthorizationRequestDcApi, Openid4vpClient } from '@openid4vc/openid4vp';
import { SubjectAlternativeNameExtension, X509Certificate, X509ChainBuilder } from '@peculiar/x509';
import { DcqlQuery } from 'dcql';
import { CompactEncrypt, compactVerify, exportJWK, importJWK, type JWK } from 'jose';
import {
  isSdJwt,
  presentJwtVc,
  presentSdJwt,
  typeOf,
  type HeldCredential,
  type PresentationAudience,
  type PresenterOutcome,
} from './credentials';

/** What a descriptor of a presentation definition asks for, as far as this presenter reads it. */
interface Descriptor {
  readonly id: string;
  readonly format: Record<string, unknown>;
  readonly constraints: { readonly fields: readonly { readonly path: string[]; readonly filter?: object }[] };
}

interface Wanted {
  readonly id: string;
  readonly format: string;
  readonly held: HeldCredential;
  readonly claims: readonly string[][];
}

const clientTrusting = (roots: readonly string[]): Openid4vpClient =>
  new Openid4vpClient({
    callbacks: {
      hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
      verifyJwt: async (signer, { compact }) => {
        const jwk = signer.method === 'x5c' ? await keyOfChain(signer.x5c, roots) : didJwkOf(signer);
        await compactVerify(compact, await importJWK(jwk, signer.alg));
        return { verified: true, signerJwk: { ...jwk, kty: jwk.kty ?? '' } };
      },
      getX509CertificateMetadata: namesOf,
      encryptJwe: async ({ publicJwk, alg, enc, apu = '', apv = '' }, content) => {
        const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64url'));
        const jwe = await new CompactEncrypt(new TextEncoder().encode(content))
          .setProtectedHeader({ alg, enc, kid: publicJwk.kid ?? '' })
          .setKeyManagementParameters({ apu: bytes(apu), apv: bytes(apv) })
          .encrypt(await importJWK(publicJwk as JWK, alg));
        return { jwe, encryptionJwk: publicJwk };
      },
      signJwt: () => Promise.reject(new Error('No signed responses.')),
      decryptJwe: () => Promise.reject(new Error('No encrypted requests.')),
    },
  });

/**
 * Answers a request link as a wallet on the public client library of the OpenWallet Foundation does, DCQL query or
 * presentation definition, direct_post or direct_post.jwt. The verifier signs with a did:jwk (development) key, or with a
 * certificate that leads to one of `roots` (PEM).
 */
export async function presentWithOpenid4vc(
  link: string,
  credentials: readonly HeldCredential[],
  roots: readonly string[] = [],
): Promise<PresenterOutcome> {
  const client = clientTrusting(roots);
  // The tests' servers are on loopback.
  setGlobalConfig({ allowInsecureUrls: true });
  const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: link });
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({ authorizationRequestPayload: params });
  const { authorizationRequestPayload: request } = resolved;
  if (isOpenid4vpAuthorizationRequestDcApi(request)) throw new Error('A request for browsers.');
  const audience = { clientId: resolved.client.effective, nonce: request.nonce };
  const definition = resolved.pex?.presentation_definition as
    { id: string; input_descriptors: Descriptor[] } | undefined;
  const payload = definition
    ? await pexAnswer(definition, credentials, audience)
    : await dcqlAnswer(resolved.dcql?.query, credentials, audience);
  const encrypts = request.response_mode === 'direct_post.jwt';
  const { authorizationResponsePayload, jarm } = await client.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: request,
    authorizationResponsePayload: payload,
    ...(encrypts ? { jarm: { encryption: { nonce: randomUUID() }, serverMetadata: support } } : {}),
  });
  const { response } = await client.submitOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: request,
    authorizationResponsePayload,
    ...(jarm ? { jarm } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/**
 * The same over the Digital Credentials API. @param data of the request that the page of the origin hands over
 * @returns `data` of what the browser returns to the page
 */
export async function presentToPage(
  data: Record<string, unknown>,
  origin: string,
  credentials: readonly HeldCredential[],
  roots: readonly string[],
): Promise<object> {
  const client = clientTrusting(roots);
  const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: data });
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({ authorizationRequestPayload: params, origin });
  const { authorizationRequestPayload: request } = resolved;
  if (!isOpenid4vpAuthorizationRequestDcApi(request)) throw new Error('A request for wallets with a link.');
  const audience = { clientId: `origin:${origin}`, nonce: request.nonce };
  const encrypts = request.response_mode === 'dc_api.jwt';
  const { authorizationResponsePayload, jarm } = await client.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: request,
    authorizationResponsePayload: await dcqlAnswer(resolved.dcql?.query, credentials, audience),
    origin,
    ...(encrypts ? { jarm: { encryption: { nonce: randomUUID() }, serverMetadata: support } } : {}),
  });
  return jarm ? { response: jarm.responseJwt } : authorizationResponsePayload;
}

const support = {
  authorization_signing_alg_values_supported: [],
  authorization_encryption_alg_values_supported: ['ECDH-ES'],
  authorization_encryption_enc_values_supported: ['A128GCM', 'A256GCM', 'A128CBC-HS256'],
};

async function dcqlAnswer(input: unknown, credentials: readonly HeldCredential[], audience: PresentationAudience) {
  const query = DcqlQuery.parse(input as DcqlQuery.Input);
  DcqlQuery.validate(query);
  const token: Record<string, [string]> = {};
  for (const { id, format, meta = {}, claims = [] } of query.credentials) {
    const types = 'vct_values' in meta ? meta.vct_values : 'type_values' in meta ? meta.type_values.flat() : [];
    const held = credentials.find((one) => isSdJwt(one) === format.endsWith('+sd-jwt') && types?.includes(typeOf(one)));
    if (!held) throw new Error(`Nothing held for ${id}.`);
    const paths = claims.map((claim) => ('path' in claim ? claim.path.map(String) : []));
    token[id] = [await present({ id, format, held, claims: paths }, audience)];
  }
  return { vp_token: token };
}

async function pexAnswer(
  { id: definitionId, input_descriptors: descriptors }: { id: string; input_descriptors: Descriptor[] },
  credentials: readonly HeldCredential[],
  audience: PresentationAudience,
) {
  const wanted = descriptors.map(({ id, format, constraints: { fields } }): Wanted => {
    const name = Object.keys(format).find((one) => one.endsWith('+sd-jwt')) ?? 'jwt_vc_json';
    // The type filter is const, contains.const or an enum; a credential whose type it names is meant.
    const filters = JSON.stringify(fields.map(({ filter }) => filter));
    const held = credentials.find((one) => isSdJwt(one) === name.endsWith('+sd-jwt') && filters.includes(typeOf(one)));
    if (!held) throw new Error(`Nothing held for ${id}.`);
    const claims = fields.map(({ path: [path = ''] }) => path.replace(/^\$\./, '').split('.'));
    return { id, format: name, held, claims };
  });
  const tokens: string[] = [];
  for (const one of wanted) tokens.push(await present(one, audience));
  const [first = '', ...others] = tokens;
  const map = wanted.map(({ id, format, held }, index) => {
    const path = others.length === 0 ? '$' : `$[${index}]`;
    const nested = { id, format, path: '$.vp.verifiableCredential[0]' };
    return isSdJwt(held) ? { id, format, path } : { id, format: 'jwt_vp_json', path, path_nested: nested };
  });
  const submission = { id: randomUUID(), definition_id: definitionId, descriptor_map: map };
  const vpToken: string | [string, ...string[]] = others.length === 0 ? first : [first, ...others];
  return { vp_token: vpToken, presentation_submission: submission };
}

function present({ held, claims }: Wanted, audience: PresentationAudience): Promise<string> {
  return isSdJwt(held) ? presentSdJwt(held, claims, audience) : Promise.resolve(presentJwtVc(held, audience));
}

/** Chains are built and verified by a certificate library of its own; whether they end at a trusted root is asked here. */
async function keyOfChain(x5c: readonly string[], roots: readonly string[]): Promise<JWK> {
  const trusted = roots.map((root) => new X509Certificate(root));
  const [leaf, ...others] = x5c.map((certificate) => new X509Certificate(certificate));
  if (!leaf) throw new Error('The request has no certificate.');
  const chain = await new X509ChainBuilder({ certificates: [...others, ...trusted] }).build(leaf);
  const end = chain.at(-1);
  if (!trusted.some((root) => end?.equal(root))) throw new Error('The chain ends at no trusted root.');
  return exportJWK(await leaf.publicKey.export());
}

function namesOf(certificate: string): { sanDnsNames: string[]; sanUriNames: string[] } {
  const names = new X509Certificate(certificate).getExtension(SubjectAlternativeNameExtension)?.names.items ?? [];
  const of = (type: string): string[] => names.flatMap((name) => (name.type === type ? [name.value] : []));
  return { sanDnsNames: of('dns'), sanUriNames: of('url') };
}

function didJwkOf(signer: { readonly method: string; readonly didUrl?: unknown }): JWK {
  const encoded = /^did:jwk:([\w-]+)#0$/.exec(String(signer.didUrl))?.[1];
  if (encoded === undefined) throw new Error(`This presenter trusts did:jwk and certificates, not ${signer.method}.`);
  return JSON.parse(Buffer.from(encoded, 'base64url').toString()) as JWK;
}
