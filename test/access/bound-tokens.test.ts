import { EventStore, StoreUnavailableError } from '@app/event-store';
import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { startTokenIssuer, type TokenIssuer } from '../support/counterparts/token-issuer';
import { sharedPostgres } from '../support/database/postgres';
import { asServiceRole } from '../support/database/service-role';
import { postJson, type Reply } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';
import { type DpopChanges, dpopProof, newDpopKey } from '../support/wallets/dpop';
import { thumbprintOf } from '../support/wallets/key-proofs';

const api = 'https://management.example';
const key = newDpopKey();
const other = newDpopKey();

interface Call {
  readonly token: string;
  readonly scheme?: string;
  readonly proof?: string | undefined;
  readonly at?: RunningService;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

describe('a management call with a token that is bound to a key', () => {
  let login: TokenIssuer;
  let first: RunningService;
  let second: RunningService;
  let token: string;
  let logged: jest.SpyInstance;
  beforeAll(async () => {
    login = await startTokenIssuer();
    const settings = {
      ...login.settings,
      SERVICE__RATE_LIMITS__ENABLED: 'false',
      SERVICE__MANAGEMENT__URL: api,
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: await asServiceRole(await sharedPostgres().createDatabase()),
    };
    first = await startService(settings);
    second = await startService(settings);
    token = await login.token({ cnf: { jkt: thumbprintOf(key.jwk) } });
  });
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
    login.stop();
  });
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const proofOf = (text: string, changes: DpopChanges = {}, by = key) =>
    dpopProof(by, `${api}/v0/offers`, text, changes);

  /** @param call with a good proof when it says nothing of one, without any when that is `undefined` */
  async function open(call: Call): Promise<Reply> {
    const { scheme = 'DPoP', at = first, path = '/v0/offers', headers = {} } = call;
    const proof = 'proof' in call ? call.proof : proofOf(call.token);
    return postJson(
      `${at.url}${path}`,
      { offerId: randomUUID() },
      { authorization: `${scheme} ${call.token}`, ...(proof !== undefined && { dpop: proof }), ...headers },
    );
  }

  function expectRefused(reply: Reply, reason: string, challenge: string, words: string): void {
    expect([reply.status, reply.json['type']]).toEqual([401, expect.stringContaining('/problems/unauthorized')]);
    expect(reply.json['detail']).toContain(words);
    expect(reply.headers.get('www-authenticate')).toMatch(new RegExp(`^${challenge}, error_description="`));
    const [fact] = logged.mock.calls.at(-1) as [{ reason: unknown }];
    expect(fact.reason).toBe(reason);
    expect(JSON.stringify(logged.mock.calls)).not.toContain('eyJ');
  }
  const badToken = 'DPoP error="invalid_token"';
  const badProof = 'DPoP error="invalid_dpop_proof"';

  it('is answered with a proof for this call, made by a clock that is up to a minute ahead', async () => {
    expect((await open({ token })).status).toBe(201);
    expect((await open({ token, scheme: 'dpop', at: second })).status).toBe(201);
    const ahead = proofOf(token, { claims: { iat: Math.floor(Date.now() / 1000) + 55 } });
    expect((await open({ token, proof: ahead })).status).toBe(201);
    // Clients remember nonces for each server, and may send one where none was given.
    expect((await open({ token, proof: proofOf(token, { claims: { nonce: 'foreign' } }) })).status).toBe(201);
  });

  it('is answered with the query of its address, which is in no proof', async () => {
    expect((await open({ token, path: '/v0/offers?' })).status).toBe(201);
  });

  it('is refused as that of a bearer, with a proof as well', async () => {
    for (const proof of [undefined, proofOf(token)]) {
      const reply = await open({ token, scheme: 'Bearer', proof });
      expectRefused(reply, 'token-scheme', badToken, 'send it as "Authorization: DPoP <token>"');
      expect(reply.headers.get('www-authenticate')).toMatch(/, algs="ES256 ES384 Ed25519"$/);
    }
    const reply = await postJson(`${first.url}/v0/offers`, {}, { 'x-api-key': token });
    expectRefused(reply, 'token-scheme', badToken, 'send it as "Authorization: DPoP <token>"');
  });

  it.each<[string, () => string | undefined, string, string]>([
    ['without a proof', () => undefined, 'proof', 'a DPoP header with a proof must come with it'],
    [
      'for another address',
      () => dpopProof(key, `${api}/v0/templates`, token),
      'proof',
      `htu must be ${api}/v0/offers`,
    ],
    ['for the address of the replica', () => dpopProof(key, `${first.url}/v0/offers`, token), 'proof', 'htu must be'],
    ['for another method', () => proofOf(token, { claims: { htm: 'GET' } }), 'proof', "htm must be 'POST'"],
    ['for another token', () => proofOf('other'), 'proof', 'ath must be'],
    ['without hash of the token', () => dpopProof(key, `${api}/v0/offers`), 'proof', 'ath must be'],
    ['of long ago', () => proofOf(token, { claims: { iat: Math.floor(Date.now() / 1000) - 90 } }), 'proof', 'iat'],
    [
      'of a time to come',
      () => proofOf(token, { claims: { iat: Math.floor(Date.now() / 1000) + 90 } }),
      'proof',
      'iat',
    ],
    ['that is the token', () => token, 'proof', 'typ must be'],
    ['that is joined with another', () => `${proofOf(token)}, ${proofOf(token)}`, 'proof', 'exactly one'],
  ])('is refused with a proof %s', async (_, proof, reason, words) => {
    expectRefused(await open({ token, proof: proof() }), `token-${reason}`, badProof, words);
  });

  it('is refused with a proof by another key', async () => {
    const reply = await open({ token, proof: proofOf(token, {}, other) });
    expectRefused(reply, 'token-proof-key', badToken, 'not by the key it is bound to');
  });

  it('takes a proof once, over all replicas, and when it comes to two of them at once', async () => {
    const proof = proofOf(token);
    expect((await open({ token, proof })).status).toBe(201);
    for (const at of [first, second])
      expectRefused(await open({ token, proof, at }), 'token-proof', badProof, 'used before');
    const contested = proofOf(token);
    const replies = await Promise.all([first, second].map((at) => open({ token, proof: contested, at })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 401]);
  });

  it('is answered with 503 while the database cannot say whether the proof was used', async () => {
    const proof = proofOf(token);
    const away = new StoreUnavailableError('away', false);
    jest.spyOn(first.app.get(EventStore), 'consume').mockRejectedValueOnce(away);
    const reply = await open({ token, proof });
    expect([reply.status, reply.json['type']]).toEqual([503, expect.stringContaining('/problems/unavailable')]);
    expect((await open({ token, proof })).status).toBe(201);
  });

  it('uses no proof up for a call that is refused before', async () => {
    const old = await login.token({ cnf: { jkt: thumbprintOf(key.jwk) }, exp: 1_000_000 });
    const proof = proofOf(token);
    expectRefused(await open({ token: old, proof }), 'token-expired', badToken, 'it has expired');
    expect((await open({ token, proof })).status).toBe(201);
  });

  it('is refused with what the token is bound to when that is nothing this service can check', async () => {
    const byCertificate = await login.token({ cnf: { 'x5t#S256': thumbprintOf(key.jwk) } });
    for (const scheme of ['Bearer', 'DPoP']) {
      const reply = await open({ token: byCertificate, scheme });
      const challenge = scheme === 'DPoP' ? badToken : 'Bearer realm="management API", error="invalid_token"';
      expectRefused(reply, 'token-bound-to-certificate', challenge, 'x5t#S256');
    }
    const unknown = await login.token({ cnf: { 'x-secret': thumbprintOf(key.jwk) } });
    expectRefused(
      await open({ token: unknown }),
      'token-claim-cnf',
      badToken,
      'its cnf must be the thumbprint of a key',
    );
  });

  it('by the scheme of bound tokens is refused for a token that is not bound, and for an API key', async () => {
    const unbound = await login.token();
    const bearer = 'Bearer realm="management API", error="invalid_token"';
    expectRefused(await open({ token: unbound }), 'token-scheme', bearer, 'it is bound to no key');
    expect((await open({ token: unbound, scheme: 'Bearer', proof: proofOf(unbound) })).status).toBe(201);
    const reply = await open({ token: 'key-next-to-the-tokens' });
    expect(reply.json['detail']).toContain('The scheme DPoP is for access tokens: send an API key as');
    expect(reply.status).toBe(401);
    const wrongKey = await open({ token: 'a-key-that-is-none', scheme: 'Bearer', proof: undefined });
    expect(wrongKey.json['detail']).toMatch(/^The API key is not accepted/);
  });

  it('is refused with an API key beside the token, and with a proof alone', async () => {
    const both = await open({ token, headers: { 'x-api-key': 'key-next-to-the-tokens' } });
    expect([both.status, both.json['detail']]).toEqual([401, expect.stringContaining('Several keys or tokens')]);
    const alone = await postJson(`${first.url}/v0/offers`, {}, { dpop: proofOf(token) });
    expect([alone.status, alone.json['detail']]).toEqual([401, expect.stringContaining('without an access token')]);
  });
});
