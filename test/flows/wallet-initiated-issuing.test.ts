import { developmentClaims } from '@app/templates';
import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { startWebhookReceiver, type WebhookReceiver } from '../support/counterparts/webhook-receiver';
import { storedEvents } from '../support/database/stored-rows';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postForm, postJson, send } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { idCard } from '../support/presenters/holdings';
import { type RunningService, startService } from '../support/service/service';
import { authorizedSession, credentialsOfAuthorization, type TestPerson } from '../support/wallets/authorized';
import { authorize, codeForm, FormBrowser, pushRequest, wayBack } from '../support/wallets/authorization';
import { contentOf } from '../support/wallets/credentials';
import { collect } from '../support/wallets/deferred';
import { dpopProof, newDpopKey } from '../support/wallets/dpop';
import { keyProof, newHolder } from '../support/wallets/key-proofs';
import { credentialsOf, nonceFrom, offerUri, requestCredential, type Session } from '../support/wallets/wallet';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const tester: TestPerson = { source: 'development', claims: developmentClaims('ada.lovelace') };
const student: TestPerson = { source: 'openid', claims: { given_name: 'Erika', number: 4711, sub: 'u1' } };
const schema = { type: 'object', properties: { given_name: { type: 'string' }, level: { type: 'integer' } } };

let portal: WebhookReceiver;
let service: RunningService;
beforeAll(async () => {
  portal = await startWebhookReceiver();
  service = await startService({
    SERVICE__IDENTIFICATION__DATA_URL: `${portal.url}/data`,
    SERVICE__IDENTIFICATION__DATA_SECRET: secret,
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: portal.host,
  });
});
afterAll(async () => {
  await service.stop();
  await portal.stop();
});

/** The portal answers each question with this. */
function portalAnswers(status: number, body?: unknown): void {
  portal.answerBy((_message, response: ServerResponse) => {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(text);
  });
}

async function template(changes: Json = {}): Promise<string> {
  return publishedTemplate(service.url, { schema, ...changes });
}

async function claimsIn(session: Session, holders = [newHolder()]): Promise<Json> {
  const [credential = ''] = credentialsOf(answered(200, await requestCredential(session, { holders })));
  return contentOf(credential).claims;
}

async function waiting(configurationId: string, person = student) {
  const session = await authorizedSession(service, [configurationId], person);
  const { transaction_id: transactionId } = answered(202, await requestCredential(session));
  const [credential] = await credentialsOfAuthorization(service.url, session.authorizationId);
  return { session, transactionId, credentialId: String(credential?.['credentialId']) };
}

describe('a credential that a wallet asks for by itself', () => {
  it('has the claims of the development login where a configuration says nothing, each time it is asked for', async () => {
    const templateId = await template();
    const session = await authorizedSession(service, [templateId], tester);
    const holders = [newHolder()];
    expect(await claimsIn(session, holders)).toMatchObject({ given_name: 'Ada' });
    expect(await claimsIn(session, holders)).toMatchObject({ given_name: 'Ada' });
    expectRefusal(await requestCredential(session), 400, 'credential_request_denied');

    const [credential] = await credentialsOfAuthorization(service.url, session.authorizationId);
    expect(credential).toMatchObject({ authorizationId: session.authorizationId, templateId, status: 'Issued' });
    expect(credential).not.toHaveProperty('offerId');
    const { timeline } = answered(
      200,
      await get(`${service.url}/v0/credentials/${String(credential?.['credentialId'])}`),
    );
    expect((timeline as Json[]).map(({ step }) => step)).toEqual(['prepared', 'issued', 'wallet refused']);
  });

  it('is issued once to two requests that come at once', async () => {
    const session = await authorizedSession(service, [await template()], tester);
    const holders = [newHolder()];
    const replies = await Promise.all([1, 2, 3].map(() => requestCredential(session, { holders })));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [credential] = await credentialsOfAuthorization(service.url, session.authorizationId);
    const events = await storedEvents(service, `credential-${String(credential?.['credentialId'])}`);
    expect(events).toEqual(['CredentialPrepared', 'CredentialIssued']);
  });

  it('has the claims that the template maps', async () => {
    const claims = { '/given_name': 'login:/given_name', '/level': 'login:/number' };
    const session = await authorizedSession(service, [await template({ claims })], student);
    expect(await claimsIn(session)).toMatchObject({ given_name: 'Erika', level: 4711 });
  });

  it('is denied when the template changed after the person was asked, or is only for offers', async () => {
    const claims = { '/given_name': 'login:/given_name' };
    for (const changes of [{ claims: { '/given_name': 'login:/name' } }, { claims: null, data: 'provided' }]) {
      const templateId = await template({ claims });
      const session = await authorizedSession(service, [templateId], student);
      const path = `${service.url}/v0/templates/${templateId}`;
      const changed = { ...changes, schema: { ...schema, required: ['given_name'] } };
      answered(
        200,
        await send(path, {
          method: 'PATCH',
          body: JSON.stringify(changed),
          headers: { 'content-type': 'application/json' },
        }),
      );
      expectRefusal(await requestCredential(session), 400, 'credential_request_denied');
    }
  });

  it('belongs to one of the configurations that were agreed to', async () => {
    const session = await authorizedSession(service, [await template()], tester);
    const foreign = await requestCredential(session, { configurationId: await template() });
    expectRefusal(foreign, 400, 'credential_request_denied');
  });

  it.each([
    ['a proof in the name of another client', { proof: { claims: { iss: 'https://other.example' } } }, 'invalid_proof'],
    [
      'an identifier that was not given',
      { body: { credential_configuration_id: undefined, credential_identifier: 'x' } },
      'unknown_credential_identifier',
    ],
    ['an identifier beside the configuration', { body: { credential_identifier: 'x' } }, 'invalid_credential_request'],
  ])('is not issued for %s', async (_what, changes, error) => {
    const session = await authorizedSession(service, [await template()], tester);
    expectRefusal(await requestCredential(session, changes), 400, error);
  });

  it('is not issued for a token in the query', async () => {
    const session = await authorizedSession(service, [await template()], tester);
    const endpoint = `${String(session.metadata['credential_endpoint'])}?access_token=${session.accessToken}`;
    expect((await postJson(endpoint, {})).status).toBe(401);
  });
});

describe('the page of a request that a wallet made by itself', () => {
  async function opened(...scopes: string[]): Promise<FormBrowser> {
    const pushed = await pushRequest(service.url, { scope: scopes.join(' ') });
    const browser = new FormBrowser(service.url);
    await browser.open(pushed.page);
    return browser;
  }

  it('says that the issuer makes an offer of what only offers give, and leads back to the wallet', async () => {
    for (const changes of [{ data: 'provided' }, { data: 'webhook', identification: 'portal' }]) {
      const browser = await opened(await template(), await template(changes));
      expect(browser.state).toBe('offer-needed');
      expect(wayBack(await browser.press('reject')).get('error')).toBe('access_denied');
    }
  });

  it('says that a template is archived, leaves it out beside others, and goes on when it is published again', async () => {
    const [kept, other] = [await template(), await template()];
    const act = async (action: string) =>
      answered(200, await postJson(`${service.url}/v0/templates/${other}/${action}`, ''));
    const alone = await opened(other);
    await act('archive');
    await alone.open(alone.address);
    expect(alone.state).toBe('not-issued');
    const both = await opened(kept, other);
    expect(both.state).not.toBe('not-issued');
    await act('publish');
    await alone.open(alone.address);
    expect(alone.state).not.toBe('not-issued');
  });

  it('leads back from credentials that identify the person in different ways', async () => {
    const presentation = { credentials: [{ ...idCard, claims: [{ path: ['given_name'] }] }] };
    const browser = await opened(await template(), await template({ data: 'webhook', presentation }));
    expect(browser.state).toBe('apart');
    expect(wayBack(await browser.press('reject')).get('error')).toBe('access_denied');
  });

  it('asks for no consent when a required claim is missing or wrong, and an event names it', async () => {
    for (const [changes, detail] of [
      [{ claims: { '/given_name': 'login:/nickname' } }, 'claims-missing: /given_name'],
      [{ claims: { '/given_name': 'login:/given_name', '/level': 'login:/email' } }, 'claims-invalid: /level'],
      [{ schema: { ...schema, required: ['level'] } }, 'claims-missing: /level'],
    ] as const) {
      const id = await template({ schema: { ...schema, required: ['given_name'] }, ...changes });
      const browser = await opened(id);
      const back = wayBack(await browser.press('login', { username: 'ada.lovelace' }));
      expect([back.get('error'), back.has('code')]).toEqual(['access_denied', false]);
      const { items } = answered(200, await get(`${service.url}/v0/authorizations?limit=1`));
      const [{ authorizationId } = {}] = items as Json[];
      const { timeline } = answered(200, await get(`${service.url}/v0/authorizations/${String(authorizationId)}`));
      expect(timeline).toContainEqual(expect.objectContaining({ step: 'refused', detail }));
    }
  });
});

describe('data that the portal is asked for', () => {
  it('is asked for once, signed, with what is known of the person, and serves every request', async () => {
    const before = portal.messages.length;
    const soon = new Date(Date.now() + 86_400_000).toISOString();
    portalAnswers(200, { credentialSubject: { given_name: 'Erika', level: 3 }, expiresAt: soon });
    const templateId = await template({ data: 'webhook' });
    const session = await authorizedSession(service, [templateId], student);
    const holders = [newHolder(), newHolder()];
    const copies = credentialsOf(answered(200, await requestCredential(session, { holders })));
    expect(copies.map((copy) => contentOf(copy).claims)).toEqual([
      expect.objectContaining({ given_name: 'Erika', level: 3 }),
      expect.objectContaining({ given_name: 'Erika', level: 3 }),
    ]);
    expect(await claimsIn(session, holders)).toMatchObject({ level: 3 });

    const asked = portal.messages.slice(before);
    expect(asked).toHaveLength(1);
    const [question] = asked;
    const headers = question?.headers as Record<string, string>;
    const { authorizationId } = session;
    expect(new Webhook(secret).verify(question?.text ?? '', headers)).toEqual({
      authorizationId,
      credentialId: `${authorizationId}.1`,
      credentialConfigurationId: templateId,
      person: student,
    });
    expect(headers['webhook-id']).toBe(`${authorizationId}.1`);
  });

  it.each([
    ['the offer', {}],
    ['the offer for everyone', { public: true }],
  ])('is asked for with %s that the wallet came by, also when its token is bound to a key', async (_what, kind) => {
    portalAnswers(200, { credentialSubject: { level: 3 } });
    const templateIds = [await template({ data: 'webhook', identification: 'development' })];
    const offerId = randomUUID();
    const body = { offerId, templateIds, grants: ['authorization_code'], ...kind };
    const offer = answered(201, await postJson(`${service.url}/v0/offers`, body));
    const grants = answered(200, await get(offerUri(String(offer['credentialOffer']))))['grants'] as Json;
    const { issuer_state: issuerState } = grants['authorization_code'] as Json;
    const pushed = await pushRequest(service.url, { scope: templateIds[0], issuer_state: String(issuerState) });
    const issuer = `${service.url}/openid4vci`;
    const key = newDpopKey();
    const form = Object.entries(codeForm(await authorize(service.url, pushed), pushed));
    const token = answered(200, await postForm(`${issuer}/token`, form, { dpop: dpopProof(key, `${issuer}/token`) }));
    const proof = keyProof(newHolder(), issuer, await nonceFrom(issuer));
    const request = { credential_configuration_id: templateIds[0], proofs: { jwt: [proof] } };
    const bound = String(token['access_token']);
    const headers = { authorization: `DPoP ${bound}`, dpop: dpopProof(key, `${issuer}/credential`, bound) };
    answered(200, await postJson(`${issuer}/credential`, request, headers));
    expect(portal.messages.at(-1)?.event).toMatchObject({ offerId, person: { source: 'development' } });
  });

  it('is not issued when the portal refuses, in words that the wallet shows', async () => {
    const templateId = await template({ data: 'webhook' });
    for (const [status, body, words] of [
      [404, { reason: 'You have no membership.' }, 'You have no membership.'],
      [403, { reason: 'naïve' }, 'The issuer does not issue this credential to you.'],
      [404, 'Not found', 'The issuer does not issue this credential to you.'],
    ] as const) {
      portalAnswers(status, body);
      const session = await authorizedSession(service, [templateId], student);
      const refused = await requestCredential(session);
      expectRefusal(refused, 400, 'credential_request_denied');
      expect(refused.json['error_description']).toBe(words);
    }
  });

  it('can come later, by the portal or by the next question', async () => {
    const templateId = await template({ data: 'webhook' });
    portalAnswers(202);
    const told = await waiting(templateId);
    const headers = { 'content-type': 'application/json' };
    const put = (body: Json, id = told.session.authorizationId) =>
      send(`${service.url}/v0/authorizations/${id}/credential`, { method: 'PUT', body: JSON.stringify(body), headers });
    const wrong = await put({ credentialSubject: { level: 'three' } });
    expectProblem(wrong, 422, 'credential-schema-validation-failed');
    expect(wrong.json['violations']).toMatchObject([{ pointer: '/credentialSubject/level' }]);
    expect(answered(200, await put({ credentialSubject: { level: 1 } }))).toMatchObject({ status: 'Prepared' });
    expectProblem(await put({ credentialSubject: { level: 2 } }), 409, 'conflict');
    const [credential = ''] = credentialsOf(answered(200, await collect(told.session, told.transactionId)));
    expect(contentOf(credential).claims).toMatchObject({ level: 1 });

    const asked = await waiting(templateId);
    portalAnswers(200, { credentialSubject: { level: 2 } });
    const [another = ''] = credentialsOf(answered(200, await collect(asked.session, asked.transactionId)));
    expect(contentOf(another).claims).toMatchObject({ level: 2 });
    expectProblem(await put({ credentialSubject: {} }, 'nobody'), 404, 'not-found');
  });

  it.each([
    ['an error', 500, {}, 'none of 200'],
    ['a redirect', 302, {}, 'redirects'],
    ['no JSON', 200, 'hello', 'no JSON object'],
    ['claims that the schema does not take', 200, { credentialSubject: { level: 'three' } }, '(/level)'],
    ['claims that no credential may have', 200, { credentialSubject: { _sd: [] } }, '(/_sd)'],
    ['an expiry in the past', 200, { credentialSubject: {}, expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt'],
    ['two megabytes', 200, { credentialSubject: { given_name: 'x'.repeat(2 ** 21) } }, 'larger than'],
    [
      'the data of another authorization',
      200,
      { authorizationId: 'x', credentialSubject: { level: 3 } },
      'another authorization',
    ],
  ])('makes the wallet wait when the answer is %s, and says so once', async (_what, status, body, words) => {
    portalAnswers(status, body);
    const { session, transactionId, credentialId } = await waiting(await template({ data: 'webhook' }));
    answered(202, await collect(session, transactionId));
    const { timeline, status: standing } = answered(200, await get(`${service.url}/v0/credentials/${credentialId}`));
    expect(standing).toBe('Requested');
    const missed = (timeline as Json[]).filter(({ step }) => step === 'data missed');
    expect(missed).toEqual([expect.objectContaining({ detail: expect.stringContaining(words) as unknown })]);
  });
});

describe('a credential that somebody has to approve', () => {
  it.each([
    ['mapped', { claims: { '/given_name': 'login:/given_name' } }],
    ['by webhook', { data: 'webhook' }],
  ])('is issued once it was approved (%s)', async (_what, changes) => {
    portalAnswers(200, { credentialSubject: { given_name: 'Erika' } });
    const { session, transactionId, credentialId } = await waiting(await template({ ...changes, approval: 'manual' }));
    expect(answered(202, await collect(session, transactionId))['transaction_id']).toBe(transactionId);
    const path = `${service.url}/v0/credentials/${credentialId}`;
    expect(answered(200, await get(path))).toMatchObject({ status: 'Prepared', approval: 'awaited' });
    for (const _again of [1, 2]) expect((await postJson(`${path}/approve`, '')).status).toBe(204);
    const [credential = ''] = credentialsOf(answered(200, await collect(session, transactionId)));
    expect(contentOf(credential).claims).toMatchObject({ given_name: 'Erika' });
    expect(answered(200, await get(path))).toMatchObject({ status: 'Issued', approval: 'given' });
  });

  it('is not issued once it was denied; what has no data cannot be approved', async () => {
    portalAnswers(200, { credentialSubject: { given_name: 'Erika' } });
    const templateId = await template({ data: 'webhook', approval: 'manual' });
    const { session, transactionId, credentialId } = await waiting(templateId);
    const path = `${service.url}/v0/credentials/${credentialId}`;
    expect((await postJson(`${path}/deny`, { reason: 'Please come to our office.' })).status).toBe(204);
    const denied = await collect(session, transactionId);
    expectRefusal(denied, 400, 'credential_request_denied');
    expect(denied.json['error_description']).toBe('Please come to our office.');
    expectProblem(await postJson(`${path}/approve`, ''), 409, 'conflict');

    portalAnswers(202);
    const early = await waiting(templateId);
    expectProblem(await postJson(`${service.url}/v0/credentials/${early.credentialId}/approve`, ''), 409, 'conflict');
  });
});

it('refuses a transaction id that is unknown, or of another authorization', async () => {
  portalAnswers(202);
  const templateId = await template({ data: 'webhook' });
  const [one, other] = [await waiting(templateId), await waiting(templateId)];
  for (const id of ['x'.repeat(43), other.transactionId]) {
    expectRefusal(await collect(one.session, id), 400, 'invalid_transaction_id');
  }
});
