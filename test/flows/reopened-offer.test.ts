import { randomUUID } from 'node:crypto';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { credentialStatus, offerState, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { offerUri, openSession, readOffer, receive, redeem, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile();

const reopen = (offerId: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Reply> =>
  postJson(`${service.url}/v0/offers/${offerId}/reopen`, body, headers);

describe('an offer that was redeemed by a wallet that got no credential', () => {
  it('gets a new link, and everything of the old one is invalid', async () => {
    const { offerId, link, credentialIds } = await prepareOffer(service.url);
    const unused = await readOffer(link);
    const lost = await openSession(link);
    const answer = answered(200, await reopen(offerId, { expiresIn: 'PT1H' }));
    expect(answer).toMatchObject({ offerId, state: 'Open' });
    expect(answer).not.toHaveProperty('txCode');
    const another = String(answer['credentialOffer']);
    expect(another).not.toBe(link);

    expect((await get(offerUri(link))).status).toBe(404);
    for (const offer of [unused, lost.offer]) expectRefusal(await redeem(offer), 400, 'invalid_grant');
    expectRefusal(await requestCredential(lost), 401, 'invalid_token');
    expect(await credentialStatus(service.url, credentialIds[0] ?? '')).toBe('Prepared');
    expect(await receive(another)).toHaveLength(1);
    expect(await offerState(service.url, offerId)).toBe('Redeemed');
  });

  it('shows in its timeline who reopened it and when', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    await openSession(link);
    answered(200, await reopen(offerId));
    const { timeline, redeemedAt } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    const last = (timeline as Json[]).at(-1);
    expect(last).toMatchObject({ step: 'reopened', outcome: 'ok', at: expect.any(String) });
    expect(last?.['detail']).toMatch(/^By local\. /);
    expect(redeemedAt).toBeUndefined();
  });

  it('is reopened once for one Idempotency-Key', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    await openSession(link);
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = answered(200, await reopen(offerId, { txCode: true }, headers));
    expect(answered(200, await reopen(offerId, { txCode: true }, headers))).toEqual(first);
    expectProblem(await reopen(offerId, { txCode: true }), 409, 'conflict');
  });

  it('is reopened for one of many concurrent requests', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    await openSession(link);
    const replies = await Promise.all(Array.from({ length: 10 }, () => reopen(offerId)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
  });
});

describe('an offer with a transaction code', () => {
  const wrongOf = (code: string): string => (code.startsWith('0') ? `1${code.slice(1)}` : `0${code.slice(1)}`);

  it('that was locked needs the same code again, and locks again after five wrong ones', async () => {
    const { offerId, link, txCode = '' } = await prepareOffer(service.url, [quickStart], { txCode: true });
    const lock = async (offer: Awaited<ReturnType<typeof readOffer>>): Promise<void> => {
      for (let guess = 0; guess < 5; guess++) {
        expectRefusal(await redeem(offer, { tx_code: wrongOf(txCode) }), 400, 'invalid_grant');
      }
      expect(await offerState(service.url, offerId)).toBe('Locked');
    };
    await lock(await readOffer(link));
    await lock(await readOffer(String(answered(200, await reopen(offerId))['credentialOffer'])));
    const offer = await readOffer(String(answered(200, await reopen(offerId))['credentialOffer']));
    expect(offer.txCode).toMatchObject({ length: 6 });
    expectRefusal(await redeem(offer), 400, 'invalid_request');
    answered(200, await redeem(offer, { tx_code: txCode }));
  });

  it('gets another code on request, returned once, and the former one is invalid', async () => {
    const { offerId, link, txCode = '' } = await prepareOffer(service.url, [quickStart], { txCode: true });
    await openSession(link, 'F', { tx_code: txCode });
    const answer = answered(200, await reopen(offerId, { txCode: { length: 8 } }));
    const code = String(answer['txCode']);
    expect(code).toMatch(/^\d{8}$/);
    expect((await get(`${service.url}/v0/offers/${offerId}`)).text).not.toContain(code);
    const offer = await readOffer(String(answer['credentialOffer']));
    expectRefusal(await redeem(offer, { tx_code: txCode }), 400, 'invalid_grant');
    answered(200, await redeem(offer, { tx_code: code }));
  });
});

describe('an offer is not reopened', () => {
  it('once a credential of it was issued', async () => {
    const { offerId, link } = await prepareOffer(service.url, [quickStart, await publishedTemplate(service.url)]);
    const session = await openSession(link);
    const holders = [newHolder()];
    answered(200, await requestCredential(session, { holders }));
    const refused = await reopen(offerId);
    expectProblem(refused, 409, 'conflict');
    expect(refused.json['detail']).toContain('has issued a credential');
    answered(200, await requestCredential(session, { holders }));
  });

  it('while it is open, and after it was withdrawn', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    expectProblem(await reopen(offerId), 409, 'conflict');
    await readOffer(link);
    await send(`${service.url}/v0/offers/${offerId}`, { method: 'DELETE' });
    expectProblem(await reopen(offerId), 409, 'conflict');
  });

  it('when it is public', async () => {
    const schema = { type: 'object', properties: { event: { const: 'Open day' } } };
    const body = {
      offerId: randomUUID(),
      templateIds: [await publishedTemplate(service.url, { schema })],
      public: true,
    };
    answered(201, await postJson(`${service.url}/v0/offers`, body));
    expectProblem(await reopen(body.offerId), 409, 'conflict');
  });

  it('when it does not exist', async () => {
    expectProblem(await reopen('unknown'), 404, 'missing-credential-offer');
  });

  it.each([
    [{ txCode: false }, '/txCode'],
    [{ txCode: { length: 3 } }, '/txCode/length'],
    [{ expiresIn: 'P91D' }, '/expiresIn'],
    [{ templateIds: ['x'] }, '/templateIds'],
  ])('by the body %j', async (body, pointer) => {
    const { offerId, link } = await prepareOffer(service.url);
    await openSession(link);
    const refused = await reopen(offerId, body);
    expectProblem(refused, 400, 'validation-failed');
    expect(refused.json['violations']).toMatchObject([{ pointer }]);
    expect(await offerState(service.url, offerId)).toBe('Redeemed');
  });
});
