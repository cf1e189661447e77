import { Logger } from '@nestjs/common';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { get, postJson, type Reply } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

const issuer = 'https://login.example';
const audience = 'https://portal.example/v0';

/** An authorization server as the service sees it: a JWK Set at a URL. */
interface KeyServer {
  keys: JWK[];
  status: number;
  readonly asked: string[];
  readonly server: Server;
  readonly settings: Record<string, string>;
}

async function startKeyServer(): Promise<KeyServer> {
  const server = createServer((request, response) => {
    state.asked.push(request.url ?? '');
    response.writeHead(state.status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ keys: state.keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    SERVICE__MANAGEMENT__JWKS_URL: `http://${host}/keys`,
    SERVICE__MANAGEMENT__ISSUER: issuer,
    SERVICE__MANAGEMENT__AUDIENCE: audience,
    SERVICE__MANAGEMENT__API_KEYS: 'key-next-to-the-tokens',
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: host,
    SERVICE__RATE_LIMITS__ENABLED: 'true',
  };
  const state: KeyServer = { keys: [], status: 200, asked: [], server, settings };
  return state;
}

describe('a management call with an access token', () => {
  let login: KeyServer;
  let service: RunningService;
  let signer: CryptoKey;
  let other: CryptoKey;
  let logged: jest.SpyInstance;
  beforeAll(async () => {
    login = await startKeyServer();
    service = await startService(login.settings);
    const pair = await generateKeyPair('ES256', { extractable: true });
    signer = pair.privateKey;
    login.keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' }];
    ({ privateKey: other } = await generateKeyPair('ES256'));
  }, 60_000);
  afterAll(async () => {
    await service.stop();
    login.server.close();
  });
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  function token(change: JWTPayload = {}, { kid = 'one', typ = 'at+jwt', key = signer } = {}): Promise<string> {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: audience,
      sub: 'portal',
      iat: seconds,
      exp: seconds + 60,
      scope: 'offers:write',
    };
    return new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg: 'ES256', typ, kid }).sign(key);
  }
  const open = async (text: Promise<string>): Promise<Reply> =>
    postJson(`${service.url}/v0/offers`, { offerId: crypto.randomUUID() }, { authorization: `Bearer ${await text}` });
  const reasons = (): unknown[] => logged.mock.calls.map(([fact]) => (fact as { reason: unknown }).reason);

  it('is answered with 503 as long as the keys cannot be fetched, never with 401', async () => {
    login.status = 500;
    const reply = await open(token());
    expect(reply.status).toBe(503);
    expect(reply.json).toMatchObject({ type: `${service.url}/problems/unavailable` });
    expect(reply.headers.get('retry-after')).toBe('5');
    expect((await get(`${service.url}/v0/offers`, { 'x-api-key': 'key-next-to-the-tokens' })).status).toBe(200);
    login.status = 200;
    const deadline = Date.now() + 10_000;
    while ((await open(token())).status !== 201 && Date.now() < deadline)
      await new Promise((go) => setTimeout(go, 200));
  }, 20_000);

  it('is answered, and the keys are fetched once', async () => {
    const { length } = login.asked;
    expect((await open(token())).status).toBe(201);
    expect((await open(token({ scope: 'openid', roles: ['offers:write'] }))).status).toBe(201);
    expect(login.asked).toHaveLength(length);
  });

  it('is answered while the key server is down', async () => {
    login.status = 500;
    expect((await open(token())).status).toBe(201);
    login.status = 200;
  });

  it('is rejected without the scope', async () => {
    const reply = await open(token({ scope: 'offers:read' }));
    expect(reply.status).toBe(403);
    expect(reply.headers.get('www-authenticate')).toContain('scope="offers:write"');
    expect(reasons()).toEqual(['scope-missing']);
  });

  it('is rejected with the same answer for every fault; the log names the fault', async () => {
    const replies = [
      await open(token({ iss: 'https://evil.example' })),
      await open(token({ aud: 'https://else.example' })),
      await open(token({ exp: 1_000_000 })),
      await open(token({}, { typ: 'JWT' })),
      await open(token({}, { kid: 'unknown' })),
      await open(token({}, { key: other })),
      await open(token().then((text) => text.replace(/[^.]*$/, ''))),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="management API", error="invalid_token"');
    }
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(reasons()).toEqual([
      'token-claim-iss',
      'token-claim-aud',
      'token-expired',
      'token-claim-typ',
      'token-key-unknown',
      'token-signature-wrong',
      'token-signature-wrong',
    ]);
    expect(JSON.stringify(logged.mock.calls)).not.toMatch(/eyJ|evil|portal/);
  });

  it('never fetches a URL that a token names', async () => {
    const { length } = login.asked;
    const jku = login.settings['SERVICE__MANAGEMENT__JWKS_URL']?.replace('keys', 'trap') ?? '';
    const text = await new SignJWT({ iss: issuer, aud: audience, sub: 'portal' })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', jku, x5u: jku, kid: 'one' })
      .setExpirationTime('1m')
      .sign(other);
    expect((await open(Promise.resolve(text))).status).toBe(401);
    expect(login.asked).toHaveLength(length);
  });

  it('is checked even when its address is blocked for wrong API keys', async () => {
    const tries = async (): Promise<number> =>
      (await get(`${service.url}/v0/offers`, { 'x-api-key': `wrong-${Math.random()}` })).status;
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 50 && !statuses.has(429); attempt++) statuses.add(await tries());
    expect(statuses).toContain(429);
    expect((await open(token())).status).toBe(201);
  });
});
