import { storedEvents, storedRows } from '../support/database/stored-rows';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { offerState, type PreparedOffer, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import {
  clientId,
  FormBrowser,
  type PushedRequest,
  pushRequest,
  redeemCode,
  wayBack,
} from '../support/wallets/authorization';
import { contentOf } from '../support/wallets/credentials';
import {
  credentialsOf,
  offerUri,
  preAuthorizedGrant,
  redeem,
  requestCredential,
  sessionByCode,
} from '../support/wallets/wallet';

const service = serviceOfFile();

const issuer = (): string => `${service.url}/openid4vci`;
const codeOffer = (configurations = [quickStart], offer: Json = {}): Promise<PreparedOffer> =>
  prepareOffer(service.url, configurations, { grants: ['authorization_code'], ...offer });

async function grantsIn(link: string): Promise<Record<string, Json>> {
  return answered(200, await get(offerUri(link)))['grants'] as Record<string, Json>;
}

async function issuerState(link: string): Promise<string> {
  return String((await grantsIn(link))['authorization_code']?.['issuer_state']);
}

/** The page to which a wallet sends the person for an offer. */
async function opened(state: string, configurationIds = [quickStart], username?: string): Promise<Opened> {
  const scope = configurationIds.join(' ');
  const pushed = await pushRequest(service.url, { issuer_state: state, scope });
  answered(201, pushed.answer);
  const browser = new FormBrowser(service.url);
  await browser.open(pushed.page);
  if (username !== undefined) await browser.press('login', { username });
  return { pushed, browser };
}

interface Opened {
  readonly pushed: PushedRequest;
  readonly browser: FormBrowser;
}

/** What a client has after the person has agreed: its token request. */
async function authorized(...asked: Parameters<typeof opened>): Promise<() => Promise<Reply>> {
  const { pushed, browser } = await opened(...asked);
  const code = wayBack(await browser.press('approve')).get('code') ?? '';
  return () => redeemCode(service.url, pushed, code);
}

async function credentialFor(answer: Reply, configurationId = quickStart): Promise<Reply> {
  const session = await sessionByCode(issuer(), [configurationId], answered(200, answer));
  return requestCredential(session, { proof: { claims: { iss: clientId } } });
}

describe('an offer with an authorization code', () => {
  it('gives the credential by the identifier that the wallet asks for with its code', async () => {
    const { pushed, browser } = await opened(await issuerState((await codeOffer()).link));
    const code = wayBack(await browser.press('approve')).get('code') ?? '';
    const details = [{ type: 'openid_credential', credential_configuration_id: quickStart }];
    const token = answered(200, await redeemCode(service.url, pushed, code, { authorization_details: details }));
    expect(token).toMatchObject({ authorization_details: [{ ...details[0], credential_identifiers: [quickStart] }] });
    const session = await sessionByCode(issuer(), [quickStart], token);
    const body = { credential_configuration_id: undefined, credential_identifier: quickStart };
    expectRefusal(await requestCredential(session), 400, 'invalid_credential_request');
    answered(200, await requestCredential(session, { body }));
  });

  it('gives the credential that the portal has submitted, and is used up once', async () => {
    const { link, offerId } = await codeOffer();
    const grants = await grantsIn(link);
    expect(Object.keys(grants)).toEqual(['authorization_code']);
    const named = String(grants['authorization_code']?.['issuer_state']);
    expect(named).toMatch(/^[\w-]{43,}$/);
    const [first, second] = [await authorized(named), await authorized(named)];
    const content = contentOf(credentialsOf(answered(200, await credentialFor(await first())))[0] ?? '');
    expect(JSON.stringify(content.payload)).toContain('Mustermann');
    expect(answered(400, await second())).toMatchObject({ error: 'invalid_grant' });
    const { state, timeline } = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect(state).toBe('Redeemed');
    const details = (timeline as Json[]).map(({ step, detail }) => `${String(step)}: ${String(detail)}`);
    expect(details).toContainEqual(expect.stringMatching(/^created: .*Accepted by authorization code\. .*: portal\.$/));
    expect(details).toContainEqual(
      expect.stringMatching(/^redeemed: The wallet https:\/\/wallet\.example may fetch w3c_vc_credential, by the auth/),
    );
  });

  it('may have a pre-authorized code, too: whichever comes first uses it up', async () => {
    const both = { grants: ['pre-authorized_code', 'authorization_code'] };
    for (const first of ['authorization_code', preAuthorizedGrant]) {
      const { link, offerId } = await codeOffer([quickStart], both);
      const { authorization_code: code, [preAuthorizedGrant]: pre } = await grantsIn(link);
      const byCode = await authorized(String(code?.['issuer_state']));
      const wallet = {
        issuer: issuer(),
        configurationIds: [],
        code: String(pre?.['pre-authorized_code']),
        txCode: undefined,
      };
      const uses = [byCode, () => redeem(wallet)];
      if (first !== 'authorization_code') uses.reverse();
      const statuses: number[] = [];
      for (const use of uses) statuses.push((await use()).status);
      expect(statuses).toEqual([200, 400]);
      expect(await offerState(service.url, offerId)).toBe('Redeemed');
    }
  });

  it('gives the data of the identified person where the template says so, without any of the portal', async () => {
    const templateId = await publishedTemplate(service.url, { claims: { '/given_name': 'login:/given_name' } });
    const body = { templateIds: [templateId], grants: ['authorization_code'] };
    const made = answered(201, await postJson(`${service.url}/v0/offers`, body));
    const state = await issuerState(String(made['credentialOffer']));
    const { pushed, browser } = await opened(state, [templateId], 'ada.lovelace');
    expect(browser.shown?.text).toContain('<dd>Ada</dd>');
    const code = wayBack(await browser.press('approve')).get('code') ?? '';
    const answer = await credentialFor(await redeemCode(service.url, pushed, code), templateId);
    expect(JSON.stringify(contentOf(credentialsOf(answered(200, answer))[0] ?? ''))).toContain('Ada');
  });

  it('is set until a wallet has fetched it, and taken back', async () => {
    const { link, offerId } = await prepareOffer(service.url);
    const set = (grants: string[]) => postJson(`${service.url}/v0/offers`, { offerId, grants });
    answered(200, await set(['authorization_code']));
    expect(answered(200, await get(`${service.url}/v0/offers/${offerId}`))).toMatchObject({
      grants: ['authorization_code'],
      identification: 'portal',
    });
    answered(200, await set(['pre-authorized_code']));
    expect(answered(200, await get(`${service.url}/v0/offers/${offerId}`))).not.toHaveProperty('grants');
    expect(Object.keys(await grantsIn(link))).toEqual([preAuthorizedGrant]);
    expect(answered(409, await set(['authorization_code']))).toMatchObject({ title: 'Conflict' });
  });

  it('is for the expected subject: anybody else is turned back, and the offer stays open', async () => {
    const expectedSubject = { claim: 'preferred_username', value: 'ada.lovelace' };
    const { link, offerId } = await codeOffer([quickStart], { expectedSubject });
    expect(JSON.stringify(await storedRows(service))).not.toContain('ada.lovelace');
    const state = await issuerState(link);
    for (const other of [{ expectedSubject: { ...expectedSubject, value: 'x' } }, { identification: 'portal' }]) {
      const change = { offerId, grants: ['authorization_code'], ...other };
      expect((await postJson(`${service.url}/v0/offers`, change)).status).toBe(409);
    }
    const { browser } = await opened(state);
    await browser.press('login', { username: 'charles.babbage' });
    expect(browser.state).toBe('unexpected');
    expect(browser.shown?.text).not.toContain('charles');
    const offer = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect(offer).toMatchObject({ state: 'Open', subjectExpected: true, identification: 'development' });
    expect(offer['timeline']).toContainEqual(
      expect.objectContaining({
        step: 'wallet refused',
        refusal: expect.objectContaining({ reason: 'unexpected-person' }),
      }),
    );
    await browser.press('anew');
    await browser.press('login', { username: 'ada.lovelace' });
    expect(wayBack(await browser.press('approve')).get('code')).not.toBeNull();
    const redeemed = await authorized(state, [quickStart], 'ada.lovelace');
    expect((await credentialFor(await redeemed())).status).toBe(200);
  });

  it('asks for its transaction code where the person agrees; five wrong ones lock it', async () => {
    const { link, offerId, txCode = '' } = await codeOffer([quickStart], { txCode: { description: 'To <Erika>.' } });
    const state = await issuerState(link);
    const { browser } = await opened(state);
    expect(browser.shown?.text).toContain('To &#60;Erika&#62;.');
    const other = await opened(state);
    await browser.press('approve');
    expect(browser.shown?.text).toMatch(/role="alert"><strong>Enter the code that you have received\./);
    for (const left of [4, 3, 2, 1]) {
      await browser.press('approve', { tx_code: 'x' });
      expect(browser.shown?.text).toMatch(
        new RegExp(`role="alert"><strong>The code is wrong\\. Tries left: ${left}\\.`),
      );
    }
    expect(wayBack(await other.browser.press('approve', { tx_code: txCode })).get('code')).not.toBeNull();
    await browser.press('approve', { tx_code: 'x' });
    expect(browser.state).toBe('locked');
    expect(wayBack(await browser.press('reject')).get('error')).toBe('access_denied');
    expect(await offerState(service.url, offerId)).toBe('Locked');
  });

  it('that is withdrawn or reopened ends what was begun with it', async () => {
    const { link, offerId } = await codeOffer();
    const state = await issuerState(link);
    const agreed = await authorized(state);
    const { browser } = await opened(state);
    answered(204, await send(`${service.url}/v0/offers/${offerId}`, { method: 'DELETE' }));
    expect(wayBack(await browser.press('approve')).get('error')).toBe('access_denied');
    expect(answered(400, await agreed())).toMatchObject({ error: 'invalid_grant' });
    expect(answered(400, await pushFor(state))).toMatchObject({ error: 'invalid_request' });
    const used = await codeOffer();
    const answer = await (await authorized(await issuerState(used.link)))();
    answered(200, await postJson(`${service.url}/v0/offers/${used.offerId}/reopen`, {}));
    expect((await credentialFor(answer)).status).toBe(401);
  });

  it('that is reopened is accepted by its new link alone: what was begun with the former one ends', async () => {
    const { link, offerId } = await codeOffer();
    const former = await issuerState(link);
    const [first, second] = [await authorized(former), await authorized(former)];
    const { browser } = await opened(former);
    answered(200, await first());
    const reopened = answered(200, await postJson(`${service.url}/v0/offers/${offerId}/reopen`, {}));
    expect(answered(400, await second())).toMatchObject({ error: 'invalid_grant' });
    expect(wayBack(await browser.press('approve')).get('error')).toBe('access_denied');
    const present = await authorized(await issuerState(String(reopened['credentialOffer'])));
    expect((await credentialFor(await present())).status).toBe(200);
  });

  it.each([
    ['a text that was no issuer_state', 'x'],
    ['a text of the right length', 'A'.repeat(94)],
  ])('is not named by %s', async (_what, forged) => {
    expect(answered(400, await pushFor(forged))).toMatchObject({ error: 'invalid_request' });
  });

  it('covers no other credential than those it promises', async () => {
    const other = await publishedTemplate(service.url);
    const state = await issuerState((await codeOffer()).link);
    expect(answered(400, await pushFor(state, `${quickStart} ${other}`))).toMatchObject({ error: 'invalid_request' });
  });
});

describe('a public offer by authorization code', () => {
  const read = async (path: string): Promise<Json> => answered(200, await get(`${service.url}/v0/${path}`));
  const listed = async (path: string): Promise<Json[]> => (await read(path))['items'] as Json[];
  const open = (templateIds: string[], changes: Json = {}): Promise<Reply> =>
    postJson(`${service.url}/v0/offers`, { templateIds, public: true, grants: ['authorization_code'], ...changes });
  const fromLogin = (): Promise<string> =>
    publishedTemplate(service.url, { claims: { '/given_name': 'login:/given_name' } });

  async function poster(template?: string): Promise<{ offerId: string; templateId: string; state: string }> {
    const templateId = template ?? (await fromLogin());
    const made = answered(201, await open([templateId]));
    return { offerId: String(made['offerId']), templateId, state: await issuerState(String(made['credentialOffer'])) };
  }

  it('gives each person their own data, by an authorization and a claim of their own', async () => {
    const { offerId, templateId, state } = await poster();
    const people = ['ada.lovelace', 'grace.hopper', 'ada.lovelace'];
    const redeem = await Promise.all(people.map((name) => authorized(state, [templateId], name)));
    const tokens = await Promise.all(redeem.map((one) => one()));
    const contents = await Promise.all(tokens.map(async (token) => credentialFor(token, templateId)));
    const names = contents.map((one) => contentOf(credentialsOf(answered(200, one))[0] ?? '').claims['given_name']);
    expect(names).toEqual(['Ada', 'Grace', 'Ada']);
    const offer = await read(`offers/${offerId}`);
    expect(offer).toMatchObject({ state: 'Online', public: true, claims: 3, grants: ['authorization_code'] });
    const authorizations = await listed(`authorizations?offerId=${offerId}`);
    expect(authorizations.map(({ status }) => status)).toEqual(['redeemed', 'redeemed', 'redeemed']);
    for (const { authorizationId } of authorizations) {
      const claim = await read(`offers/${String(authorizationId)}`);
      expect(claim).toMatchObject({ state: 'Redeemed', claimOf: offerId });
      const credentials = await listed(`credentials?authorizationId=${String(authorizationId)}`);
      expect(credentials).toEqual([expect.objectContaining({ status: 'Issued', templateId })]);
      const data = { offerId: authorizationId, templateId, credential: { credentialSubject: { given_name: 'Eve' } } };
      expectProblem(await postJson(`${service.url}/v0/credentials`, data), 409, 'conflict');
    }
  });

  it('is redeemed by any number of wallets at once, each code once', async () => {
    const { offerId, templateId, state } = await poster();
    const redeem = await Promise.all(Array.from({ length: 8 }, () => authorized(state, [templateId], 'ada.lovelace')));
    const answers = await Promise.all(redeem.map((one) => one()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect((await redeem[0]?.())?.status).toBe(400);
    expect(await read(`offers/${offerId}`)).toMatchObject({ state: 'Online', claims: 8 });
  });

  it('that is taken offline ends what was begun, and leaves what was redeemed', async () => {
    const { offerId, templateId, state } = await poster();
    const before = await (await authorized(state, [templateId], 'ada.lovelace'))();
    const agreed = await authorized(state, [templateId], 'ada.lovelace');
    const { browser } = await opened(state, [templateId], 'ada.lovelace');
    answered(204, await postJson(`${service.url}/v0/offers/${offerId}/take_offline`, {}));
    expect(wayBack(await browser.press('approve')).get('error')).toBe('access_denied');
    expect(answered(400, await agreed())).toMatchObject({ error: 'invalid_grant' });
    expect(answered(400, await pushFor(state, templateId))).toMatchObject({ error: 'invalid_request' });
    answered(200, await credentialFor(before, templateId));
    answered(204, await postJson(`${service.url}/v0/offers/${offerId}/take_online`, {}));
    answered(200, await credentialFor(await (await authorized(state, [templateId], 'ada.lovelace'))(), templateId));
    expect(await read(`offers/${offerId}`)).toMatchObject({ claims: 2 });
  });

  it('of constant claims may have a pre-authorized code, too', async () => {
    const schema = { type: 'object', properties: { event: { const: 'Open day' } } };
    const templateId = await publishedTemplate(service.url, { schema });
    const grants = ['authorization_code', 'pre-authorized_code'];
    for (const changes of [{}, { grants }, { identification: 'portal' }]) {
      const made = answered(201, await open([templateId], changes));
      const state = await issuerState(String(made['credentialOffer']));
      const name = 'identification' in changes ? undefined : 'ada.lovelace';
      const [credential] = credentialsOf(
        answered(200, await credentialFor(await (await authorized(state, [templateId], name))(), templateId)),
      );
      expect(contentOf(credential ?? '').claims).toMatchObject({ event: 'Open day' });
      // The last credential is out: nothing is kept of the person.
      const [authorization] = await listed(`authorizations?offerId=${String(made['offerId'])}`);
      const events = await storedEvents(service, `authorization-${String(authorization?.['authorizationId'])}`);
      expect(events.at(-1)).toBe('PersonalDataErased');
    }
  });

  it('is of templates whose data is known when somebody has agreed, and for no one person', async () => {
    const templateId = await fromLogin();
    const submitted = await publishedTemplate(service.url, { data: 'provided' });
    const both = ['authorization_code', 'pre-authorized_code'];
    const [ineligible, invalid] = ['template-not-eligible-for-public-offer', 'validation-failed'];
    const expectedSubject = { claim: 'sub', value: '1' };
    for (const [templates, changes, status, slug] of [
      [[templateId], { grants: undefined }, 422, ineligible],
      [[templateId], { grants: both }, 422, ineligible],
      [[submitted], {}, 422, ineligible],
      [[templateId, submitted], {}, 422, ineligible],
      [[templateId], { identification: 'portal' }, 409, 'conflict'],
      [[templateId], { expectedSubject }, 400, invalid],
      [[templateId], { txCode: true }, 400, invalid],
      [[templateId], { deferred: true }, 400, invalid],
    ] as const) {
      expectProblem(await open([...templates], changes), status, slug);
    }
    const { offerId } = await poster(templateId);
    for (const grants of [both, ['pre-authorized_code']]) {
      expectProblem(await postJson(`${service.url}/v0/offers`, { offerId, grants }), 409, 'conflict');
    }
    const data = { offerId, templateId, credential: { credentialSubject: { given_name: 'Ada' } } };
    expectProblem(await postJson(`${service.url}/v0/credentials`, data), 409, 'conflict');
  });
});

async function pushFor(issuer_state: string, scope = quickStart): Promise<Reply> {
  return (await pushRequest(service.url, { issuer_state, scope })).answer;
}
