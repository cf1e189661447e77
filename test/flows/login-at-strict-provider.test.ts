import { answered, get, type Json } from '../support/http/requests';
import { type Deviations, StrictOpenIdProvider } from '../support/counterparts/strict-openid-provider';
import { publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { FormBrowser, pushRequest, wayBack } from '../support/wallets/authorization';

const openid = 'SERVICE__IDENTIFICATION__OPENID__';
const erika = { sub: 'u-1', given_name: 'Erika', address: { country: 'DE', locality: 'Köln' } };

let provider: StrictOpenIdProvider;
let service: RunningService;
let template: string;

beforeAll(async () => {
  provider = await StrictOpenIdProvider.start();
  provider.claims = erika;
  service = await startService({
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: provider.host,
    [`${openid}ISSUER`]: provider.issuer,
    [`${openid}CLIENT_ID`]: 'cards',
    [`${openid}AUTHENTICATION`]: 'private_key_jwt',
    [`${openid}DPOP`]: 'true',
    [`${openid}ID_TOKEN_SIGNED_RESPONSE_ALG`]: 'ES256',
    [`${openid}ID_TOKEN_ENCRYPTED`]: 'true',
    [`${openid}USERINFO_SIGNED_RESPONSE_ALG`]: 'ES256',
    [`${openid}USERINFO_ENCRYPTED`]: 'true',
  });
  provider.jwksUri = `${service.url}/authorize/login/jwks.json`;
  template = await publishedTemplate(service.url, {
    schema: { type: 'object', properties: { given_name: { type: 'string' }, town: { type: 'string' } } },
    claims: { '/given_name': 'login:/given_name', '/town': 'login:/address/locality' },
    identification: 'openid',
  });
});
afterAll(async () => {
  provider.stop();
  await service.stop();
});

async function loggedIn(deviations: Deviations = {}) {
  provider.deviations = deviations;
  const browser = new FormBrowser(service.url);
  const begun = await browser.open((await pushRequest(service.url, { scope: template })).page);
  const reply = await browser.open(provider.loggedIn(begun.headers.get('location') ?? ''));
  return { browser, reply };
}

async function latestTimeline(): Promise<string> {
  const { items } = answered(200, await get(`${service.url}/v0/authorizations?limit=1`));
  const [{ authorizationId } = {}] = items as Json[];
  const found = answered(200, await get(`${service.url}/v0/authorizations/${String(authorizationId)}`));
  return JSON.stringify(found['timeline']);
}

describe('a login at a provider as FAPI 2.0 wants it', () => {
  it('is pushed, by our key, bound by DPoP, and reads what is encrypted to us', async () => {
    const { browser } = await loggedIn();
    expect(browser.state).toBe('consent');
    expect(browser.shown?.text).toContain('<dd>Erika</dd>');
    expect(browser.shown?.text).toContain('<dd>Köln</dd>');
  });

  it.each<[string, Deviations, string]>([
    ['the ID token is not encrypted', { idToken: 'plain' }, 'login-answer-unreadable'],
    ['the ID token is encrypted to another key', { idToken: 'other-key' }, 'login-answer-unreadable'],
    ['UserInfo is not encrypted', { userInfo: 'plain' }, 'login-answer-unreadable'],
    ['UserInfo is not signed', { userInfo: 'unsigned' }, 'login-answer-unreadable'],
    ['UserInfo is encrypted to another key', { userInfo: 'other-key' }, 'login-answer-unreadable'],
    ['UserInfo is about somebody else', { userInfo: 'other-subject' }, 'login-not-accepted'],
    ['UserInfo is refused', { userInfo: 'refused' }, 'login-userinfo-refused'],
    ['the token is not bound', { tokenType: 'Bearer' }, 'login-binding-refused'],
  ])('fails when %s', async (_what, deviations, reason) => {
    const { reply } = await loggedIn(deviations);
    expect(wayBack(reply).get('error')).toBe('server_error');
    expect(await latestTimeline()).toContain(reason);
  });

  it('as somebody else is asked for by a prompt that the provider knows', async () => {
    const { browser } = await loggedIn();
    for (let attempt = 0; attempt < 2; attempt++) {
      const login = (await browser.press('anew')).headers.get('location') ?? '';
      expect(provider.asked(login)).toBe('login');
      await browser.open(provider.loggedIn(login));
    }
  });

  it('needs our public keys alone, at an address of their own', async () => {
    const { keys } = answered(200, await get(provider.jwksUri)) as { keys: Json[] };
    expect(keys.map(({ use, alg }) => [use, alg])).toEqual([
      ['sig', 'ES256'],
      ['enc', 'ECDH-ES'],
    ]);
    expect(JSON.stringify(keys)).not.toContain('"d"');
  });
});
