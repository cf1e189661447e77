import { CheckOfferConsent, FindOfferByIssuerState, type OfferForAuthorization } from '@app/offers';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { createHash, randomBytes } from 'node:crypto';
import { AuthorizationRequests } from '../../libs/authorization/src/authorization-requests';
import { storedRows } from '../support/database/stored-rows';
import { answered, get, type Json, postForm, postJson, type Reply, send } from '../support/http/requests';
import { offerState, type PreparedOffer, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { contentOf } from '../support/wallets/credentials';
import { credentialsOf, offerUri, readMetadata, redeem, requestCredential } from '../support/wallets/wallet';

const preAuthorized = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const clientId = 'https://wallet.example';
const redirectUri = 'https://wallet.example/cb';
let service: RunningService;
let requests: AuthorizationRequests;

beforeAll(async () => {
  service = await startService();
  requests = service.app.get(AuthorizationRequests);
}, 60_000);
afterAll(() => service.stop());

const issuer = (): string => `${service.url}/openid4vci`;
const codeOffer = (configurations = [quickStart], offer: Json = {}): Promise<PreparedOffer> =>
  prepareOffer(service.url, configurations, { grants: ['authorization_code'], ...offer });

async function grantsIn(link: string): Promise<Record<string, Json>> {
  return answered(200, await get(offerUri(link)))['grants'] as Record<string, Json>;
}

async function issuerState(link: string): Promise<string> {
  return String((await grantsIn(link))['authorization_code']?.['issuer_state']);
}

function offerOf(state: string): Promise<OfferForAuthorization | undefined> {
  return service.app.get(QueryBus).execute(new FindOfferByIssuerState(state));
}

/** What a client gets after the person has agreed: its parameters for the token request. */
async function authorized(offer: OfferForAuthorization | undefined): Promise<Record<string, string>> {
  if (!offer) throw new Error('there is no such offer');
  const { offerId, configurationIds } = offer;
  const code_verifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(code_verifier).digest('base64url');
  const client = { clientId, method: 'none', uses: [] } as const;
  const pushed = await requests.push({
    ...{ client, redirectUri, codeChallenge, configurationIds, offerId, identifiersGiven: false, uses: [] },
  });
  const open = await requests.find(pushed.requestUri, clientId);
  if (!open) throw new Error('the request is not open');
  await requests.identify(open.authorizationId, 'browser', 'portal', {});
  const back = await requests.consent(open.authorizationId, 'browser');
  if (typeof back === 'string') throw new Error(back);
  const code = new URL(back.redirectTo).searchParams.get('code') ?? '';
  return { grant_type: 'authorization_code', code, redirect_uri: redirectUri, client_id: clientId, code_verifier };
}

const token = (parameters: Record<string, string>): Promise<Reply> =>
  postForm(`${issuer()}/token`, Object.entries(parameters));

async function credentialFor(answer: Reply, configurationId = quickStart): Promise<Reply> {
  const offer = { issuer: issuer(), configurationIds: [configurationId], code: '', txCode: undefined };
  const metadata = await readMetadata(issuer(), 'final');
  const accessToken = String(answered(200, answer)['access_token']);
  const session = { requestClass: 'F', offer, metadata, token: answer.json, accessToken } as const;
  return requestCredential(session, { proof: { claims: { iss: clientId } } });
}

describe('an offer with an authorization code', () => {
  it('gives the credential that the portal has submitted, and is used up once', async () => {
    const { link, offerId } = await codeOffer();
    const grants = await grantsIn(link);
    expect(Object.keys(grants)).toEqual(['authorization_code']);
    const named = String(grants['authorization_code']?.['issuer_state']);
    expect(named).toMatch(/^[\w-]{43,}$/);
    const offer = await offerOf(named);
    expect(offer).toEqual({ offerId, configurationIds: [quickStart], identification: 'portal', subject: 'anyone' });
    const [first, second] = [await authorized(offer), await authorized(offer)];
    const content = contentOf(credentialsOf(answered(200, await credentialFor(await token(first))))[0] ?? '');
    expect(JSON.stringify(content.payload)).toContain('Mustermann');
    expect(answered(400, await token(second))).toMatchObject({ error: 'invalid_grant' });
    expect(await offerOf(named)).toBeUndefined();
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
    for (const first of ['authorization_code', preAuthorized]) {
      const { link, offerId } = await codeOffer([quickStart], both);
      const { authorization_code: code, [preAuthorized]: pre } = await grantsIn(link);
      const byCode = await authorized(await offerOf(String(code?.['issuer_state'])));
      const wallet = {
        issuer: issuer(),
        configurationIds: [],
        code: String(pre?.['pre-authorized_code']),
        txCode: undefined,
      };
      const uses = [() => token(byCode), () => redeem(wallet)];
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
    const opened = answered(201, await postJson(`${service.url}/v0/offers`, body));
    const offer = await offerOf(await issuerState(String(opened['credentialOffer'])));
    expect(offer).toMatchObject({ configurationIds: [templateId], identification: 'development' });
    const parameters = await authorized(offer);
    expect(answered(200, await token(parameters))).toHaveProperty('access_token');
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
    expect(Object.keys(await grantsIn(link))).toEqual([preAuthorized]);
    expect(answered(409, await set(['authorization_code']))).toMatchObject({ title: 'Conflict' });
  });

  it('is for the expected subject, whom the database does not show', async () => {
    const expectedSubject = { claim: 'student_number', value: '4711-secret' };
    const { link, offerId } = await codeOffer([quickStart], { expectedSubject, txCode: { description: 'To Erika.' } });
    const offer = await offerOf(await issuerState(link));
    expect(offer).toMatchObject({ identification: 'development', subject: expectedSubject });
    expect(offer?.transactionCode).toEqual({ inputMode: 'numeric', length: 6, description: 'To Erika.' });
    expect(JSON.stringify(await storedRows(service))).not.toContain('4711-secret');
    expect(answered(200, await get(`${service.url}/v0/offers/${offerId}`))).toMatchObject({ subjectExpected: true });
  });

  it('asks for its transaction code before the person agrees; five wrong ones lock it', async () => {
    const { offerId, txCode } = await codeOffer([quickStart], { txCode: true });
    const agree = (code?: string) => service.app.get(CommandBus).execute(new CheckOfferConsent(offerId, code));
    expect(await agree()).toBe('transaction-code-missing');
    expect(await agree(txCode)).toBe('agreed');
    for (let wrong = 1; wrong <= 5; wrong++) expect(await agree('x')).toBe('transaction-code-wrong');
    expect(await agree(txCode)).toBe('not-open');
    expect(await offerState(service.url, offerId)).toBe('Locked');
  });

  it('that was withdrawn or reopened is named by no issuer_state of before', async () => {
    const { link, offerId } = await codeOffer();
    const state = await issuerState(link);
    const begun = await authorized(await offerOf(state));
    answered(204, await send(`${service.url}/v0/offers/${offerId}`, { method: 'DELETE' }));
    expect(await offerOf(state)).toBeUndefined();
    expect(answered(400, await token(begun))).toMatchObject({ error: 'invalid_grant' });
    const used = await codeOffer();
    const usedState = await issuerState(used.link);
    const answer = await token(await authorized(await offerOf(usedState)));
    answered(200, await postJson(`${service.url}/v0/offers/${used.offerId}/reopen`, {}));
    expect(await offerOf(usedState)).toBeUndefined();
    expect((await credentialFor(answer)).status).toBe(401);
  });

  it.each(['', 'x', 'A'.repeat(103)])('is not named by the forged issuer_state %j', async (forged) => {
    expect(await offerOf(forged)).toBeUndefined();
  });
});
