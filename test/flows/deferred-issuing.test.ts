import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { claims, credentialStatus, publishedTemplate } from '../support/portal/portal';
import { storedEvents } from '../support/database/stored-rows';
import { serviceOfFile } from '../support/service/service-of-file';
import { contentOf } from '../support/wallets/credentials';
import { collect, credentialsOfOffer, deferredOffer, submit } from '../support/wallets/deferred';
import { newHolder } from '../support/wallets/key-proofs';
import { credentialsOf, nonceFrom, openSession, requestClasses, requestCredential } from '../support/wallets/wallet';

const service = serviceOfFile();
let templateId: string;
let w3cTemplateId: string;
beforeAll(async () => {
  templateId = await publishedTemplate(service.url);
  w3cTemplateId = await publishedTemplate(service.url, { format: 'jwt_vc_json', vct: undefined });
});

/** A wallet that has asked for the credential of a new deferred offer. */
async function waitingWallet(
  requestClass: (typeof requestClasses)[number] = 'F',
  holders = [newHolder()],
  template = templateId,
) {
  const { offerId, link } = await deferredOffer(service.url, [template]);
  const session = await openSession(link, requestClass);
  const deferred = answered(202, await requestCredential(session, { holders }));
  const [requested] = await credentialsOfOffer(service.url, offerId);
  const credentialId = String(requested?.['credentialId']);
  return { offerId, session, deferred, holders, credentialId, transactionId: deferred['transaction_id'] };
}

function dataFor(offerId: string, changes: Json = {}): Json {
  return { offerId, templateId, credential: { credentialSubject: claims }, ...changes };
}

/** What names the holder in a credential. */
function holderOf(credential = ''): unknown {
  const { claims: contained, payload } = contentOf(credential);
  return contained['cnf'] ?? payload['sub'] ?? payload['cnf'];
}

async function timelineOf(offerId: string): Promise<Json[]> {
  return answered(200, await get(`${service.url}/v0/offers/${offerId}`))['timeline'] as Json[];
}

/** Drafts before 1.0 hear by an error that they have to wait longer. */
const isFinal = (requestClass: string) => requestClass === 'F';

describe.each(requestClasses)('a wallet (%s) that accepts an offer before its data is there', (requestClass) => {
  it('waits, and gets the credential for the keys of its request when the data was submitted', async () => {
    // A request of draft 11 has the types of a W3C credential.
    const template = requestClass === 'L11' ? w3cTemplateId : templateId;
    const wallet = await waitingWallet(requestClass, [newHolder()], template);
    const { offerId, session, deferred, credentialId, transactionId } = wallet;
    expect(deferred).toMatchObject({ transaction_id: expect.any(String) as unknown, interval: 5 });
    expect('c_nonce' in deferred).toBe(!isFinal(requestClass));

    const early = await collect(session, transactionId);
    if (isFinal(requestClass)) expect(answered(202, early)).toEqual({ transaction_id: transactionId, interval: 5 });
    else {
      expectRefusal(early, 400, 'issuance_pending');
      expect(early.json['interval']).toBe(5);
    }

    const submitted = answered(201, await submit(service.url, dataFor(offerId, { templateId: template })));
    expect(submitted).toMatchObject({ credentialId, status: 'Prepared' });
    const ready = answered(200, await collect(session, transactionId));
    const [credential = ''] = credentialsOf(ready);
    expect(contentOf(credential).claims).toMatchObject({ given_name: claims.given_name });
    expect(await credentialStatus(service.url, credentialId)).toBe('Issued');

    // The answer was lost: it is given again, without a second issue.
    const again = credentialsOf(answered(200, await collect(session, transactionId)));
    expect(holderOf(again[0])).toEqual(holderOf(credential));
    expect(holderOf(credential)).toBeDefined();
    expect(await storedEvents(service, `credential-${credentialId}`)).toEqual([
      'CredentialRequested',
      'CredentialPrepared',
      'CredentialIssued',
    ]);

    // Many wallets of 1.0 would lose a deferred credential that comes with one.
    expect('notification_id' in ready).toBe(!isFinal(requestClass));
    if (isFinal(requestClass)) return;
    const notification = { notification_id: ready['notification_id'], event: 'credential_accepted' };
    const headers = { authorization: `Bearer ${session.accessToken}` };
    expect((await postJson(String(session.metadata['notification_endpoint']), notification, headers)).status).toBe(204);
    expect(await credentialStatus(service.url, credentialId)).toBe('Accepted');
    expectRefusal(await collect(session, transactionId), 400, 'invalid_transaction_id');
  });
});

describe('a wallet of draft 11', () => {
  it('asks with an acceptance token alone, which is good for nothing else', async () => {
    const { offerId, session, deferred } = await waitingWallet('L11', [newHolder()], w3cTemplateId);
    const acceptance = { authorization: `Bearer ${String(deferred['acceptance_token'])}` };
    const ask = () =>
      send(String(session.metadata['deferred_credential_endpoint']), { method: 'POST', headers: acceptance });
    expectRefusal(await ask(), 400, 'issuance_pending');
    answered(201, await submit(service.url, dataFor(offerId, { templateId: w3cTemplateId })));
    expect(credentialsOf(answered(200, await ask()))).toHaveLength(1);
    expectRefusal(await requestCredential(session, { headers: acceptance }), 401, 'invalid_token');
  });
});

describe('a portal', () => {
  it('sees which wallets wait for data, in the list of credentials and in the offer', async () => {
    const { offerId, credentialId } = await waitingWallet();
    const listed = answered(200, await get(`${service.url}/v0/credentials?status=Requested&limit=200`));
    const own = (listed['items'] as Json[]).find((one) => one['credentialId'] === credentialId);
    expect(own).toMatchObject({
      offerId,
      templateId,
      status: 'Requested',
      submittableUntil: expect.any(String) as unknown,
    });
    expect(own).not.toHaveProperty('expiresAt');
    const one = answered(200, await get(`${service.url}/v0/credentials/${credentialId}`));
    expect(one).toMatchObject({ status: 'Requested', credential: null });
    const offer = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect(offer).toMatchObject({
      state: 'Redeemed',
      deferred: true,
      credentials: [{ configurationId: templateId, credentialId, awaitsData: true }],
    });
    expect((await timelineOf(offerId)).map(({ step }) => step)).toEqual([
      'created',
      'fetched',
      'redeemed',
      'credential requested',
    ]);
  });

  it('submits the data under the id of the requested credential or without one, and once', async () => {
    const { offerId, credentialId } = await waitingWallet();
    const other = await submit(service.url, dataFor(offerId, { credentialId: 'my-own-id' }));
    expectProblem(other, 409, 'conflict');
    expect(other.json['detail']).toContain(credentialId);
    answered(201, await submit(service.url, dataFor(offerId, { credentialId })));
    expectProblem(await submit(service.url, dataFor(offerId)), 409, 'conflict');
    expectProblem(await submit(service.url, dataFor(offerId, { credentialId })), 409, 'conflict');
    expect((await timelineOf(offerId)).at(-1)).toMatchObject({ step: 'credential attached' });
  });

  it('denies a credential with a reason, which the wallet gets', async () => {
    const { offerId, session, credentialId, transactionId } = await waitingWallet();
    const url = `${service.url}/v0/credentials/${credentialId}`;
    const reason = 'No membership of yours was found; please call us.';
    for (let times = 0; times < 2; times++) expect((await postJson(`${url}/deny`, { reason })).status).toBe(204);
    expectProblem(await postJson(`${url}/deny`, { reason: 'Another one.' }), 409, 'conflict');
    const refused = await collect(session, transactionId);
    expectRefusal(refused, 400, 'credential_request_denied');
    expect(refused.json['error_description']).toBe(reason);
    const repeated = await requestCredential(session, {});
    expectRefusal(repeated, 400, 'credential_request_denied');
    expect(answered(200, await get(url))).toMatchObject({ status: 'Denied', reason, credential: null });
    expectProblem(await submit(service.url, dataFor(offerId)), 409, 'conflict');
    expect(await timelineOf(offerId)).toContainEqual(
      expect.objectContaining({ step: 'credential denied', outcome: 'refused' }),
    );
    expectProblem(await postJson(`${service.url}/v0/offers/${offerId}/reopen`, {}), 409, 'conflict');
  });

  it('gives the link anew to a person whose wallet is gone: the new wallet gets the credential, the former one nothing', async () => {
    const { offerId, session, credentialId, transactionId } = await waitingWallet();
    const reopened = answered(200, await postJson(`${service.url}/v0/offers/${offerId}/reopen`, {}));
    const other = await openSession(String(reopened['credentialOffer']));
    const holders = [newHolder()];
    const deferred = answered(202, await requestCredential(other, { holders }));
    answered(201, await submit(service.url, dataFor(offerId, { credentialId })));
    expectRefusal(await collect(session, transactionId), 401, 'invalid_token');
    const [credential = ''] = credentialsOf(answered(200, await collect(other, deferred['transaction_id'])));
    expect(contentOf(credential).claims['cnf']).toMatchObject({ jwk: { x: holders[0]?.jwk.x } });
  });
});

describe('a wallet that waits', () => {
  it('is given the same id when it repeats its request, and nothing for other keys', async () => {
    const { offerId, session, holders, transactionId } = await waitingWallet();
    expect(answered(202, await requestCredential(session, { holders }))['transaction_id']).toBe(transactionId);
    expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
    answered(201, await submit(service.url, dataFor(offerId)));
    expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
    expect(credentialsOf(answered(200, await requestCredential(session, { holders })))).toHaveLength(1);
  });

  it('gets one credential for each key of its request', async () => {
    const holders = [newHolder(), newHolder(), newHolder()];
    const { offerId, session, transactionId } = await waitingWallet('F', holders);
    answered(201, await submit(service.url, dataFor(offerId)));
    expect(credentialsOf(answered(200, await collect(session, transactionId)))).toHaveLength(3);
  });

  it('gets what is ready at once, and waits for the other credential of its offer alone', async () => {
    const other = await publishedTemplate(service.url);
    const { offerId, link } = await deferredOffer(service.url, [templateId, other]);
    answered(201, await submit(service.url, dataFor(offerId)));
    const session = await openSession(link);
    const nonce = await nonceFrom(session.offer.issuer);
    answered(200, await requestCredential(session, { configurationId: templateId, nonce }));
    const holders = [newHolder()];
    const request = { configurationId: other, nonce, holders };
    const { transaction_id: id } = answered(202, await requestCredential(session, request));
    expectRefusal(await requestCredential(session, request), 400, 'invalid_nonce');
    answered(201, await submit(service.url, dataFor(offerId, { templateId: other })));
    expect(credentialsOf(answered(200, await collect(session, id)))).toHaveLength(1);
  });

  it('gets a credential that was signed elsewhere, unchanged', async () => {
    const { offerId, link } = await deferredOffer(service.url, [templateId]);
    answered(201, await submit(service.url, dataFor(offerId)));
    const holders = [newHolder()];
    const session = await openSession(link);
    const [signed = ''] = credentialsOf(answered(200, await requestCredential(session, { holders })));
    const wallet = await waitingWallet('F', holders);
    answered(201, await submit(service.url, dataFor(wallet.offerId, { credential: signed })));
    expect(credentialsOf(answered(200, await collect(wallet.session, wallet.transactionId)))).toEqual([signed]);
  });

  it('has a token that outlives the deferral, while that of any other offer lives five minutes', async () => {
    const { session } = await waitingWallet();
    expect(session.token['expires_in']).toBe(31 * 24 * 60 * 60);
  });

  it('and data that come at the same moment lead to one credential', async () => {
    const offers = await Promise.all(Array.from({ length: 8 }, () => deferredOffer(service.url, [templateId])));
    for (const { offerId, link } of offers) {
      const session = await openSession(link);
      const nonce = await nonceFrom(session.offer.issuer);
      const holders = [newHolder()];
      const [answer, submitted] = await Promise.all([
        requestCredential(session, { holders, nonce }),
        submit(service.url, dataFor(offerId)),
      ]);
      const { credentialId } = answered(201, submitted);
      const last = answer.status === 202 ? await collect(session, answer.json['transaction_id']) : answer;
      expect(credentialsOf(answered(200, last))).toHaveLength(1);
      expect((await credentialsOfOffer(service.url, offerId)).map((one) => one['credentialId'])).toEqual([
        credentialId,
      ]);
    }
  });
});
