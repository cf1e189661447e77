import { urlOf } from '@app/primitives/url';
import { rehearseLogin } from '@app/authorization';
import { canIdentify, type Settings } from '@app/config';
import { openExistingKeys } from '@app/keys';
import { OutboundClient } from '@app/outbound';
import type { TrustState } from '@app/identity';
import { assertExists, withOpened } from '../database';
import { sentenceOf } from '../failure';
import { fail, type Finding, ok, warn } from './finding';
import { reasonOf } from './outbound-reason';

const check = 'login';

/** Whether people can log in at the OpenID provider, as far as that shows without a person. */
export async function checkLogin(settings: Settings, { anchors }: Pick<TrustState, 'anchors'>): Promise<Finding> {
  const { haip, identification, outbound } = settings;
  const { issuer } = identification.openid;
  if (issuer === '') {
    const trustsIssuer = anchors.some(({ purposes }) => purposes.includes('issuer'));
    if (!haip || canIdentify(settings, trustsIssuer)) return ok(check, 'no provider');
    return fail(
      check,
      'no provider, and no trusted issuer whose credentials people present: SERVICE__HAIP needs one of them',
      'Set SERVICE__IDENTIFICATION__OPENID__ISSUER, or put the authority of issuers into SERVICE__TRUST__ANCHORS.',
    );
  }
  const client = new OutboundClient({ allowPrivateHosts: outbound.allowPrivateHosts, negativeCacheMs: 0 });
  try {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const accept = ['application/json'];
    const { body } = await client.get(url, { purpose: 'login', accept, maxRedirects: 0 });
    const named = (JSON.parse(body.toString('utf8')) as { readonly issuer?: unknown } | null)?.issuer;
    // As the library compares them at a login.
    const isSame = typeof named === 'string' && urlOf(named)?.href === new URL(issuer).href;
    if (isSame) return await rehearse(settings, client);
    return fail(
      check,
      `the provider at ${issuer} names another issuer in its metadata`,
      'Set SERVICE__IDENTIFICATION__OPENID__ISSUER to the issuer that the provider names.',
    );
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'its metadata are not JSON' : reasonOf(error);
    const remedy = 'Nobody can log in meanwhile: ask its operator, or correct SERVICE__IDENTIFICATION__OPENID__ISSUER.';
    return fail(check, `the provider at ${issuer} cannot be used: ${reason}`, remedy);
  } finally {
    await client.close();
  }
}

/** What to look at, by what the provider refuses. */
const remedies: Readonly<Record<string, string>> = {
  'login-client-refused':
    'Compare SERVICE__IDENTIFICATION__OPENID__CLIENT_ID, __AUTHENTICATION and the secret or the address of our keys with the client there, and that it may use the code flow.',
  'login-request-refused':
    'Compare the redirect URI (SERVICE__APPLICATION_URL with /authorize/login/callback), SERVICE__IDENTIFICATION__OPENID__SCOPE and __PROMPT with the client there.',
  'login-binding-refused':
    'Set SERVICE__IDENTIFICATION__OPENID__DPOP to true where the provider wants DPoP, and compare the clocks.',
};

async function rehearse(settings: Settings, outbound: OutboundClient): Promise<Finding> {
  const { issuer, authentication } = settings.identification.openid;
  let failure: Awaited<ReturnType<typeof rehearseLogin>>;
  try {
    failure =
      authentication === 'private_key_jwt'
        ? await rehearseWithKey(settings, outbound)
        : await rehearseLogin(settings, outbound, undefined);
  } catch (error) {
    const found = `${issuer} answers; a login was not tried, as our keys cannot be read: ${sentenceOf(error)}`;
    return warn(check, found, 'See what is found of the database and the signing keys.');
  }
  if (!failure) return ok(check, `${issuer} answers, and takes the client and its request`);
  const { status, error, words } = failure.detail;
  const said = [status, error, words].filter((one) => one !== undefined).join(' ');
  const remedy = remedies[failure.fault] ?? 'Ask the operator of the provider, with what it said.';
  return fail(check, `${issuer} refuses a login (${failure.fault}): ${said === '' ? 'without a word' : said}`, remedy);
}

function rehearseWithKey(settings: Settings, outbound: OutboundClient): ReturnType<typeof rehearseLogin> {
  assertExists(settings);
  return withOpened(settings, async (driver) =>
    rehearseLogin(settings, outbound, await openExistingKeys(driver, settings.secretManager.strongholdPassword)),
  );
}
