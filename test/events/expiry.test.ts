import { EventStore } from '@app/event-store';
import { Expiries } from '@app/operation';
import { setTimeout as delay } from 'node:timers/promises';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { offerState, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { ask } from '../support/presenters/presenter';
import { type RunningService, startService } from '../support/service/service';
import { openSession } from '../support/wallets/wallet';

/** Two replicas; both look for what has expired. */
let service: RunningService;
let other: RunningService;
let database: string;
beforeAll(async () => {
  database = await sharedPostgres().createDatabase();
  const settings = { SERVICE__EVENT_STORE__TYPE: 'postgres', SERVICE__EVENT_STORE__CONNECTION_STRING: database };
  service = await startService(settings);
  other = await startService(settings);
});
afterAll(async () => {
  await Promise.all([service.stop(), other.stop()]);
  await dropDatabase(database);
});

const soon = { expiresIn: 'PT2S' };

async function publicOffer(): Promise<string> {
  const schema = { type: 'object', properties: { event: { const: 'Open day' } } };
  const templateIds = [await publishedTemplate(service.url, { schema })];
  const opened = await postJson(`${service.url}/v0/offers`, { templateIds, public: true, ...soon });
  return String(answered(201, opened)['offerId']);
}

async function offerWithoutData(): Promise<string> {
  return String(
    answered(201, await postJson(`${service.url}/v0/offers`, { offerId: `empty-${Math.random()}`, ...soon }))[
      'offerId'
    ],
  );
}

async function recordEverywhere(): Promise<void> {
  await Promise.all([service, other].map(({ app }) => app.get(Expiries).record()));
}

const timelineOf = async (offerId: string): Promise<unknown> =>
  answered(200, await get(`${service.url}/v0/offers/${offerId}`))['timeline'];

describe('what expires', () => {
  it('is an event once, however many replicas look, and after a stop too; what was accepted in time is none', async () => {
    const stream = await listen(`${other.url}/v0/events?types=offer.expired,presentation.expired`);
    const redeemed = await prepareOffer(service.url, [quickStart], { expiresIn: 'PT4S' });
    await openSession(redeemed.link);
    const waiting = await prepareOffer(service.url, [quickStart], soon);
    const ofAll = await publicOffer();
    const { state } = await ask(service.url, soon);
    // More than are recorded by one page.
    const many: string[] = [];
    for (let round = 0; round < 6; round++) {
      many.push(...(await Promise.all(Array.from({ length: 40 }, () => offerWithoutData()))));
    }
    await delay(4_100);
    await recordEverywhere();
    const offers = [waiting.offerId, ofAll, ...many];
    const events = await stream.take(offers.length + 1);
    const subjects = [`authorization_requests/${state}`, ...offers.map((id) => `offers/${id}`)];
    expect(events.map(({ subject }) => String(subject)).sort()).toEqual(subjects.sort());
    stream.cut();

    const expired = events.find(({ subject }) => subject === `offers/${waiting.offerId}`) as Json;
    const shown = answered(200, await get(`${service.url}/v0/offers/${waiting.offerId}`));
    expect(expired).toMatchObject({
      type: 'offer.expired',
      time: shown['expiresAt'],
      data: { offerId: waiting.offerId, state: 'Expired' },
    });
    expect(shown).toMatchObject({ state: 'Expired' });
    expect(await timelineOf(waiting.offerId)).toContainEqual({
      at: shown['expiresAt'],
      step: 'expired',
      outcome: 'ok',
      detail: null,
    });
    const request = answered(200, await get(`${service.url}/v0/authorization_requests/${state}`));
    expect(request).toMatchObject({ status: 'expired' });

    // Nothing is recorded twice.
    await recordEverywhere();
    for (const id of [waiting.offerId, ofAll]) {
      const steps = (await timelineOf(id)) as Json[];
      expect(steps.filter(({ step }) => step === 'expired')).toHaveLength(1);
    }
    expect(await offerState(service.url, redeemed.offerId)).toBe('Redeemed');
    const listed = answered(200, await get(`${service.url}/v0/offers?state=Expired&limit=200`));
    expect((listed['items'] as Json[]).every((one) => one['state'] === 'Expired')).toBe(true);
    const { differing, findings } = await service.app.get(EventStore).verify();
    expect([differing, findings]).toEqual([[], 0]);

    const again = answered(
      200,
      await postJson(`${service.url}/v0/offers/${waiting.offerId}/reopen`, { expiresIn: 'P1D' }),
    );
    expect(again['state']).toBe('Open');
    await openSession(String(again['credentialOffer']));
    expect(await offerState(service.url, waiting.offerId)).toBe('Redeemed');
    const withdrawn = await send(`${service.url}/v0/offers/${ofAll}`, { method: 'DELETE' });
    expect([withdrawn.status, await offerState(service.url, ofAll)]).toEqual([204, 'Withdrawn']);
  });

  it('is recorded by itself within seconds', async () => {
    const stream = await listen(`${other.url}/v0/events?types=offer.expired`);
    await stream.next();
    const offerId = await offerWithoutData();
    expect(await stream.take(1)).toMatchObject([{ subject: `offers/${offerId}` }]);
    stream.cut();
  });
});
