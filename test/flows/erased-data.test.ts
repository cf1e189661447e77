import { EventStore } from '@app/event-store';
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { AuthorizationRequests } from '../../libs/authorization/src/authorization-requests';
import { eventually } from '../event-store/accounts';
import { dumpOf, encodingsOf } from '../support/database/dump';
import { sharedPostgres } from '../support/database/postgres';
import { asServiceRole } from '../support/database/service-role';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { publishedTemplate, quickStart } from '../support/portal/portal';
import { presentJwtVc } from '../support/presenters/credentials';
import { degree, idCard } from '../support/presenters/holdings';
import { type Asked, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { type RunningService, startService } from '../support/service/service';
import { authorizedSession } from '../support/wallets/authorized';
import { clientId, pushRequest } from '../support/wallets/authorization';
import { type Holder, newHolder, thumbprintOf } from '../support/wallets/key-proofs';
import { credentialsOf, openSession, requestCredential } from '../support/wallets/wallet';

/** Two replicas on one database. */
let database: string;
let service: RunningService;
let replica: RunningService;
/** What was entrusted to the service about the person, by what it is; each occurs nowhere else. */
const markers = new Map<string, string>();
const mark = (what: string): string => keep(what, `Zwergspitzmaus-${randomBytes(9).toString('hex')}`);
function keep(what: string, value: string): string {
  markers.set(what, value);
  return value;
}
/** The addresses of everything that is erased, and the ids of their streams. */
const erasable: { readonly path: string; readonly streamId: string }[] = [];
/** Streams with keys of their own that are erased with those. */
const alongside: string[] = [];
/** An authorization that gave no credential. */
let abandoned = '';
const replayable: { readonly path: string; readonly body: Json; readonly key: string }[] = [];

/** What a portal got by a webhook. It answers each event, and each question, with an error page that quotes a person. */
const sent: string[] = [];
const receiver = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => (request.url === '/hooks' ? sent.push(chunk.toString()) : undefined));
  request.on('end', () => response.writeHead(400).end(`<p>${markers.get('what a receiver answers') ?? ''}</p>`));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  database = await sharedPostgres().createDatabase();
  const settings = {
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await asServiceRole(database),
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: receiverHost(),
    SERVICE__IDENTIFICATION__DATA_URL: `http://${receiverHost()}/data`,
    SERVICE__IDENTIFICATION__DATA_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  };
  service = await startService(settings);
  replica = await startService({ ...settings, SERVICE__APPLICATION_URL: service.url });
  mark('what a receiver answers');
  answered(201, await postJson(`${service.url}/v0/webhooks`, { url: `http://${receiverHost()}/hooks` }));
  await entrust();
});
afterAll(async () => {
  await Promise.all([service.stop(), replica.stop()]);
  receiver.close();
});

const receiverHost = (): string => `127.0.0.1:${(receiver.address() as AddressInfo).port}`;

async function entrust(): Promise<void> {
  const holder = newHolder('ES256', 'did:key');
  keep('the thumbprint of the holder key', thumbprintOf(holder.jwk));
  keep('the DID of the holder', String(holder.did));
  const received = await credentials(holder);
  await presentations(holder, received);
  await authorizations();
}

/** Of people who logged in: one whose data the portal submits, one whom it denies the credential, one who never agreed. */
async function authorizations(): Promise<void> {
  const asked = await publishedTemplate(service.url, { data: 'webhook' });
  for (const which of ['the first', 'the second']) {
    const claims = { sub: mark(`the subject of ${which} login`), email: mark(`a claim of ${which} login`) };
    const state = mark(`the state of ${which} authorization request`);
    const session = await authorizedSession(service, [asked, quickStart], { source: 'openid', claims }, state);
    answered(202, await requestCredential(session));
    const { authorizationId } = session;
    const path = `/v0/credentials/${authorizationId}.1`;
    erasable.push({ path, streamId: `credential-${authorizationId}.1` });
    alongside.push(`authorization-${authorizationId}`);
    if (which === 'the first') {
      const credentialSubject = { given_name: mark('a claim that was submitted for an authorization') };
      const to = `${service.url}/v0/authorizations/${authorizationId}/credential`;
      const json = { 'content-type': 'application/json' };
      answered(200, await send(to, { method: 'PUT', headers: json, body: JSON.stringify({ credentialSubject }) }));
    } else {
      const denied = await postJson(`${service.url}${path}/deny`, { reason: mark('the reason of a denial') });
      expect(denied.status).toBe(204);
    }
  }
  const expectedSubject = { claim: 'number', value: mark('an expected person') };
  const grants = ['authorization_code'];
  const offer = { offerId: randomUUID(), grants, identification: 'development', expectedSubject };
  const { offerId } = await created('/v0/offers', offer);
  const item = { offerId, credentialConfigurationId: quickStart, credential: person('a claim for an expected person') };
  const { credentialId } = await created('/v0/credentials', item);
  erasable.push({ path: `/v0/credentials/${String(credentialId)}`, streamId: `credential-${String(credentialId)}` });
  alongside.push(`offer-${String(offerId)}`);

  const requests = service.app.get(AuthorizationRequests);
  const pushed = await pushRequest(service.url);
  const found = await requests.find(String(pushed.answer.json['request_uri']), clientId);
  abandoned = found?.authorizationId ?? '';
  await requests.identify(abandoned, 'browser', 'openid', { sub: mark('the subject of an abandoned login') });
  alongside.push(`authorization-${abandoned}`);
}

/** One of each format, in a batch, for an offer whose transaction code is described. @returns the W3C one */
async function credentials(holder: Holder): Promise<string> {
  const membership = await publishedTemplate(service.url, { revocable: true });
  const txCode = { length: 6, description: mark('the description of a transaction code') };
  const opened = await created('/v0/offers', { offerId: randomUUID(), txCode });
  const { offerId } = opened;
  const items = [
    { offerId, credentialConfigurationId: quickStart, credential: person('a claim of a W3C credential') },
    { offerId, templateId: membership, credential: person('a claim of an SD-JWT VC') },
  ];
  const batch = await created('/v0/credentials/batch', { credentials: items }, 200);
  for (const item of batch['items'] as { credential: Json }[]) {
    const { credentialId } = item.credential;
    erasable.push({ path: `/v0/credentials/${String(credentialId)}`, streamId: `credential-${String(credentialId)}` });
  }
  const session = await openSession(String(opened['credentialOffer']), 'F', { tx_code: String(opened['txCode']) });
  const answers: Json[] = [];
  for (const configurationId of [quickStart, membership]) {
    answers.push(answered(200, await requestCredential(session, { holders: [holder], configurationId })));
  }
  const notification = { event: 'credential_failure', event_description: mark('what a wallet says of a failure') };
  const body = { notification_id: answers[1]?.['notification_id'], ...notification };
  const authorization = `Bearer ${session.accessToken}`;
  expect((await postJson(`${session.offer.issuer}/notification`, body, { authorization })).status).toBe(204);
  const [, second] = erasable;
  const suspended = await postJson(`${service.url}${second?.path ?? ''}/suspend`, {
    reason: mark('the reason of a suspension'),
  });
  expect(suspended.status).toBe(204);
  return credentialsOf(answers[0] ?? {})[0] ?? '';
}

function person(what: string): Json {
  return { id: `urn:uuid:${mark(`the id with ${what}`)}`, credentialSubject: { given_name: mark(what) } };
}

async function presentations(holder: Holder, credential: string): Promise<void> {
  const values = [mark('a value of a query'), markers.get('a claim of a W3C credential')];
  const query = { credentials: [{ ...degree, claims: [{ path: ['credentialSubject', 'given_name'], values }] }] };
  const redirectUri = `https://shop.example/basket/${mark('the address of a basket')}`;
  const asked = await requested({ dcql_query: query, redirectUri });
  const seen = await receiveRequest(asked);
  const words = { error: mark('an error of a wallet'), error_description: mark('how a wallet describes its error') };
  answered(200, await respond(seen, {}, words));
  expect((await resultOf(asked))['failure']).toEqual({ check: 'wallet', reason: words.error });
  const token = presentJwtVc([credential], holder, seen);
  const { redirect_uri: back } = answered(200, await respond(seen, { tokens: { [degree.id]: token } }));
  const responseCode = new URL(String(back)).hash.replace('#response_code=', '');
  answered(
    200,
    await postJson(`${service.url}/v0/authorization_requests/${asked.state}/response_code`, { responseCode }),
  );
  const payment = {
    type: 'payment',
    credentialIds: [idCard.id],
    payee: mark('a member of transaction data'),
    shownAs: mark('the words for transaction data'),
  };
  await requested({
    dcql_query: { credentials: [...query.credentials, idCard] },
    transactionData: [payment],
    clientIdPrefix: 'redirect_uri',
  });
}

async function requested(body: Json): Promise<Asked> {
  const state = randomUUID();
  const answer = await created('/v0/authorization_requests', { state, ...body });
  erasable.push({ path: `/v0/authorization_requests/${state}`, streamId: `authorization_request-${state}` });
  return { url: service.url, state, answer };
}

/** Creates something by a request that can be repeated. */
async function created(path: string, body: Json, status = 201): Promise<Json> {
  const key = randomUUID();
  replayable.push({ path, body, key });
  return answered(status, await postJson(service.url + path, body, { 'idempotency-key': key }));
}

const repeat = ({ path, body, key }: (typeof replayable)[number], by = service): Promise<Reply> =>
  postJson(by.url + path, body, { 'idempotency-key': key });

async function foundInDatabase(): Promise<string[]> {
  const { text } = await dumpOf(database);
  return [...markers].flatMap(([what, marker]) =>
    Object.entries(encodingsOf(marker)).flatMap(([encoding, one]) =>
      text.includes(one) ? [`${what}, ${encoding}`] : [],
    ),
  );
}

/** Everything that the management API shows of what was entrusted. */
async function shown(by: RunningService): Promise<string> {
  const views = await Promise.all(erasable.map(({ path }) => get(by.url + path)));
  const offers = await get(`${by.url}/v0/offers`);
  const repeated = await Promise.all(replayable.map((one) => repeat(one, by)));
  return [...views, offers, ...repeated].map(({ text }) => text).join('\n');
}

const keysOf = async (client: Client): Promise<unknown[]> => {
  const ids = [...erasable.map(({ streamId }) => streamId), ...alongside];
  return (await client.query('select stream_id from data_keys where stream_id = any($1)', [ids])).rows;
};

describe('what is stored about a person', () => {
  it('is in no event that a portal gets', async () => {
    // Later events of a subject wait until this one is received.
    const types = ['credential.issued', 'presentation.rejected'];
    await eventually(() => types.every((type) => sent.join('').includes(`"${type}"`)), 20_000);
    expect([...markers].filter(([, marker]) => sent.join('').includes(marker)).map(([what]) => what)).toEqual([]);
  });

  it('is in the database sealed only, and can be read before it is erased', async () => {
    expect(await foundInDatabase()).toEqual([]);
    const text = await shown(service);
    const unseen = [...markers].filter(([, marker]) => !text.includes(marker)).map(([what]) => what);
    // Nothing shows these again; the words of a notification are not stored at all.
    expect(unseen.sort()).toEqual([
      'a claim of the first login',
      'a claim of the second login',
      'a member of transaction data',
      'an expected person',
      'the address of a basket',
      'the description of a transaction code',
      'the reason of a suspension',
      'the state of the first authorization request',
      'the state of the second authorization request',
      'the subject of an abandoned login',
      'the subject of the first login',
      'the subject of the second login',
      'the words for transaction data',
      'what a receiver answers',
      'what a wallet says of a failure',
    ]);
  });

  it('can be read nowhere once it is erased, and every replica forgets the keys by itself', async () => {
    const client = new Client({ connectionString: database });
    await client.connect();
    try {
      expect(await keysOf(client)).toHaveLength(erasable.length + alongside.length);
      // The other replica has used them, and so knows them.
      await shown(replica);
      const known = (): string[] =>
        erasable.map(({ streamId }) => streamId).filter((id) => replica.app.get(EventStore)['kept'].find(id));
      expect(known().length).toBeGreaterThan(0);
      for (const { path } of erasable) {
        expect((await send(`${service.url}${path}/personal_data`, { method: 'DELETE' })).status).toBe(204);
      }
      expect((await postJson(`${service.url}/v0/authorizations/${abandoned}/revoke`, {})).status).toBe(204);
      expect(await keysOf(client)).toEqual([]);
      await eventually(() => known().length === 0, 20_000);
    } finally {
      await client.end();
    }
    for (const by of [service, replica]) {
      const text = await shown(by);
      expect([...markers].filter(([, marker]) => text.includes(marker)).map(([what]) => what)).toEqual([]);
    }
    expect(await foundInDatabase()).toEqual([]);
  });

  it('is not given out again for an Idempotency-Key, and the error says why', async () => {
    const byValue = replayable.find(({ body }) => body['clientIdPrefix'] === 'redirect_uri');
    if (!byValue) throw new Error('There is no such request.');
    const reply = await repeat(byValue);
    expectProblem(reply, 422, 'idempotency-key-reused');
    expect(reply.json['detail']).toContain('erased');
  });

  it('leaves lists, timelines and offers that can be read, and a store that its events explain', async () => {
    for (const path of ['credentials', 'offers', 'authorizations', 'authorization_requests']) {
      for (const item of answered(200, await get(`${service.url}/v0/${path}`))['items'] as Json[]) {
        const id = item['credentialId'] ?? item['authorizationId'] ?? item['offerId'] ?? item['state'];
        expect((await get(`${service.url}/v0/${path}/${String(id)}`)).status).toBe(200);
      }
    }
    const owner = new Client({ connectionString: database });
    await owner.connect();
    try {
      const store = service.app.get(EventStore);
      const before = await owner.query('select * from streams order by stream_id');
      expect(await store.verify()).toMatchObject({ differing: [], findings: 0 });
      await owner.query('delete from streams');
      expect((await store.rebuild()).differing).toHaveLength(before.rows.length);
      expect((await owner.query('select * from streams order by stream_id')).rows).toEqual(before.rows);
    } finally {
      await owner.end();
    }
  });
});
