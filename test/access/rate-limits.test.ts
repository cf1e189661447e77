import { setTimeout as pause } from 'node:timers/promises';
import { ApiKeys } from '@app/access';
import { RateLimiter, rateLimits } from '@app/http';
import { sharedPostgres } from '../support/database/postgres';
import { answered, get, postForm, postJson, type Json, type Reply } from '../support/http/requests';
import { startService, type RunningService } from '../support/service/service';
import { asServiceRole } from '../support/database/service-role';
import { pushRequest } from '../support/wallets/authorization';
import { preAuthorizedGrant, readOffer } from '../support/wallets/wallet';

const {
  'failed-access': accessLimit,
  'wrong-transaction-code': codeLimit,
  'unauthenticated-push': pushLimit,
} = rateLimits;

describe('rate limits of two replicas', () => {
  const postgres = sharedPostgres();
  let replicas: readonly [RunningService, RunningService];

  beforeAll(async () => {
    const settings = {
      SERVICE__EVENT_STORE__TYPE: 'postgres',
      SERVICE__EVENT_STORE__CONNECTION_STRING: await asServiceRole(await postgres.createDatabase()),
      SERVICE__RATE_LIMITS__ENABLED: 'true',
      SERVICE__HTTP__TRUSTED_PROXIES: '127.0.0.0/8',
    };
    replicas = [await startService(settings), await startService(settings)];
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
  });
  // A limit counts within a minute of the clock; no test begins at its end.
  beforeEach(() => pause(new Date().getSeconds() > 50 ? 10_500 : 0), 15_000);

  function redeem(replica: 0 | 1, client: string, parameters: Record<string, string>): Promise<Reply> {
    const form = Object.entries({ grant_type: preAuthorizedGrant, ...parameters });
    return postForm(`${replicas[replica].url}/openid4vci/token`, form, { 'X-Forwarded-For': client });
  }
  const guess = (replica: 0 | 1, client: string): Promise<Reply> =>
    redeem(replica, client, { 'pre-authorized_code': 'a-guess' });

  async function offer(options: Json = {}): Promise<{ code: string; txCode: string }> {
    const [{ url }] = replicas;
    const offerId = crypto.randomUUID();
    const { txCode } = answered(201, await postJson(`${url}/v0/offers`, { offerId, ...options }));
    const credential = { credentialSubject: { first_name: 'Ada' } };
    const body = { offerId, credentialConfigurationId: 'w3c_vc_credential', credential };
    answered(201, await postJson(`${url}/v0/credentials`, body));
    const fetched: Json = answered(200, await postJson(`${url}/v0/offers`, { offerId }));
    const { code } = await readOffer(String(fetched['credentialOffer']));
    return { code, txCode: String(txCode) };
  }
  const protectedOffer = () => offer({ txCode: true });

  async function tryWrongCodes(client: string): Promise<void> {
    const offers = await Promise.all(Array.from({ length: codeLimit / 4 }, protectedOffer));
    for (const { code, txCode } of offers) {
      const wrong = [...Array(4).keys()].map((digit) =>
        txCode.replace(/^./, (first) => String((Number(first) + 1 + digit) % 10)),
      );
      for (const tx_code of wrong) await redeem(0, client, { 'pre-authorized_code': code, tx_code });
    }
  }

  it('let every wallet redeem its code, however often others at its address were rejected', async () => {
    const client = '203.0.113.1';
    const offers = await Promise.all([offer(), offer(), protectedOffer()]);
    const [{ code: first }, { code: second }, { code: third, txCode }] = offers;
    const guesses = Array.from({ length: 120 }, (_, index) => guess(index % 2 === 0 ? 0 : 1, client));
    expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([400]));
    await pause(1500);
    answered(200, await redeem(0, client, { 'pre-authorized_code': first }));
    answered(200, await redeem(1, client, { 'pre-authorized_code': second }));
    answered(200, await redeem(1, client, { 'pre-authorized_code': third, tx_code: txCode }));
    expect((await guess(0, client)).json).toMatchObject({ error: 'invalid_grant' });
  });

  it('reject transaction codes of a client that tried wrong ones of many offers, on both replicas', async () => {
    const [client, neighbour] = ['203.0.113.3', '203.0.113.4'];
    const { code, txCode } = await protectedOffer();
    const { code: unprotected } = await offer();
    await tryWrongCodes(client);
    await pause(1500);
    const right = { 'pre-authorized_code': code, tx_code: txCode };
    for (const replica of [0, 1] as const) {
      const refused = await redeem(replica, client, right);
      expect(refused.status).toBe(429);
      expect(refused.json).toMatchObject({ error: 'temporarily_unavailable' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    answered(200, await redeem(0, client, { 'pre-authorized_code': unprotected }));
    answered(200, await redeem(0, neighbour, right));
  });

  it('reject pushed requests of an address that has sent too many without client authentication', async () => {
    const [{ app, url }] = replicas;
    const push = async (client: string) => (await pushRequest(url, {}, { 'X-Forwarded-For': client })).answer;
    expect((await push('203.0.113.7')).status).toBe(201);
    const limiter = app.get(RateLimiter);
    await Promise.all(Array.from({ length: pushLimit }, () => limiter.count('unauthenticated-push', '203.0.113.7')));
    const refused = await push('203.0.113.7');
    expect(refused.status).toBe(429);
    expect(refused.json).toMatchObject({ error: 'temporarily_unavailable' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await push('203.0.113.8')).status).toBe(201);
  });

  it('reject a client that tried wrong keys, but not the portal that shares its address', async () => {
    const [first, second] = replicas;
    const { text: atWork } = await first.app.get(ApiKeys).create({ name: 'portal', scopes: ['templates:read'] });
    const call = ({ url }: RunningService, key: string, client = '203.0.113.5') =>
      get(`${url}/v0/templates`, { 'x-api-key': key, 'X-Forwarded-For': client });
    const { text: guessed } = await first.app.get(ApiKeys).create({ name: 'another', scopes: ['templates:read'] });
    for (const replica of replicas) expect((await call(replica, atWork)).status).toBe(200);
    for (let attempt = 0; attempt < accessLimit; attempt++) {
      expect((await call(attempt % 2 === 0 ? first : second, 'wrong')).status).toBe(401);
    }
    await pause(1500);
    for (const replica of replicas) {
      const refused = await call(replica, 'wrong');
      expect(refused.status).toBe(429);
      expect(refused.json).toMatchObject({ title: 'Rate Limited' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await call(replica, guessed)).status).toBe(429);
      expect((await call(replica, guessed, '203.0.113.6')).status).toBe(200);
      expect((await call(replica, atWork)).status).toBe(200);
      expect((await call(replica, 'wrong', '203.0.113.6')).status).toBe(401);
    }
  });
});

describe('without rate limits', () => {
  it('a client may fail any number of times', async () => {
    const service = await startService();
    try {
      const statuses = new Set<number>();
      for (let attempt = 0; attempt <= accessLimit; attempt++) {
        statuses.add((await get(`${service.url}/v0/templates`, { 'x-api-key': 'wrong' })).status);
      }
      expect(statuses).toEqual(new Set([401]));
    } finally {
      await service.stop();
    }
  });
});
