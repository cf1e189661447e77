import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeProtectedHeader, importJWK, jwtVerify, type JWK } from 'jose';
import { didJwk, freshKey, practiceCredentials, types, vct, type Misdeed } from './practice-credentials';

export interface PracticeIssuer {
  readonly url: string;
  readonly notifications: { notification_id: string; event: string }[];
  /** The key proofs it accepted, in order: header and payload. */
  readonly proofs: { header: Record<string, unknown>; payload: Record<string, unknown>; path: string }[];
  offer(configurationId: string, options?: { txCode?: string; misdeed?: Misdeed; byValue?: boolean }): string;
  close(): Promise<void>;
}

const grantType = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/**
 * A small issuer that only the wallets' own tests use: it shows that a wallet receives from an honest issuer and
 * refuses a dishonest one, which the real service cannot be made to be. OpenID4VCI 1.0 at the inserted metadata
 * URL, draft 13 at the appended one; configurations `degree` (jwt_vc_json) and `membership` (SD-JWT VC).
 */
export async function startPracticeIssuer(): Promise<PracticeIssuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return practice(server, await freshKey(), await freshKey());
}

function practice(server: Server, issuerKey: JWK, forgedKey: JWK): PracticeIssuer {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const issuer = `${url}/openid4vci`;
  const did = `did:web:127.0.0.1%3A${port}`;
  const { jwtVc, sdJwtVc } = practiceCredentials({ issuer, did, issuerKey, forgedKey });
  const offers = new Map<string, { body: object; txCode?: string; misdeed?: Misdeed }>();
  const tokens = new Map<string, Misdeed | undefined>();
  const nonces = new Set<string>();
  const notifications: PracticeIssuer['notifications'] = [];
  const proofs: PracticeIssuer['proofs'] = [];
  const freshNonce = (): string => {
    const nonce = randomUUID();
    nonces.add(nonce);
    return nonce;
  };

  const configuration = (draft13: boolean, id: string): object => {
    const shown = [{ name: id === 'degree' ? 'Practice Degree' : 'Practice Membership' }];
    return {
      ...(id === 'degree'
        ? { format: 'jwt_vc_json', credential_definition: { type: types } }
        : { format: draft13 ? 'vc+sd-jwt' : 'dc+sd-jwt', vct }),
      scope: id,
      cryptographic_binding_methods_supported: ['jwk', 'did:jwk'],
      credential_signing_alg_values_supported: ['ES256'],
      proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256', 'EdDSA'] } },
      ...(draft13 ? { display: shown } : { credential_metadata: { display: shown } }),
    };
  };
  const metadata = (draft13: boolean): object => ({
    credential_issuer: issuer,
    credential_endpoint: draft13 ? `${issuer}/draft-13/credential` : `${issuer}/credential`,
    nonce_endpoint: `${issuer}/nonce`,
    notification_endpoint: `${issuer}/notification`,
    credential_configurations_supported: {
      degree: configuration(draft13, 'degree'),
      membership: configuration(draft13, 'membership'),
    },
  });
  const { kty, crv, x, y } = issuerKey;
  const published = { kty, crv, x, y, kid: 'practice', alg: 'ES256', use: 'sig' };
  const documents: Record<string, () => object> = {
    '/.well-known/openid-credential-issuer/openid4vci': () => metadata(false),
    '/openid4vci/.well-known/openid-credential-issuer': () => metadata(true),
    '/.well-known/oauth-authorization-server/openid4vci': authorizationServer,
    '/openid4vci/.well-known/oauth-authorization-server': authorizationServer,
    '/.well-known/jwt-vc-issuer/openid4vci': () => ({ issuer, jwks: { keys: [published] } }),
    '/.well-known/did.json': () => ({
      id: did,
      verificationMethod: [{ id: `${did}#practice`, type: 'JsonWebKey2020', controller: did, publicKeyJwk: published }],
      assertionMethod: [`${did}#practice`],
    }),
  };
  function authorizationServer(): object {
    return {
      issuer,
      token_endpoint: `${issuer}/token`,
      grant_types_supported: [grantType],
      'pre-authorized_grant_anonymous_access_supported': true,
    };
  }

  function token(body: string): [number, object] {
    const form = new URLSearchParams(body);
    const offer = offers.get(form.get('pre-authorized_code') ?? '');
    if (form.get('grant_type') !== grantType || !offer)
      return [400, { error: 'invalid_grant', error_description: 'The code is not known.' }];
    if (offer.txCode !== (form.get('tx_code') ?? undefined)) {
      return [400, { error: 'invalid_grant', error_description: 'The transaction code is wrong.' }];
    }
    offers.delete(form.get('pre-authorized_code') ?? '');
    const accessToken = randomUUID();
    tokens.set(accessToken, offer.misdeed);
    return [
      200,
      {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: 300,
        c_nonce: freshNonce(),
        c_nonce_expires_in: 300,
      },
    ];
  }

  async function credential(request: IncomingMessage, body: string): Promise<[number, object]> {
    const accessToken = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    if (!tokens.has(accessToken)) return [401, { error: 'invalid_token' }];
    const misdeed = tokens.get(accessToken);
    if (misdeed === 'refuses-credential') {
      return [400, { error: 'credential_request_denied', error_description: 'Not today.' }];
    }
    const wanted = JSON.parse(body) as Record<string, unknown>;
    const draft13 = request.url === '/openid4vci/draft-13/credential';
    const proof = draft13
      ? (wanted['proof'] as { jwt?: string } | undefined)?.jwt
      : (wanted['proofs'] as { jwt?: string[] } | undefined)?.jwt?.[0];
    const holder = await holderOf(proof ?? '', request.url ?? '');
    if (!holder) return [400, { error: 'invalid_proof', c_nonce: freshNonce() }];
    const id = wanted['credential_configuration_id'] ?? (wanted['format'] === 'jwt_vc_json' ? 'degree' : 'membership');
    const issued = id === 'degree' ? await jwtVc(holder, misdeed) : await sdJwtVc(holder, draft13, misdeed);
    const list = { credentials: [{ credential: issued }], notification_id: randomUUID() };
    return [200, draft13 ? { ...list, credential: issued, c_nonce: freshNonce(), c_nonce_expires_in: 300 } : list];
  }

  async function holderOf(proof: string, path: string): Promise<{ jwk: JWK; did?: string } | undefined> {
    const header = decodeProtectedHeader(proof);
    const did = header.kid?.split('#')[0];
    const jwk = did ? didJwk(did) : (header.jwk as JWK | undefined);
    if (!jwk || header.typ !== 'openid4vci-proof+jwt') return undefined;
    const { payload } = await jwtVerify(proof, await importJWK(jwk, header.alg), { audience: issuer });
    if (!nonces.delete(String(payload['nonce']))) return undefined;
    proofs.push({ header: { ...header }, payload, path });
    return did ? { jwk, did } : { jwk };
  }

  async function answer(request: IncomingMessage): Promise<[number, object | undefined]> {
    const path = request.url ?? '';
    const body = await textOf(request);
    const document = documents[path];
    if (request.method === 'GET' && document) return [200, document()];
    const offer = offers.get(path.replace('/openid4vci/offers/', ''));
    if (request.method === 'GET' && offer) return [200, offer.body];
    if (path === '/openid4vci/token') return token(body);
    if (path === '/openid4vci/nonce') return [200, { c_nonce: freshNonce() }];
    if (path.endsWith('/credential')) return credential(request, body);
    if (path === '/openid4vci/notification') {
      notifications.push(JSON.parse(body) as { notification_id: string; event: string });
      return [204, undefined];
    }
    return [404, { error: 'not_found' }];
  }

  server.on('request', (request: IncomingMessage, response) => {
    void answer(request)
      .catch((error: unknown): [number, object] => [500, { error: 'server_error', error_description: String(error) }])
      .then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
        response.end(body === undefined ? undefined : JSON.stringify(body));
      });
  });

  return {
    url,
    notifications,
    proofs,
    offer(configurationId, { txCode, misdeed, byValue = false } = {}) {
      const code = randomUUID();
      const grant = {
        'pre-authorized_code': code,
        ...(txCode === undefined ? {} : { tx_code: { length: txCode.length, input_mode: 'numeric' } }),
      };
      const body = {
        credential_issuer: issuer,
        credential_configuration_ids: [configurationId],
        grants: { [grantType]: grant },
      };
      offers.set(code, {
        body,
        ...(txCode === undefined ? {} : { txCode }),
        ...(misdeed === undefined ? {} : { misdeed }),
      });
      const query = byValue
        ? `credential_offer=${encodeURIComponent(JSON.stringify(body))}`
        : `credential_offer_uri=${encodeURIComponent(`${issuer}/offers/${code}`)}`;
      return `openid-credential-offer://?${query}`;
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

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
