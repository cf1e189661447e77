import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dumpOf, encodingsOf } from '../support/database/dump';
import { type TestPostgres, startPostgres } from '../support/database/postgres';
import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { degree, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { reachThroughProxy } from '../support/http/public-address';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json, postForm, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { freePort } from '../support/service/service';
import { asServiceRole } from '../support/database/service-role';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';
import { offerUri, openSession, readOffer, redeem, requestCredential } from '../support/wallets/wallet';

const publicUrl = 'https://credentials.example';

/** Every secret and every personal value of the flows, by what it is. */
const secrets = new Map<string, string>();
const keep = (what: string, value: string): string => {
  secrets.set(what, value);
  return value;
};
const marker = (what: string): string => keep(what, `marker-${randomBytes(15).toString('hex')}`);

describe('the built service in production', () => {
  const apiKey = marker('the API key');
  const refusals: string[] = [];
  let postgres: TestPostgres;
  let database: string;
  let directory: string;
  let service: ServiceProcess;
  let management: string;
  let metrics: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sealwright-production-'));
    postgres = await startPostgres();
    database = await postgres.createDatabase();
    const [managementPort, metricsPort] = [await freePort(), await freePort()];
    management = `http://127.0.0.1:${managementPort}`;
    metrics = `http://127.0.0.1:${metricsPort}`;
    service = await startServiceProcess(await asServiceRole(database), publicUrl, {
      SERVICE__PROFILE: 'production',
      SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD_FILE: await fileOf('password', marker('the password')),
      SERVICE__MANAGEMENT__API_KEYS_FILE: await fileOf('api-keys', apiKey),
      SERVICE__MANAGEMENT__PORT: String(managementPort),
      SERVICE__METRICS__ENABLED: 'true',
      SERVICE__METRICS__PORT: String(metricsPort),
      SERVICE__LOG__LEVEL: 'trace',
    });
    reachThroughProxy(publicUrl, {
      listenerOf: (path) => (path.startsWith('/v0') ? management : service.url),
      headersOf: (path) => (path.startsWith('/v0') ? { 'x-api-key': apiKey } : {}),
      async onAnswer(answer) {
        if (answer.status >= 400) refusals.push(await answer.text());
      },
    });
    await flows();
    await mistakes();
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await service.stop();
    await postgres.stop();
    await rm(directory, { recursive: true });
  });

  async function fileOf(name: string, secret: string): Promise<string> {
    const path = join(directory, name);
    await writeFile(path, `${secret}\n`);
    return path;
  }

  /** Both formats issued, with a transaction code and without, and presented. */
  async function flows(): Promise<void> {
    const claims = { given_name: marker('a claim'), level: 3 };
    const membership = await publishedTemplate(publicUrl);
    const w3c = await publishedTemplate(publicUrl, { format: 'jwt_vc_json', vct: undefined });
    for (const id of [w3c, membership]) {
      const credential = { credential: { credentialSubject: claims } };
      const prepared = await prepareOffer(publicUrl, [id], { txCode: { length: 12 } }, credential);
      keep(`the transaction code of ${id}`, prepared.txCode ?? '');
      keep(`the handle of ${id}`, offerUri(prepared.link).slice(-43));
      const offer = await readOffer(prepared.link);
      keep(`the code of ${id}`, offer.code);
      const tx_code = keep(`a wrong transaction code of ${id}`, '918273645501');
      expect((await redeem(offer, { tx_code })).status).toBe(400);
      const session = await openSession(prepared.link, 'F', { tx_code: prepared.txCode });
      keep(`the access token of ${id}`, session.accessToken);
      const holder = newHolder();
      keep(`the key of a holder of ${id}`, holder.jwk.x ?? '');
      const answer = answered(200, await requestCredential(session, { holders: [holder] }));
      keep(`the credential of ${id}`, (answer['credentials'] as [{ credential: string }])[0].credential.slice(-60));
    }
    const batch = Array.from({ length: 50 }, (_, index) => ({
      offerId: `batch-${index}`,
      credentialConfigurationId: membership,
      credential: { credentialSubject: claims },
    }));
    answered(200, await postJson(`${publicUrl}/v0/credentials/batch`, { credentials: batch }));
    const holdings = await receiveHoldings(publicUrl, claims);
    for (const variant of ['1.0', 'draft-20'] as const) {
      const state = marker(`the state of a request (${variant})`);
      const asked = await ask(publicUrl, { state, dcql_query: { credentials: [idCard, degree] } });
      const received = await receiveRequest(asked, variant);
      keep(`the nonce of a request (${variant})`, received.nonce);
      const tokens = tokensFor(holdings, received, ['id_card', 'degree']);
      for (const [id, token] of Object.entries(tokens)) keep(`the presented ${id} (${variant})`, token.slice(-60));
      answered(200, await respond(received, { tokens }));
      expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
    }
  }

  /** Everyday failures, with something confidential in every place that an answer or a log line could quote. */
  async function mistakes(): Promise<void> {
    const api = `${publicUrl}/v0/credentials`;
    const body = { offerId: 'mistake', credentialConfigurationId: await publishedTemplate(publicUrl) };
    const subject = { credentialSubject: { given_name: marker('a claim next to a mistake') } };
    await postJson(api, { ...body, credential: subject, expiresAt: marker('a member in the wrong place') });
    await postJson(api, `{"credential": "${marker('a body that is no JSON')}`);
    const strict = await publishedTemplate(publicUrl, {
      schema: { type: 'object', properties: { level: { type: 'integer' } }, additionalProperties: false },
    });
    const wrong = { credentialSubject: { level: marker('a claim that breaks the schema') } };
    await postJson(api, { ...body, credentialConfigurationId: strict, credential: wrong });
    const authorization = `Bearer ${marker('a wrong management key')}`;
    await get(api, { authorization, 'x-api-key': marker('a second management key'), cookie: marker('a cookie') });
    const bearer = `Bearer ${marker('a wrong access token')}`;
    await postJson(
      `${publicUrl}/openid4vci/credential`,
      {},
      { authorization: bearer, cookie: marker('another cookie') },
    );
    await get(`${publicUrl}/openid4vci/offers/${marker('an unknown handle')}?access_token=${marker('a query')}`);
    await postForm(`${publicUrl}/openid4vci/token`, [['pre-authorized_code', marker('an unknown code')]]);
    await send(`${publicUrl}/openid4vp/1.0/${marker('an unknown request')}/response`, { method: 'POST' });
  }

  it('answers wallets on the public listener and portals on the management listener', async () => {
    expect((await get(`${service.url}/jwks.json`)).status).toBe(200);
    expect((await get(`${service.url}/v0/offers`, { 'x-api-key': apiKey })).status).toBe(404);
    expect((await get(`${management}/v0/offers`, { 'x-api-key': apiKey })).status).toBe(200);
    expect((await get(`${management}/v0/offers`)).status).toBe(401);
    expect((await get(`${management}/jwks.json`)).status).toBe(404);
  });

  it('does not offer the sample configuration', async () => {
    const { items } = answered(200, await get(`${publicUrl}/v0/credential_configurations`));
    expect((items as Json[]).map(({ id }) => id)).not.toContain(quickStart);
  });

  it('has no explorer and no development root', async () => {
    for (const path of ['/docs', '/openapi.json', '/certificates/development-root.pem']) {
      expect((await get(service.url + path)).status).toBe(404);
      expect((await get(management + path)).status).toBe(404);
    }
  });

  it('shows in its metrics what happened, on a port of their own', async () => {
    const { text, status } = await get(`${metrics}/metrics`);
    expect(status).toBe(200);
    for (const format of ['jwt_vc_json', 'dc+sd-jwt']) {
      expect(text).toContain(`sealwright_credentials_total{format="${format}",outcome="issued"} 2\n`);
    }
    expect(text).toContain('sealwright_offers_total{outcome="wrong_transaction_code"} 2\n');
    expect(text).toContain('sealwright_presentations_total{outcome="verified"} 2\n');
    expect((await get(`${service.url}/metrics`)).status).toBe(404);
    expect((await get(`${management}/metrics`)).status).toBe(404);
  });

  it('warns at the start that this database may lose acknowledged writes', () => {
    const warning = { level: 'warn', event: 'database.not-durable', reason: 'fsync=off, full_page_writes=off' };
    const lines = service.output().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(expect.objectContaining(warning));
  });

  it('writes one JSON object a line', () => {
    const lines = service.output().trim().split('\n');
    expect(lines.length).toBeGreaterThan(30);
    for (const line of lines) expect(typeof JSON.parse(line)).toBe('object');
  });

  it('keeps every secret and every claim out of logs, refusals, metrics and the database', async () => {
    const dump = await dumpOf(database);
    expect(dump.text).toContain('OfferRedeemed');
    expect(service.output()).toContain('/openid4vci/token');
    expect(refusals.length).toBeGreaterThan(8);
    const places = {
      'the log': service.output(),
      'a refusal': refusals.join('\n'),
      'the metrics': (await get(`${metrics}/metrics`)).text,
      'the database': dump.text,
    };
    // The database stores the state and the nonce of a request in the clear: neither gives access to anything.
    const stored = /^the (state|nonce) of a request/;
    const found = [...secrets].flatMap(([what, secret]) =>
      Object.entries(places).flatMap(([place, text]) =>
        Object.entries(encodingsOf(secret))
          .filter(([, encoded]) => text.includes(encoded))
          .filter(() => place !== 'the database' || !stored.test(what))
          .map(([encoding]) => `${what} in ${place} (${encoding})`),
      ),
    );
    expect(found).toEqual([]);
  });

  it('ends with exit code 0 on SIGTERM', async () => {
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });
});
