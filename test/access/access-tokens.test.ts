import { Logger } from '@nestjs/common';
import { type CryptoKey, generateKeyPair, SignJWT } from 'jose';
import { audience, issuer, startTokenIssuer, type TokenIssuer } from '../support/counterparts/token-issuer';
import { get, postJson, type Reply } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

describe('a management call with an access token', () => {
  let login: TokenIssuer;
  let service: RunningService;
  let other: CryptoKey;
  let logged: jest.SpyInstance;
  beforeAll(async () => {
    login = await startTokenIssuer();
    service = await startService(login.settings);
    ({ privateKey: other } = await generateKeyPair('ES256'));
  });
  afterAll(async () => {
    await service.stop();
    login.stop();
  });
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const token: TokenIssuer['token'] = (...given) => login.token(...given);
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
  });

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

  it('is answered at once when its issuer has a new key, and made up key ids cost the issuer next to nothing', async () => {
    await login.rotate('two');
    expect((await open(token())).status).toBe(201);
    const { length } = login.asked;
    const flood = Array.from({ length: 30 }, (_, index) => open(token({}, { kid: `made-up-${index}` })));
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401]));
    // One in five seconds, however long this takes on a busy machine.
    expect(login.asked.length - length).toBeLessThan(10);
    expect((await open(token())).status).toBe(201);
  });

  it('is rejected without the scope', async () => {
    const reply = await open(token({ scope: 'offers:read' }));
    expect(reply.status).toBe(403);
    expect(reply.headers.get('www-authenticate')).toContain('scope="offers:write"');
    expect(reasons()).toEqual(['scope-missing']);
  });

  it('is rejected with what is wrong with the token, in the answer and in the log, and with nothing out of it', async () => {
    const refused: [Promise<string>, string, string][] = [
      [token({ iss: 'https://evil.example' }), 'claim-iss', `its iss must be ${issuer}`],
      [token({ aud: ['https://else.example', 'evil'] }), 'claim-aud', `its aud must hold ${audience}`],
      [token({ exp: 1_000_000 }), 'expired', 'it has expired'],
      [token({ nbf: Math.floor(Date.now() / 1000) + 90 }), 'claim-nbf', 'its nbf must be a time that has come'],
      [
        token({}, { typ: 'JWT' }),
        'claim-typ',
        'its typ must be at+jwt (RFC 9068); SERVICE__MANAGEMENT__TOKEN_TYPE=JWT lets this service take others',
      ],
      [token({}, { kid: 'unknown' }), 'key-unknown', 'its issuer has published no key that fits its kid and alg'],
      [token({}, { key: other }), 'signature-wrong', 'its signature is not by a key of its issuer'],
      [
        token().then((text) => text.replace(/[^.]*$/, '')),
        'signature-wrong',
        'its signature is not by a key of its issuer',
      ],
    ];
    for (const [text, reason, words] of refused) {
      const reply = await open(text);
      const detail = `The access token is not accepted: ${words}.`;
      expect([reply.status, reply.json['detail']]).toEqual([401, detail]);
      expect(reply.headers.get('www-authenticate')).toBe(
        `Bearer realm="management API", error="invalid_token", error_description="${detail}"`,
      );
      expect(reasons().at(-1)).toBe(`token-${reason}`);
    }
    expect(JSON.stringify(logged.mock.calls)).not.toMatch(/eyJ|evil|portal/);
  });

  it('is told of both schemes when it comes without token, and of one when it comes with a key and a token', async () => {
    const none = await get(`${service.url}/v0/offers`);
    expect(none.json['detail']).toContain('or an access token as "Authorization: Bearer <token>"');
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="management API", DPoP algs="ES256 ES384 Ed25519"');
    const headers = { authorization: `Bearer ${await token()}`, 'x-api-key': 'key-next-to-the-tokens' };
    const both = await get(`${service.url}/v0/offers`, headers);
    expect([both.status, both.json['detail']]).toEqual([
      401,
      'Several keys or tokens were sent: send one, in Authorization or in X-API-Key.',
    ]);
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
    // Failures are counted a moment later, by the minute.
    const deadline = Date.now() + 20_000;
    while ((await tries()) !== 429 && Date.now() < deadline) await new Promise((go) => setTimeout(go, 20));
    expect(await tries()).toBe(429);
    expect((await open(token())).status).toBe(201);
  });
});
