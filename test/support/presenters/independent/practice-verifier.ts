import type { JsonObject } from '@app/primitives/json';
import { randomUUID, type X509Certificate } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  compactDecrypt,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from 'jose';
import {
  certificateMisdeeds,
  practiceAuthority,
  type CertificateMisdeed,
  type CertificatePrefix,
} from './practice-certificates';
import { checkIdToken, checkPresentation, type CheckedPresentation } from './practice-checks';
import { freshKey } from '../../wallets/independent/practice-credentials';

/** Everything a practice verifier can do wrong on purpose. */
export type VerifierMisdeed =
  | CertificateMisdeed
  | 'other-client-id'
  | 'other-signer'
  | 'wrong-typ'
  | 'expired'
  | 'ignores-wallet-nonce'
  | 'refuses-answer';

export interface PracticeRequest {
  /** Which specification the request is written in. */
  readonly as: '1.0' | 'draft-20' | 'siopv2';
  readonly query?: object;
  /** Default `vp_token`, of siopv2 `id_token`. */
  readonly responseType?: string;
  readonly encrypted?: boolean;
  /** How the link carries the request; default `reference`. */
  readonly by?: 'value' | 'reference' | 'post';
  /** Default `did:jwk`. */
  readonly signer?: 'did:jwk' | 'did:web' | CertificatePrefix | 'none';
  readonly misdeed?: VerifierMisdeed;
  readonly redirectUri?: string;
  /** Entries; what is text already goes out as it is. */
  readonly transactionData?: readonly (object | string)[];
  readonly subjectSyntaxes?: readonly string[];
}

/** What came back, after the checks of a verifier. */
export interface PracticeAnswer {
  readonly presentations: Record<string, CheckedPresentation>;
  readonly idToken: JWTPayload | undefined;
  readonly error: string | undefined;
  readonly raw: Record<string, unknown>;
}

export interface PracticeVerifier {
  readonly url: string;
  /** Stands behind the certificates of this verifier. */
  readonly root: X509Certificate;
  /** Answers that passed its checks, in order. */
  readonly answers: PracticeAnswer[];
  link(request: PracticeRequest): Promise<string>;
  close(): Promise<void>;
}

interface Open {
  readonly request: PracticeRequest;
  readonly payload: JWTPayload & { client_id: string; nonce: string; state: string };
}

/** A small verifier that only the tests of presenters use: honest, or dishonest as the real service cannot be made. */
export async function startPracticeVerifier(): Promise<PracticeVerifier> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const decryption = await generateKeyPair('ECDH-ES', { extractable: true });
  return practice(server, await freshKey(), await freshKey(), decryption);
}

function practice(
  server: Server,
  key: JWK,
  forgedKey: JWK,
  decryption: { publicKey: CryptoKey; privateKey: CryptoKey },
): PracticeVerifier {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const didWeb = `did:web:127.0.0.1%3A${port}`;
  const opened = new Map<string, Open>();
  const answers: PracticeAnswer[] = [];
  const authority = practiceAuthority();

  function certified({ signer, misdeed }: PracticeRequest) {
    if (signer !== 'x509_hash' && signer !== 'x509_san_dns') return undefined;
    return authority.signer(
      signer,
      certificateMisdeeds.find((one) => one === misdeed),
    );
  }

  function identity(request: PracticeRequest, responseUri: string): { clientId: string; kid: string } {
    const { signer, as } = request;
    const byCertificate = certified(request);
    if (byCertificate) return { clientId: byCertificate.clientId, kid: '' };
    if (signer === 'none') return { clientId: `redirect_uri:${responseUri}`, kid: '' };
    const did = signer === 'did:web' ? didWeb : encodeDidJwk(key);
    return { clientId: as === '1.0' ? `decentralized_identifier:${did}` : did, kid: `${did}#0` };
  }

  async function payloadOf(id: string, request: PracticeRequest): Promise<Open['payload']> {
    const { as, query, encrypted, misdeed } = request;
    const uri = `${url}/openid4vp/${as}/${id}/response`;
    const jwk = { ...(await exportJWK(decryption.publicKey)), use: 'enc', alg: 'ECDH-ES', kid: 'practice-enc' };
    const formats = { alg: ['ES256', 'EdDSA'] };
    const metadata = {
      '1.0': {
        vp_formats_supported: {
          'dc+sd-jwt': { 'kb-jwt_alg_values': ['ES256'] },
          jwt_vc_json: { alg_values: ['ES256'] },
        },
        ...(encrypted ? { jwks: { keys: [jwk] }, encrypted_response_enc_values_supported: ['A256GCM'] } : {}),
      },
      'draft-20': {
        vp_formats: { jwt_vc_json: formats, jwt_vp_json: formats, 'vc+sd-jwt': { 'kb-jwt_alg_values': ['ES256'] } },
        ...(encrypted
          ? {
              jwks: { keys: [jwk] },
              authorization_encrypted_response_alg: 'ECDH-ES',
              authorization_encrypted_response_enc: 'A256GCM',
            }
          : {}),
      },
      siopv2: { subject_syntax_types_supported: request.subjectSyntaxes ?? ['did:jwk'] },
    }[as];
    const now = Math.floor(Date.now() / 1000);
    const responseType = request.responseType ?? (as === 'siopv2' ? 'id_token' : 'vp_token');
    return {
      response_type: responseType,
      client_id: identity(request, uri).clientId,
      ...(as === 'draft-20' ? { client_id_scheme: 'did' } : {}),
      response_mode: encrypted ? 'direct_post.jwt' : 'direct_post',
      // SIOPv2 draft 13 puts the address of a direct_post into redirect_uri.
      [as === 'siopv2' ? 'redirect_uri' : 'response_uri']: uri,
      nonce: randomUUID(),
      state: id,
      ...(responseType.includes('id_token') ? { scope: 'openid', id_token_type: 'subject_signed_id_token' } : {}),
      ...(query ? { [as === '1.0' ? 'dcql_query' : 'presentation_definition']: query } : {}),
      ...(request.transactionData
        ? { transaction_data: request.transactionData.map((one) => (typeof one === 'string' ? one : base64url(one))) }
        : {}),
      client_metadata: metadata,
      aud: 'https://self-issued.me/v2',
      iat: now,
      exp: now + (misdeed === 'expired' ? -600 : 300),
    };
  }

  async function sign({ request, payload }: Open, extra: object): Promise<string> {
    const { misdeed } = request;
    const byCertificate = certified(request);
    if (byCertificate)
      return byCertificate.sign({ typ: 'oauth-authz-req+jwt' }, { ...payload, ...extra } as JsonObject);
    const kid = misdeed === 'other-signer' ? `${encodeDidJwk(forgedKey)}#0` : identity(request, '').kid;
    const signedBy = misdeed === 'forged-signature' || misdeed === 'other-signer' ? forgedKey : key;
    return new SignJWT({ ...payload, ...extra })
      .setProtectedHeader({ alg: 'ES256', kid, typ: misdeed === 'wrong-typ' ? 'at+jwt' : 'oauth-authz-req+jwt' })
      .sign(await importJWK(signedBy, 'ES256'));
  }

  async function accept(open: Open, form: URLSearchParams): Promise<[number, object]> {
    const outer = Object.fromEntries(form);
    const plain = open.request.encrypted && outer['response'] !== undefined;
    const raw = plain ? await decrypted(outer['response'] ?? '') : outer;
    if (raw['state'] !== open.payload.state) return [400, { error: 'invalid_request', error_description: 'state' }];
    if (open.request.encrypted && !plain && raw['error'] === undefined) return [400, { error: 'invalid_request' }];
    if (open.request.misdeed === 'refuses-answer' && raw['error'] === undefined) {
      return [400, { error: 'invalid_request', error_description: 'The credential is revoked.' }];
    }
    const expected = { clientId: open.payload.client_id, nonce: open.payload.nonce };
    const presentations: Record<string, CheckedPresentation> = {};
    for (const [id, text] of Object.entries(presentationsIn(raw))) {
      presentations[id] = await checkPresentation(text, expected);
    }
    const idToken = typeof raw['id_token'] === 'string' ? await checkIdToken(raw['id_token'], expected) : undefined;
    answers.push({ presentations, idToken, error: raw['error'] as string | undefined, raw });
    return [200, open.request.redirectUri === undefined ? {} : { redirect_uri: open.request.redirectUri }];
  }

  async function decrypted(jwe: string): Promise<Record<string, unknown>> {
    const { plaintext } = await compactDecrypt(jwe, decryption.privateKey);
    return JSON.parse(new TextDecoder().decode(plaintext)) as Record<string, unknown>;
  }

  async function answer(message: IncomingMessage): Promise<[number, string | object]> {
    const body = new URLSearchParams(await textOf(message));
    if (message.url === '/.well-known/did.json') return [200, didDocument(didWeb, key)];
    const [, , , id = '', what] = (message.url ?? '').split('/');
    const open = opened.get(id);
    if (!open) return [404, { error: 'invalid_request' }];
    if (what === 'response') return accept(open, body);
    const nonce = body.get('wallet_nonce');
    const ignores = nonce === null || open.request.misdeed === 'ignores-wallet-nonce';
    return [200, await sign(open, ignores ? {} : { wallet_nonce: nonce })];
  }

  server.on('request', (message: IncomingMessage, response) => {
    answer(message)
      .catch((error: unknown): [number, object] => [
        400,
        { error: 'invalid_request', error_description: String(error) },
      ])
      .then(([status, content]) => {
        const type = typeof content === 'string' ? 'application/oauth-authz-req+jwt' : 'application/json';
        response.writeHead(status, { 'content-type': type });
        response.end(typeof content === 'string' ? content : JSON.stringify(content));
      }, console.error);
  });

  return {
    url,
    root: authority.root,
    answers,
    async link(request) {
      const id = randomUUID();
      const open = { request, payload: await payloadOf(id, request) };
      opened.set(id, open);
      const scheme =
        request.as === 'siopv2' ? 'siopv2://' : request.signer === 'x509_hash' ? 'haip-vp://' : 'openid4vp://';
      if (request.signer === 'none') return `${scheme}?${query(open.payload)}`;
      const clientId = request.misdeed === 'other-client-id' ? 'did:web:other.example' : open.payload.client_id;
      return `${scheme}?${query({
        client_id: clientId,
        ...(request.as === 'draft-20' ? { client_id_scheme: 'did' } : {}),
        ...(request.by === 'value'
          ? { request: await sign(open, {}) }
          : { request_uri: `${url}/openid4vp/${request.as}/${id}/request` }),
        ...(request.by === 'post' ? { request_uri_method: 'post' } : {}),
      })}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** Presentations by what they answer, in the shapes of the specifications: DCQL objects, or a submission's paths. */
function presentationsIn(raw: Record<string, unknown>): Record<string, string> {
  const token = parsed(raw['vp_token']);
  const submission = parsed(raw['presentation_submission']) as
    { descriptor_map: { id: string; path: string }[] } | undefined;
  if (submission) {
    return Object.fromEntries(
      submission.descriptor_map.map(({ id, path }) => [
        id,
        path === '$' ? String(token) : String((token as string[])[Number(/^\$\[(\d+)\]$/.exec(path)?.[1])]),
      ]),
    );
  }
  return Object.fromEntries(
    Object.entries((token ?? {}) as Record<string, string[]>).map(([id, list]) => {
      if (!Array.isArray(list) || list.length !== 1) throw new Error(`vp_token.${id} is no list of one.`);
      return [id, list[0] ?? ''];
    }),
  );
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' && /^[[{"]/.test(value) ? JSON.parse(value) : value;
}

function didDocument(did: string, key: JWK): object {
  return {
    id: did,
    verificationMethod: [{ id: `${did}#0`, type: 'JsonWebKey2020', controller: did, publicKeyJwk: publicPart(key) }],
  };
}

function encodeDidJwk(key: JWK): string {
  return `did:jwk:${base64url(publicPart(key))}`;
}

function publicPart({ kty = '', crv = '', x = '', y = '' }: JWK): JWK {
  return { kty, crv, x, y };
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function query(members: object): string {
  const entries = Object.entries(members).map(([name, value]: [string, unknown]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(entries).toString();
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
