import { EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { setTimeout as delay } from 'node:timers/promises';
import { sharedPostgres } from '../support/database/postgres';
import { type StoredRow, storedHistory } from '../support/database/stored-rows';
import { ask, type Asked, type Received, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { selfIssued } from '../support/presenters/credentials';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { readOffer, redeem } from '../support/wallets/wallet';

// Two replicas on one database: a fetch at one of them, everything else at either.
let store: Record<string, string>;
let first: RunningService;
let second: RunningService;
beforeAll(async () => {
  store = {
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await sharedPostgres().createDatabase(),
  };
  first = await startService(store);
  second = await startService({ ...store, SERVICE__APPLICATION_URL: first.url });
});
afterAll(async () => {
  await first.stop();
  await second.stop();
});

const eventsOf = (offerId: string): Promise<StoredRow[]> => storedHistory(second, `offer-${offerId}`);
const eventsOfRequest = ({ state }: Asked): Promise<StoredRow[]> =>
  storedHistory(second, `authorization_request-${state}`);

async function fetchOf(offerId: string): Promise<StoredRow | undefined> {
  return (await eventsOf(offerId)).find(({ type }) => type === 'OfferFetched');
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(50);
  }
}

const untilRecorded = (offerId: string): Promise<StoredRow> => until(() => fetchOf(offerId));

async function stepsAt({ url }: RunningService, offerId: string): Promise<unknown[]> {
  const { timeline } = answered(200, await get(`${url}/v0/offers/${offerId}`));
  return (timeline as Json[]).map(({ step }) => step);
}

describe('the first fetch of an offer', () => {
  it('is recorded with the redemption that follows it', async () => {
    // On a busy machine a second may pass in between, and the fetch is recorded by itself.
    for (;;) {
      const { offerId, link } = await prepareOffer(first.url);
      answered(200, await redeem(await readOffer(link)));
      const [fetched, redeemed] = (await eventsOf(offerId)).slice(-2);
      expect([fetched?.type, redeemed?.type]).toEqual(['OfferFetched', 'OfferRedeemed']);
      if (fetched?.unit === redeemed?.unit) break;
    }
  });

  it('comes after what was recorded before it, also where that was stamped ahead of the clock', async () => {
    const { offerId, link } = await prepareOffer(first.url);
    await first.app.get<SqlDriver>(SQL_DRIVER).transaction((tx) =>
      tx.script(`update events set recorded_at = recorded_at + interval '2 s' where stream_id = 'offer-${offerId}' and version = 2;
        update streams set updated_at = updated_at + interval '2 s' where stream_id = 'offer-${offerId}'`),
    );
    await readOffer(link);
    expect(await stepsAt(first, offerId)).toEqual(['created', 'credential attached', 'fetched']);
  });

  it('is recorded by itself when no redemption follows, with the time of the fetch', async () => {
    const { offerId, link } = await prepareOffer(first.url);
    const before = first.app.get(EventStore).clock();
    await readOffer(link);
    const after = first.app.get(EventStore).clock();
    const { data, recordedAt, by } = await untilRecorded(offerId);
    expect(by).toBe('wallet');
    const fetchedAt = new Date(String(data['fetchedAt']));
    expect(fetchedAt.getTime()).toBeGreaterThanOrEqual(before.getTime() - 50);
    expect(fetchedAt.getTime()).toBeLessThanOrEqual(after.getTime() + 50);
    expect(recordedAt.getTime()).toBeGreaterThan(fetchedAt.getTime());
    expect(await stepsAt(second, offerId)).toEqual(['created', 'credential attached', 'fetched']);
  });

  it('is recorded once and before the redemption, also when another replica redeems', async () => {
    const offers = await Promise.all(Array.from({ length: 8 }, () => prepareOffer(first.url)));
    await Promise.all(
      offers.map(async ({ link }) => {
        const offer = await readOffer(link);
        answered(200, await redeem({ ...offer, issuer: `${second.url}/openid4vci` }));
      }),
    );
    // Whoever was held at the first replica has been written, or found to be recorded.
    await delay(1_500);
    for (const { offerId } of offers) {
      const types = (await eventsOf(offerId)).map(({ type }) => type);
      expect(types.slice(2)).toEqual(['OfferFetched', 'OfferRedeemed']);
    }
    expect((await first.app.get(EventStore).verify()).differing).toEqual([]);
  });

  it('is in the timeline as soon as a portal asks, and options are rejected from then on', async () => {
    const { offerId, link } = await prepareOffer(first.url);
    await readOffer(link);
    const once = { 'idempotency-key': offerId };
    expectProblem(await postJson(`${first.url}/v0/offers`, { offerId, txCode: true }, once), 409, 'conflict');
    expect(await fetchOf(offerId)).toBeDefined();
    expect(await stepsAt(first, offerId)).toEqual(['created', 'credential attached', 'fetched']);
  });

  it('makes an ETag that was read before it useless', async () => {
    const { offerId, link } = await prepareOffer(first.url);
    const address = `${first.url}/v0/offers/${offerId}`;
    const tag = (await get(address)).headers.get('etag') ?? '';
    await readOffer(link);
    expectProblem(await send(address, { method: 'DELETE', headers: { 'if-match': tag } }), 412, 'version-conflict');
    expect((await get(address, { 'if-none-match': tag })).status).toBe(200);
  });

  it('comes before the withdrawal at another replica that it was recorded after', async () => {
    const { offerId, link } = await prepareOffer(first.url);
    await readOffer(link);
    // Clocks of replicas differ by as long as the database took to answer, which on a busy machine is a while.
    await delay(500);
    expect((await send(`${second.url}/v0/offers/${offerId}`, { method: 'DELETE' })).status).toBe(204);
    await untilRecorded(offerId);
    expect(await stepsAt(second, offerId)).toEqual(['created', 'credential attached', 'fetched', 'withdrawn']);
  });

  it('of a public offer is recorded there, once, however soon wallets accept it', async () => {
    const schema = { type: 'object', properties: { event: { const: 'Open day' } } };
    const templateIds = [await publishedTemplate(first.url, { schema })];
    const body = { offerId: 'open-day', templateIds, public: true };
    const link = String(answered(201, await postJson(`${first.url}/v0/offers`, body))['credentialOffer']);
    for (const { url } of [first, second, first]) {
      answered(200, await redeem({ ...(await readOffer(link)), issuer: `${url}/openid4vci` }));
    }
    await untilRecorded('open-day');
    expect((await eventsOf('open-day')).map(({ type }) => type)).toEqual(['OfferCreated', 'OfferFetched']);
    expect(answered(200, await get(`${first.url}/v0/offers/open-day`))['claims']).toBe(3);
  });

  it('is recorded by a replica that stops', async () => {
    const third = await startService(store);
    const { offerId, link } = await prepareOffer(third.url);
    await readOffer(link);
    await third.stop();
    expect(await fetchOf(offerId)).toBeDefined();
  });
});

describe('the first fetch of a request object', () => {
  const received = async (): Promise<readonly [Asked, Received]> => {
    const asked = await ask(first.url, {});
    return [asked, await receiveRequest(asked, 'siopv2')];
  };
  const verified = async (to: Received): Promise<void> => {
    answered(200, await respond(to, { idToken: selfIssued(newHolder('ES256', 'did:jwk'), to, '') }));
  };
  const stepsOf = async (asked: Asked): Promise<unknown[]> =>
    ((await resultOf(asked))['timeline'] as Json[]).map(({ step }) => step);

  it('is recorded with the response that follows it', async () => {
    for (;;) {
      const [asked, request] = await received();
      await verified(request);
      const [retrieved, presented] = (await eventsOfRequest(asked)).slice(-2);
      expect([retrieved?.type, presented?.type]).toEqual(['RequestRetrieved', 'PresentationVerified']);
      if (retrieved?.unit === presented?.unit) break;
    }
  });

  it('is recorded by itself when no response follows', async () => {
    const [asked] = await received();
    expect(await until(async () => (await eventsOfRequest(asked))[1])).toMatchObject({ by: 'wallet' });
    expect(await resultOf({ ...asked, url: second.url })).toMatchObject({ status: 'retrieved' });
  });

  it('is in the status and in lists as soon as a portal asks', async () => {
    const [asked] = await received();
    const [other] = await received();
    expect(await resultOf(asked)).toMatchObject({ status: 'retrieved' });
    const { items } = answered(200, await get(`${first.url}/v0/authorization_requests?status=retrieved`));
    expect((items as Json[]).map(({ state }) => state)).toEqual(expect.arrayContaining([asked.state, other.state]));
  });

  it('comes before a response to another replica, and leaves the request verified', async () => {
    const [asked, request] = await received();
    await verified({ ...request, responseUri: request.responseUri.replace(first.url, second.url) });
    await until(async () => (await eventsOfRequest(asked))[2]);
    expect(await stepsOf({ ...asked, url: second.url })).toEqual(['requested', 'retrieved', 'presented']);
    expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
    expect((await first.app.get(EventStore).verify()).differing).toEqual([]);
  });
});
