import { EventStore } from '@app/event-store';
import type { Offers } from '@app/offers/src/offer/new-offer';
import { OFFERS } from '@app/offers/src/offer/offer';
import { randomUUID } from 'node:crypto';
import { eventually } from '../event-store/accounts';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { claims, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import {
  offerUri,
  openSession,
  readOffer,
  receive,
  redeem,
  requestCredential,
  type Session,
} from '../support/wallets/wallet';

const service = serviceOfFile();

const offers = (path = ''): string => `${service.url}/v0/offers${path}`;

async function timelineOf(offerId: string): Promise<Json[]> {
  return answered(200, await get(offers(`/${offerId}`)))['timeline'] as Json[];
}
async function stepsOf(offerId: string): Promise<unknown[]> {
  return (await timelineOf(offerId)).map(({ step, outcome }) => (outcome === 'ok' ? step : `${String(step)}!`));
}

describe('the timeline of an offer', () => {
  it('shows what happened from its creation to its redemption', async () => {
    const { offerId, link, credentialIds } = await prepareOffer(service.url);
    await receive(link);
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
    const timeline = await timelineOf(offerId);
    expect(timeline).toEqual([
      { at, step: 'created', outcome: 'ok', detail: 'Empty until a credential is attached.' },
      {
        at,
        step: 'credential attached',
        outcome: 'ok',
        detail: `${quickStart}, as the credential ${credentialIds[0] ?? ''}.`,
      },
      { at, step: 'fetched', outcome: 'ok', detail: 'By a wallet, for the first time.' },
      { at, step: 'redeemed', outcome: 'ok', detail: `A wallet may fetch ${quickStart}.` },
      { at, step: 'credential issued', outcome: 'ok', detail: `${credentialIds[0] ?? ''}: To one key of a wallet.` },
    ]);
    expect(timeline.map((entry) => String(entry['at']))).toEqual(timeline.map((entry) => String(entry['at'])).sort());
  });

  it('names the templates of an offer', async () => {
    const templateId = await publishedTemplate(service.url);
    const { offerId } = answered(201, await postJson(offers(), { templateIds: [templateId] }));
    expect(await timelineOf(String(offerId))).toMatchObject([{ step: 'created', detail: `Promises ${templateId}.` }]);
  });

  it('shows every wrong transaction code until the offer is locked, and never a code', async () => {
    const { offerId, link, txCode = '' } = await prepareOffer(service.url, [quickStart], { txCode: true });
    const offer = await readOffer(link);
    const wrong = txCode.startsWith('0') ? `1${txCode.slice(1)}` : `0${txCode.slice(1)}`;
    for (let guess = 0; guess < 7; guess++) await redeem(offer, { tx_code: wrong });
    const attempts = Array.from({ length: 5 }, () => 'redeemed!');
    const steps = (await stepsOf(offerId)).filter((step) => step !== 'wallet refused!');
    expect(steps).toEqual(['created', 'credential attached', 'fetched', ...attempts, 'locked!']);
    const shown = JSON.stringify(await timelineOf(offerId));
    for (const secret of [txCode, wrong, offer.code]) expect(shown).not.toContain(secret);
    expect((await timelineOf(offerId)).find(({ step }) => step === 'locked')).toMatchObject({
      detail: '5 wrong transaction codes: reopen the offer or create a new one.',
    });
  });

  it('shows a withdrawal once', async () => {
    const { offerId } = await prepareOffer(service.url);
    for (let times = 0; times < 2; times++) {
      expect((await send(offers(`/${offerId}`), { method: 'DELETE' })).status).toBe(204);
    }
    expect(await stepsOf(offerId)).toEqual(['created', 'credential attached', 'withdrawn']);
  });

  it('shows when a public offer was offline', async () => {
    const schema = { type: 'object', properties: { event: { const: 'Open day' } } };
    const templateIds = [await publishedTemplate(service.url, { schema })];
    const offerId = randomUUID();
    answered(201, await postJson(offers(), { offerId, templateIds, public: true }));
    for (const move of ['take_offline', 'take_online']) await postJson(offers(`/${offerId}/${move}`), '');
    expect(await stepsOf(offerId)).toEqual(['created', 'taken offline', 'taken online']);
  });

  it('shows only the first fetch, also of many at the same time', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    expect(await stepsOf(offerId)).toEqual(['created', 'credential attached']);
    await Promise.all(Array.from({ length: 20 }, () => readOffer(link)));
    await readOffer(link);
    expect(await stepsOf(offerId)).toEqual(['created', 'credential attached', 'fetched']);
    await send(offers(`/${offerId}`), { method: 'DELETE' });
    expect((await get(offerUri(link))).status).toBe(404);
    expect(await stepsOf(offerId)).toEqual([
      'created',
      'credential attached',
      'fetched',
      'withdrawn',
      'wallet refused!',
    ]);
    expect((await service.app.get(EventStore).verify()).differing).toEqual([]);
  });

  it('shows once that a wallet came before the data, and the link works when the data is there', async () => {
    const templateId = await publishedTemplate(service.url);
    const opened = answered(201, await postJson(offers(), { templateIds: [templateId] }));
    const link = String(opened['credentialOffer']);
    const offerId = String(opened['offerId']);
    for (let times = 0; times < 2; times++) {
      const refused = await get(offerUri(link));
      expect([refused.status, refused.json['error']]).toEqual([404, 'invalid_request']);
      expect(refused.json['error_description']).toContain('has not submitted the data');
    }
    expect(await stepsOf(offerId)).toEqual(['created', 'fetched!', 'wallet refused!']);
    const [, fetched, refused] = await timelineOf(offerId);
    expect(fetched?.['detail']).toContain('submit it');
    expect(refused?.['refusal']).toMatchObject({ endpoint: 'offer', reason: 'data-missing', count: 2 });
    const credential = { offerId, templateId, credential: { credentialSubject: {} } };
    answered(201, await postJson(`${service.url}/v0/credentials`, credential));
    await readOffer(link);
    expect(await stepsOf(offerId)).toEqual([
      'created',
      'fetched!',
      'wallet refused!',
      'credential attached',
      'fetched',
    ]);
    await send(offers(`/${offerId}`), { method: 'DELETE' });
    expect((await get(offerUri(link))).json['error_description']).not.toContain('data');
  });

  it('does not count HEAD, which link checkers send, as a wallet', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    expect((await send(offerUri(link), { method: 'HEAD' })).status).toBe(200);
    expect(await stepsOf(offerId)).toEqual(['created', 'credential attached']);
  });

  it('shows nothing about the person', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    await receive(link);
    const { text } = await get(offers(`/${offerId}`));
    for (const claim of [claims.given_name, claims.family_name]) expect(text).not.toContain(claim);
  });
});

/** What a wallet sends that no record of ours may have. */
const canary = 'Zwergspitzmaus';
const refusals = (timeline: Json[]): Json[] => timeline.filter(({ step }) => step === 'wallet refused');

async function refusable(): Promise<{ readonly offerId: string; readonly session: Session }> {
  const { offerId, link } = await prepareOffer(service.url);
  return { offerId, session: await openSession(link) };
}

async function notify(opened: Session, issued: Reply, event: string): Promise<Reply> {
  const { notification_id } = issued.json;
  const url = String(opened.metadata['notification_endpoint']);
  return postJson(url, { notification_id, event }, { authorization: `Bearer ${opened.accessToken}` });
}

describe('the timelines of an offer and its credential', () => {
  it('show what a wallet was refused and what became of the credential, in their order', async () => {
    const { link, offerId, credentialIds } = await prepareOffer(service.url);
    const opened = await openSession(link);
    await requestCredential(opened, { nonce: canary });
    const issued = await requestCredential(opened);
    for (const event of ['credential_accepted', 'credential_deleted']) await notify(opened, issued, event);
    const { timeline } = answered(200, await get(`${service.url}/v0/credentials/${credentialIds[0] ?? ''}`));
    const steps = (timeline as Json[]).map(({ step }) => step);
    expect(steps).toEqual(['prepared', 'wallet refused', 'issued', 'accepted', 'deleted']);
    expect((await timelineOf(offerId)).map(({ step }) => step).slice(-5)).toEqual([
      'redeemed',
      'wallet refused',
      'credential issued',
      'credential accepted',
      'credential deleted',
    ]);
  });

  it('keep the refusal of one credential apart from the others of its offer', async () => {
    const other = await publishedTemplate(service.url);
    const { link, credentialIds } = await prepareOffer(service.url, [quickStart, other]);
    const opened = await openSession(link);
    await requestCredential(opened, { configurationId: other, proof: { claims: { aud: canary } } });
    const shown = await Promise.all(credentialIds.map((id) => get(`${service.url}/v0/credentials/${id}`)));
    const counts = shown.map((reply) => refusals(answered(200, reply)['timeline'] as Json[]).length);
    expect(counts).toEqual([0, 1]);
  });

  it('count equal refusals together, and keep a bounded number of kinds', async () => {
    const { offerId, session: opened } = await refusable();
    for (let times = 0; times < 3; times++) await requestCredential(opened, { nonce: canary });
    expect(refusals(await timelineOf(offerId))).toMatchObject([{ refusal: { reason: 'nonce-unknown', count: 3 } }]);
    for (let times = 0; times < 12; times++) {
      await requestCredential(opened, { nonce: canary });
      await timelineOf(offerId);
    }
    expect(refusals(await timelineOf(offerId))).toHaveLength(8);
  });

  it('say nothing of a code and a token that are not genuine', async () => {
    const { offerId, session: opened } = await refusable();
    const { offer } = opened;
    await redeem({ ...offer, code: `${offer.code}x` });
    await requestCredential({ ...opened, accessToken: `${opened.accessToken}x` });
    await requestCredential(opened, { headers: { authorization: '' } });
    expect(refusals(await timelineOf(offerId))).toEqual([]);
  });

  it('do not hold up the wallet: its refusal is recorded while nobody asks', async () => {
    const { offerId, session: opened } = await refusable();
    await requestCredential(opened, { nonce: canary });
    const events = () => service.app.get<Offers>(OFFERS, { strict: false }).events(offerId);
    await eventually(async () => (await events()).some(({ event }) => event.type === 'WalletRefused'));
  });
});
