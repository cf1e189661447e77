import { EventStore } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { presentJwtVc } from '../support/presenters/credentials';
import { degree, type Holdings, receiveHoldings } from '../support/presenters/holdings';
import { type Asked, ask, linkOf, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { serviceOfFile } from '../support/service/service-of-file';
import { collect, credentialsOfOffer, deferredOffer, submit } from '../support/wallets/deferred';
import { openSession, receive, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile();
let holdings: Holdings;
beforeAll(async () => {
  holdings = await receiveHoldings(service.url, { given_name: 'Zwergspitzmaus', level: 3 });
});

const credentialAt = (id = ''): string => `${service.url}/v0/credentials/${id}`;
const requestAt = (state: string): string => `${service.url}/v0/authorization_requests/${state}`;
const erase = (resource: string, headers: Record<string, string> = {}): Promise<Reply> =>
  send(`${resource}/personal_data`, { method: 'DELETE', headers });

async function listed(path: string, id: Json): Promise<unknown> {
  const { items } = answered(200, await get(`${service.url}/v0/${path}`));
  return (items as Json[]).find((item) => Object.entries(id).every(([name, value]) => item[name] === value));
}

const isoTime = expect.stringMatching(/^\d{4}-.*Z$/) as unknown;

describe('erasing the personal data of a credential', () => {
  it('takes the claims from its view and leaves it in lists', async () => {
    const { credentialIds } = await prepareOffer(service.url);
    const [credentialId = ''] = credentialIds;
    const before = await get(credentialAt(credentialId));
    expect(before.json['credential']).toMatchObject({ credentialSubject: { given_name: 'Erika' } });
    expect(await erase(credentialAt(credentialId))).toMatchObject({ status: 204, text: '' });
    const after = await get(credentialAt(credentialId));
    expect(after.json).toMatchObject({ credentialId, status: 'Prepared', credential: null, erasedAt: isoTime });
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(await listed('credentials', { credentialId })).toMatchObject({ status: 'Prepared', erasedAt: isoTime });
  });

  it('is done once, however often it is asked for', async () => {
    const { credentialIds } = await prepareOffer(service.url);
    const url = credentialAt(credentialIds[0]);
    expect((await erase(url)).status).toBe(204);
    const once = await get(url);
    expect((await erase(url)).status).toBe(204);
    expect(await get(url)).toMatchObject({ json: once.json });
    expect((await get(url)).headers.get('etag')).toBe(once.headers.get('etag'));
  });

  it('happens only to the version that If-Match names, and to a credential that exists', async () => {
    const { credentialIds } = await prepareOffer(service.url);
    const url = credentialAt(credentialIds[0]);
    expectProblem(await erase(url, { 'if-match': '"7"' }), 412, 'version-conflict');
    const read = await get(url);
    expect(read.json['credential']).not.toBeNull();
    expect((await erase(url, { 'if-match': read.headers.get('etag') ?? '' })).status).toBe(204);
    expectProblem(await erase(credentialAt(randomUUID())), 404, 'not-found');
  });

  it.each(['before', 'after'])('%s the wallet has its token, leaves a wallet that is told so', async (moment) => {
    const { link, offerId, credentialIds } = await prepareOffer(service.url);
    const early = moment === 'after' ? await openSession(link) : undefined;
    await erase(credentialAt(credentialIds[0]));
    const refused = await requestCredential(early ?? (await openSession(link)));
    expectRefusal(refused, 400, 'credential_request_denied');
    expect(refused.json['error_description']).toBe('The data of this credential has been erased.');
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect(timeline).toContainEqual(expect.objectContaining({ step: 'credential denied' }));
  });

  it('leaves an issued one with its status, which the wallet can still report', async () => {
    const { link, credentialIds } = await prepareOffer(service.url, [quickStart]);
    const session = await openSession(link);
    const { notification_id } = answered(200, await requestCredential(session));
    const url = credentialAt(credentialIds[0]);
    expect((await erase(url)).status).toBe(204);
    const authorization = `Bearer ${session.accessToken}`;
    const notified = await send(`${session.offer.issuer}/notification`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ notification_id, event: 'credential_accepted' }),
    });
    expect(notified.status).toBe(204);
    expect((await get(url)).json).toMatchObject({ status: 'Accepted', credential: null, erasedAt: isoTime });
  });
});

describe('an erased credential', () => {
  it('can still be suspended and revoked, and verifiers see that', async () => {
    const templateId = await publishedTemplate(service.url, { revocable: true });
    const { link, credentialIds } = await prepareOffer(service.url, [templateId]);
    await receive(link);
    const url = credentialAt(credentialIds[0]);
    expect((await erase(url)).status).toBe(204);
    expect((await postJson(`${url}/suspend`, { reason: 'The phone was lost.' })).status).toBe(204);
    expect((await postJson(`${url}/revoke`, {})).status).toBe(204);
    expect((await get(url)).json).toMatchObject({ validity: 'Revoked', credential: null });
  });

  it('that a wallet waits for is denied to it, and takes no data any more', async () => {
    const templateId = await publishedTemplate(service.url);
    const { offerId, link } = await deferredOffer(service.url, [templateId]);
    const session = await openSession(link);
    const deferred = answered(202, await requestCredential(session));
    const [requested] = await credentialsOfOffer(service.url, offerId);
    expect((await erase(credentialAt(String(requested?.['credentialId'])))).status).toBe(204);
    const body = { offerId, templateId, credential: { credentialSubject: { given_name: 'Erika' } } };
    expectProblem(await submit(service.url, body), 409, 'conflict');
    const refused = await collect(session, deferred['transaction_id']);
    expectRefusal(refused, 400, 'credential_request_denied');
    expect(refused.json['error_description']).toBe('The data of this credential has been erased.');
  });
});

describe('the description of a transaction code', () => {
  const txCode = { length: 6, description: 'Sent to Erika, Heidestrasse 17' };
  const setCode = async (offerId: string, status: number): Promise<void> => {
    answered(status, await postJson(`${service.url}/v0/offers`, { offerId, txCode }));
  };
  const keyOf = (offerId: string) => service.app.get(EventStore).dataKeyOf(`offer-${offerId}`);
  const stepsOf = async (offerId: string): Promise<unknown[]> => {
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    return (timeline as Json[]).map(({ step }) => step);
  };

  it('is erased with a credential of the offer, also one that came after an earlier erasure', async () => {
    const { offerId, credentialIds } = await prepareOffer(service.url);
    await setCode(offerId, 200);
    for (const step of ['first', 'second']) {
      expect([step, await keyOf(offerId)]).toEqual([step, expect.any(Buffer)]);
      expect((await erase(credentialAt(credentialIds[0]))).status).toBe(204);
      expect([step, await keyOf(offerId)]).toEqual([step, undefined]);
      if (step === 'first') await setCode(offerId, 200);
    }
    expect((await stepsOf(offerId)).filter((step) => step === 'personal data erased')).toHaveLength(2);
  });

  it('is erased when the offer is withdrawn, which may have no credential yet', async () => {
    const offerId = randomUUID();
    await setCode(offerId, 201);
    expect(await keyOf(offerId)).toEqual(expect.any(Buffer));
    for (let times = 0; times < 2; times++) {
      expect((await send(`${service.url}/v0/offers/${offerId}`, { method: 'DELETE' })).status).toBe(204);
      expect(await keyOf(offerId)).toBeUndefined();
    }
    expect(await stepsOf(offerId)).toEqual(['created', 'withdrawn', 'personal data erased']);
  });
});

describe('erasing the personal data of an authorization request', () => {
  async function verified(): Promise<Asked> {
    const asked = await ask(service.url, { dcql_query: { credentials: [degree] } });
    const received = await receiveRequest(asked);
    const token = presentJwtVc([holdings.jwtVc], holdings.holder, received);
    answered(200, await respond(received, { tokens: { [degree.id]: token } }));
    return asked;
  }

  it('takes what was presented from its view and leaves status and timeline', async () => {
    const asked = await verified();
    expect(JSON.stringify(await resultOf(asked))).toContain('Zwergspitzmaus');
    const url = requestAt(asked.state);
    expect((await erase(url)).status).toBe(204);
    const after = await resultOf(asked);
    expect(after).toMatchObject({ status: 'verified', vp_token: null, credentials: [], erasedAt: isoTime });
    const steps = (after['timeline'] as Json[]).map(({ step }) => step);
    expect(steps).toEqual(['requested', 'retrieved', 'presented', 'personal data erased']);
    const tag = (await get(url)).headers.get('etag');
    expect((await erase(url)).status).toBe(204);
    expect((await get(url)).headers.get('etag')).toBe(tag);
    expect(await listed('authorization_requests', { state: asked.state })).toMatchObject({ erasedAt: isoTime });
  });

  it('happens only to the version that If-Match names, and to a request that exists', async () => {
    const { state } = await ask(service.url, { dcql_query: { credentials: [degree] } });
    expectProblem(await erase(requestAt(state), { 'if-match': '"7"' }), 412, 'version-conflict');
    expect((await get(requestAt(state))).json['erasedAt']).toBeUndefined();
    expectProblem(await erase(requestAt(randomUUID())), 404, 'not-found');
  });

  it('ends a request that is open: no wallet can fetch or answer it', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [degree] } });
    const received = await receiveRequest(asked);
    await erase(requestAt(asked.state));
    const uri = new URL(linkOf(asked)).searchParams.get('request_uri') ?? '';
    expect((await get(uri)).status).toBe(404);
    const picture = await get(`${requestAt(asked.state)}/qr.svg`);
    expectProblem(picture, 404, 'not-found');
    expect(picture.json['detail']).toContain('was erased: it has no link any more');
    const token = presentJwtVc([holdings.jwtVc], holdings.holder, received);
    expectRefusal(await respond(received, { tokens: { [degree.id]: token } }), 400, 'invalid_request');
    expect(await resultOf(asked)).toMatchObject({ status: 'retrieved', credentials: [] });
  });
});

describe('the store after erasures', () => {
  it('is what its events say', async () => {
    await receive((await prepareOffer(service.url)).link);
    const { differing, findings } = await service.app.get(EventStore).verify();
    expect([differing, findings]).toEqual([[], 0]);
  });
});
