import { SealedTokens } from '@app/keys';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { claims, prepareOffer, publishedTemplate } from '../support/portal/portal';
import { storedEvents, storedRows } from '../support/database/stored-rows';
import { serviceOfFile } from '../support/service/service-of-file';
import { foreignSdJwt } from '../support/presenters/credentials';
import { collect, credentialsOfOffer, deferredOffer, submit } from '../support/wallets/deferred';
import { newHolder } from '../support/wallets/key-proofs';
import { openSession, requestCredential, type Session } from '../support/wallets/wallet';

const day = 24 * 60 * 60 * 1000;

const service = serviceOfFile();
let templateId: string;
beforeAll(async () => {
  templateId = await publishedTemplate(service.url);
});

interface Waiting {
  readonly offerId: string;
  readonly session: Session;
  readonly credentialId: string;
  readonly transactionId: string;
}

/** @param expiresIn milliseconds for which the token of the wallet is still valid */
async function waiting({ template = templateId, holder = newHolder(), expiresIn = 31 * day } = {}): Promise<Waiting> {
  const { offerId, link } = await deferredOffer(service.url, [template]);
  const opened = await openSession(link);
  const session = { ...opened, accessToken: withExpiry(opened.accessToken, expiresIn) };
  const { transaction_id } = answered(202, await requestCredential(session, { holders: [holder] }));
  const [credential] = await credentialsOfOffer(service.url, offerId);
  return {
    offerId,
    session,
    credentialId: String(credential?.['credentialId']),
    transactionId: String(transaction_id),
  };
}

/** The same token as at another time. */
function withExpiry(accessToken: string, expiresIn: number): string {
  const grant = Buffer.from(accessToken, 'base64url').subarray(0, 32);
  return service.app.get(SealedTokens).issue('deferred-access-token', grant, new Date(Date.now() + expiresIn));
}

/** An id of the first credential of the grant. */
function transactionId({ accessToken }: Session, expiresIn: number): string {
  const grant = Buffer.from(accessToken, 'base64url').subarray(0, 32).toString('hex');
  const expiry = new Date(Date.now() + expiresIn);
  return service.app.get(SealedTokens).issue('transaction', Buffer.from([0, 0]), expiry, grant);
}

function dataFor(offerId: string, credential: Json = { credentialSubject: claims }): Json {
  return { offerId, templateId, credential };
}

describe('the deferred credential endpoint', () => {
  let wallet: Waiting;
  let other: Waiting;
  beforeAll(async () => {
    wallet = await waiting();
    other = await waiting();
  });

  it.each([
    ['unknown', () => 'c29tZXRoaW5n'],
    ['of another access token', () => other.transactionId],
    ['with a changed character', () => wallet.transactionId.replace(/^./, (one) => (one === 'A' ? 'B' : 'A'))],
    ['that has expired', () => transactionId(wallet.session, -1000)],
    ['longer than any', () => 'a'.repeat(5_000)],
    ['empty', () => ''],
  ])('rejects a transaction_id %s', async (_, id) => {
    const before = await storedRows(service);
    expectRefusal(await collect(wallet.session, id()), 400, 'invalid_transaction_id');
    expect(await storedRows(service)).toEqual(before);
  });

  it.each([
    ['no transaction_id', { transaction_id: undefined }, 'invalid_credential_request'],
    ['a transaction_id that is no text', { transaction_id: 7 }, 'invalid_credential_request'],
    [
      'response encryption that is asked for in clear',
      { credential_response_encryption: {} },
      'invalid_encryption_parameters',
    ],
  ])('rejects a request with %s', async (_, changes: Json, error) => {
    expectRefusal(await collect(wallet.session, wallet.transactionId, changes), 400, error);
  });

  it('rejects a body that is no JSON object', async () => {
    const url = String(wallet.session.metadata['deferred_credential_endpoint']);
    const authorization = `Bearer ${wallet.session.accessToken}`;
    for (const body of ['', '[]', '{']) {
      const init = { method: 'POST', body, headers: { authorization, 'content-type': 'application/json' } };
      expectRefusal(await send(url, init), 400, 'invalid_credential_request');
    }
  });

  it('wants the access token before anything else', async () => {
    const accessToken = withExpiry(wallet.session.accessToken, -1);
    expectRefusal(await collect(wallet.session, 'unknown', { accessToken }), 401, 'invalid_token');
    const { accessToken: foreign } = other.session;
    expectRefusal(
      await collect(wallet.session, wallet.transactionId, { accessToken: foreign }),
      400,
      'invalid_transaction_id',
    );
    const bare = await postJson(String(wallet.session.metadata['deferred_credential_endpoint']), {});
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it('rejects ids for what was never deferred', async () => {
    const session = await openSession((await prepareOffer(service.url)).link);
    answered(200, await requestCredential(session));
    expectRefusal(await collect(session, transactionId(session, day)), 400, 'invalid_transaction_id');
  });

  it('answers two requests at once alike, and the issue is recorded once', async () => {
    const { offerId, session, transactionId } = await waiting();
    const { credentialId } = answered(201, await submit(service.url, dataFor(offerId)));
    const answers = await Promise.all([collect(session, transactionId), collect(session, transactionId)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const events = await storedEvents(service, `credential-${String(credentialId)}`);
    expect(events.filter((type) => type === 'CredentialIssued')).toHaveLength(1);
  });
});

describe('a wallet that waits in vain', () => {
  it('hears that the data has not come in time, and the portal that it comes too late', async () => {
    const { offerId, session, transactionId } = await waiting({ expiresIn: day / 2 });
    const refused = await collect(session, transactionId);
    expectRefusal(refused, 400, 'credential_request_denied');
    expect(refused.json['error_description']).toContain('in time');
    const late = await submit(service.url, dataFor(offerId));
    expectProblem(late, 409, 'conflict');
    expect(late.json['detail']).toContain('cannot be fetched any more');
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect(timeline).toContainEqual(expect.objectContaining({ step: 'credential denied', outcome: 'refused' }));
  });

  it('is denied while the template is archived, and waits on when it is restored', async () => {
    const template = await publishedTemplate(service.url);
    const { session, transactionId } = await waiting({ template });
    const url = `${service.url}/v0/templates/${template}`;
    answered(200, await postJson(`${url}/archive`, ''));
    const refused = await collect(session, transactionId);
    expectRefusal(refused, 400, 'credential_request_denied');
    expect(refused.json['error_description']).toContain('no longer issued');
    answered(200, await postJson(`${url}/publish`, ''));
    answered(202, await collect(session, transactionId));
  });

  it('is denied when its personal data was erased', async () => {
    const { offerId, session, credentialId, transactionId } = await waiting();
    const url = `${service.url}/v0/credentials/${credentialId}`;
    expect((await send(`${url}/personal_data`, { method: 'DELETE' })).status).toBe(204);
    expectRefusal(await collect(session, transactionId), 400, 'credential_request_denied');
    const late = await submit(service.url, dataFor(offerId));
    expectProblem(late, 409, 'conflict');
    expect(late.json['detail']).toContain('erased');
    expectProblem(await postJson(`${url}/deny`, { reason: 'No.' }), 409, 'conflict');
    expect(answered(200, await get(url))).toMatchObject({ status: 'Requested', credential: null });
  });
});

describe('a portal', () => {
  it.each([
    ['by a proof that names it', newHolder('ES256', 'did:jwk')],
    ['by its key', { ...newHolder('ES256', 'did:jwk'), naming: 'jwk' as const }],
  ])('cannot submit data for another DID than the waiting wallet has proved %s', async (_, proved) => {
    const holder = proved.naming === 'jwk' ? { ...proved, header: { jwk: proved.jwk } } : proved;
    const { offerId, credentialId } = await waiting({ holder });
    const foreign = { ...claims, id: 'did:example:somebody-else' };
    const refused = await submit(service.url, dataFor(offerId, { credentialSubject: foreign }));
    expectProblem(refused, 400, 'invalid-credential-payload');
    expect(refused.json['violations']).toMatchObject([{ pointer: '/credential/credentialSubject/id' }]);
    const signed = await submit(service.url, { ...dataFor(offerId), credential: foreignSdJwt(holder, newHolder()) });
    expectProblem(signed, 400, 'invalid-credential-payload');
    expect(signed.json['violations']).toMatchObject([{ pointer: '/credential' }]);
    const own = { ...claims, id: holder.did };
    const submitted = await submit(service.url, dataFor(offerId, { credentialSubject: own }));
    expect(answered(201, submitted)['credentialId']).toBe(credentialId);
  });

  it.each([
    ['no reason', {}],
    ['an empty reason', { reason: '' }],
    ['an endless reason', { reason: 'a'.repeat(301) }],
    ['a reason that no wallet can be sent', { reason: 'Keine Pr\u00fcfung bestanden.' }],
    ['a reason of two lines', { reason: 'No.\nReally.' }],
    ['members it does not know', { reason: 'No.', code: 7 }],
  ])('cannot deny with %s', async (_, body) => {
    const { credentialId } = await waiting();
    const refused = await postJson(`${service.url}/v0/credentials/${credentialId}/deny`, body);
    expectProblem(refused, 400, 'validation-failed');
  });

  it('cannot deny what no wallet waits for', async () => {
    expectProblem(await postJson(`${service.url}/v0/credentials/unknown/deny`, { reason: 'No.' }), 404, 'not-found');
    const { credentialIds, offerId } = await prepareOffer(service.url);
    const refused = await postJson(`${service.url}/v0/credentials/${String(credentialIds[0])}/deny`, { reason: 'No.' });
    expectProblem(refused, 409, 'conflict');
    expect(refused.json['detail']).toContain(`withdraw its offer ${offerId}`);
  });

  it.each([
    ['without templates', { offerId: 'deferred-without', deferred: true }],
    ['for everyone', { templateIds: ['any'], deferred: true, public: true }],
    ['in words', { templateIds: ['any'], deferred: 'yes' }],
  ])('cannot open a deferred offer %s', async (_, body) => {
    expectProblem(await postJson(`${service.url}/v0/offers`, body), 400, 'validation-failed');
  });
});
