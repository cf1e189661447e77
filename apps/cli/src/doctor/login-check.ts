import { canIdentify, type Settings } from '@app/config';
import { OutboundClient } from '@app/outbound';
import type { TrustState } from '@app/trust';
import { fail, type Finding, ok } from './finding';
import { reasonOf } from './outbound-reason';

const check = 'login';

/** Whether people can log in at the OpenID provider, as far as its metadata say. */
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
    const isSame = typeof named === 'string' && URL.canParse(named) && new URL(named).href === new URL(issuer).href;
    if (isSame) return ok(check, `${issuer} answers`);
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
