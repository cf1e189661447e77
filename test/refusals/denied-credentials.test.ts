import { EventStore } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import {
  claims,
  credentialStatus,
  offerState,
  prepareOffer,
  publishedTemplate,
  quickStart,
} from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { openSession, readOffer, redeem, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile();

const at = (id: string): string => `${service.url}/v0/templates/${id}`;
const act = (id: string, name: string): Promise<Reply> => postJson(`${at(id)}/${name}`, '');

/** The denials that the portal sees in the timeline of an offer. */
async function denialsOf(offerId: string): Promise<unknown[]> {
  const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
  const denials = (timeline as Json[]).filter(({ step }) => step === 'credential denied');
  expect(new Set(denials.map(({ outcome }) => outcome))).toEqual(new Set(['refused']));
  return denials.map(({ detail }) => detail);
}

describe('an offer of an archived template', () => {
  it.each(['F', 'L13'] as const)('is denied until it is published again (%s)', async (generation) => {
    const id = await publishedTemplate(service.url);
    const { link, credentialIds } = await prepareOffer(service.url, [id]);
    const session = await openSession(link, generation);
    answered(200, await act(id, 'archive'));
    const refused = await requestCredential(session);
    expectRefusal(refused, 400, 'credential_request_denied');
    expect(await credentialStatus(service.url, credentialIds[0] ?? '')).toBe('Prepared');
    answered(200, await act(id, 'publish'));
    answered(200, await requestCredential(session));
  });

  it('is not used up by a wallet that comes afterwards', async () => {
    const id = await publishedTemplate(service.url);
    const { offerId, link } = await prepareOffer(service.url, [id]);
    const offer = await readOffer(link);
    answered(200, await act(id, 'archive'));
    for (let times = 0; times < 2; times++) expectRefusal(await redeem(offer), 400, 'invalid_grant');
    expect(await offerState(service.url, offerId)).toBe('Open');
    expect(await denialsOf(offerId)).toEqual([`The template ${id} is archived: restore it or create a new offer.`]);
    answered(200, await act(id, 'publish'));
    answered(200, await redeem(offer));
  });

  it('has a page that says so to the person, until it is published again', async () => {
    const id = await publishedTemplate(service.url);
    const { offerId } = await prepareOffer(service.url, [id]);
    const { links } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    const page = async (): Promise<string> => (await get(String((links as Json)['page']))).text;
    expect(await page()).toContain('data-state="ready"');
    answered(200, await act(id, 'archive'));
    expect(await page()).toContain('does not give out this credential at the moment');
    answered(200, await act(id, 'publish'));
    expect(await page()).toContain('data-state="ready"');
  });

  it('is redeemed for its other credentials, and not for the one that the wallet names', async () => {
    const [kept, archived] = [await publishedTemplate(service.url), await publishedTemplate(service.url)];
    const { offerId, link } = await prepareOffer(service.url, [kept, archived]);
    const offer = await readOffer(link);
    answered(200, await act(archived, 'archive'));
    const named = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: archived }]);
    expectRefusal(await redeem(offer, { authorization_details: named }), 400, 'invalid_grant');
    expect(await denialsOf(offerId)).toEqual([expect.stringContaining(archived)]);
    answered(200, await redeem(offer));
  });

  it('shows the reason to the portal once, however often the wallet asks', async () => {
    const id = await publishedTemplate(service.url);
    const { offerId, link } = await prepareOffer(service.url, [id]);
    const session = await openSession(link);
    answered(200, await act(id, 'archive'));
    const replies = await Promise.all(Array.from({ length: 10 }, () => requestCredential(session)));
    for (const reply of [...replies, await requestCredential(session)]) {
      expectRefusal(reply, 400, 'credential_request_denied');
    }
    expect(await denialsOf(offerId)).toEqual([`The template ${id} is archived: restore it or create a new offer.`]);
    answered(200, await act(id, 'publish'));
    answered(200, await act(id, 'archive'));
    expect((await send(at(id), { method: 'DELETE' })).status).toBe(204);
    expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
    expect(await denialsOf(offerId)).toEqual([
      `The template ${id} is archived: restore it or create a new offer.`,
      `The template ${id} was deleted: create a new offer of another template.`,
    ]);
    expect((await service.app.get(EventStore).verify()).differing).toEqual([]);
  });

  it.each(['F', 'L13'] as const)('denies nothing of the other templates (%s)', async (generation) => {
    const [kept, archived] = [await publishedTemplate(service.url), await publishedTemplate(service.url)];
    const { offerId, link } = await prepareOffer(service.url, [kept, archived]);
    const session = await openSession(link, generation);
    answered(200, await act(archived, 'archive'));
    const denied = await requestCredential(session, { configurationId: archived });
    expectRefusal(denied, 400, 'credential_request_denied');
    expect(await denialsOf(offerId)).toEqual([expect.stringContaining(archived)]);
    answered(200, await requestCredential(session, { configurationId: kept }));
  });

  it('that is public shows it next to the wallet’s own claim', async () => {
    const id = await publishedTemplate(service.url, { schema: { type: 'object', properties: { a: { const: 1 } } } });
    const offerId = randomUUID();
    const opened = await postJson(`${service.url}/v0/offers`, { offerId, templateIds: [id], public: true });
    const link = String(answered(201, opened)['credentialOffer']);
    const sessions = [await openSession(link), await openSession(link)];
    answered(200, await act(id, 'archive'));
    for (const session of sessions) {
      expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
    }
    expect(await denialsOf(offerId)).toEqual([`The template ${id} is archived: restore it or create a new offer.`]);
    answered(200, await act(id, 'publish'));
    const change = JSON.stringify({ schema: { type: 'object', properties: { a: { type: 'integer' } } } });
    const headers = { 'content-type': 'application/json' };
    answered(200, await send(at(id), { method: 'PATCH', headers, body: change }));
    const [session] = sessions;
    if (session) expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
    expect(await denialsOf(offerId)).toEqual([
      expect.stringContaining('archived'),
      `The template ${id} no longer has constant claims only: make all of them constant again.`,
    ]);
  });

  it('that is public makes no claims', async () => {
    const id = await publishedTemplate(service.url, { schema: { type: 'object', properties: { a: { const: 1 } } } });
    const offerId = randomUUID();
    const opened = await postJson(`${service.url}/v0/offers`, { offerId, templateIds: [id], public: true });
    const offer = await readOffer(String(answered(201, opened)['credentialOffer']));
    answered(200, await act(id, 'archive'));
    expectRefusal(await redeem(offer), 400, 'invalid_grant');
    answered(200, await act(id, 'publish'));
    const change = JSON.stringify({ schema: { type: 'object', properties: { a: { type: 'integer' } } } });
    answered(
      200,
      await send(at(id), { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: change }),
    );
    expectRefusal(await redeem(offer), 400, 'invalid_grant');
    expect(await denialsOf(offerId)).toEqual([
      expect.stringContaining('is archived'),
      expect.stringContaining('constant claims only'),
    ]);
    expect(answered(200, await get(`${service.url}/v0/offers/${offerId}`))).toMatchObject({ claims: 0 });
  });

  it('accepts no further credential', async () => {
    const id = await publishedTemplate(service.url);
    answered(200, await act(id, 'archive'));
    const body = { offerId: randomUUID(), templateId: id, credential: { credentialSubject: {} } };
    expectProblem(await postJson(`${service.url}/v0/credentials`, body), 409, 'template-not-published');
    expectProblem(await postJson(`${service.url}/v0/offers`, { templateIds: [id] }), 409, 'template-not-published');
  });
});

describe('a credential that cannot be fetched', () => {
  it('because it expired tells the portal to submit it again', async () => {
    const expiresAt = new Date(Date.now() + 3000).toISOString();
    const { offerId, link } = await prepareOffer(service.url, [quickStart], {}, { expiresAt });
    const session = await openSession(link);
    await delay(3100);
    expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
    expect(await denialsOf(offerId)).toEqual([
      `The credential of ${quickStart} expired before a wallet fetched it: submit it again for a new offer.`,
    ]);
  });

  it('because the wallet already has it shows nothing about the person', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    const session = await openSession(link);
    const { notification_id } = answered(200, await requestCredential(session));
    const authorization = `Bearer ${session.accessToken}`;
    const notification = { notification_id, event: 'credential_accepted' };
    await postJson(String(session.metadata['notification_endpoint']), notification, { authorization });
    expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
    expect(await denialsOf(offerId)).toEqual([expect.stringContaining('asked again')]);
    const { text } = await get(`${service.url}/v0/offers/${offerId}`);
    for (const secret of [claims.given_name, session.accessToken, session.offer.code]) {
      expect(text).not.toContain(secret);
    }
  });
});
