import type { Settings } from '@app/config';
import { OutboundClient } from '@app/outbound';
import { fail, type Finding, ok } from './finding';
import { reasonOf } from './outbound-reason';

const check = 'login';

/** Whether people can log in at the OpenID provider, as far as its metadata say. */
export async function checkLogin({ profile, haip, identification, outbound }: Settings): Promise<Finding> {
  const { issuer } = identification.openid;
  if (issuer === '') {
    if (!haip || profile === 'development') return ok(check, 'no provider');
    return fail(check, 'no provider, which SERVICE__HAIP needs', 'Set SERVICE__IDENTIFICATION__OPENID__ISSUER.');
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
