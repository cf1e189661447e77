import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const issuer = 'https://login.example';
export const audience = 'https://portal.example/v0';

/** What a test changes of a good token. */
export interface TokenHeader {
  readonly kid?: string;
  readonly typ?: string;
  readonly key?: CryptoKey;
}

/** An authorization server as the service sees it: a JWK Set at a URL, and the access tokens that callers have of it. */
export interface TokenIssuer {
  keys: JWK[];
  /** With which the URL of the keys answers. */
  status: number;
  /** Paths of the requests. */
  readonly asked: string[];
  readonly settings: Record<string, string>;
  /** From now on tokens are signed with a new key of this id, which is published in the place of the others. */
  rotate(kid: string): Promise<void>;
  token(change?: JWTPayload, header?: TokenHeader): Promise<string>;
  stop(): void;
}

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const server = createServer((request, response) => {
    state.asked.push(request.url ?? '');
    response.writeHead(state.status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ keys: state.keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  let signer: CryptoKey;
  let current = 'one';
  const state: TokenIssuer = {
    keys: [],
    status: 200,
    asked: [],
    settings: {
      SERVICE__MANAGEMENT__JWKS_URL: `http://${host}/keys`,
      SERVICE__MANAGEMENT__ISSUER: issuer,
      SERVICE__MANAGEMENT__AUDIENCE: audience,
      SERVICE__MANAGEMENT__API_KEYS: 'key-next-to-the-tokens',
      SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: host,
      SERVICE__RATE_LIMITS__ENABLED: 'true',
    },
    async rotate(kid) {
      const pair = await generateKeyPair('ES256', { extractable: true });
      signer = pair.privateKey;
      current = kid;
      state.keys = [{ ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256' }];
    },
    token(change = {}, { kid = current, typ = 'at+jwt', key = signer } = {}) {
      const seconds = Math.floor(Date.now() / 1000);
      const times = { iat: seconds, exp: seconds + 60 };
      const claims = { iss: issuer, aud: audience, sub: 'portal', ...times, scope: 'offers:write' };
      return new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg: 'ES256', typ, kid }).sign(key);
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  await state.rotate(current);
  return state;
}
