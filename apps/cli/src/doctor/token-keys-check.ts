import { fetchTokenKeys, tokenAlgorithms } from '@app/access';
import type { Settings } from '@app/config';
import { OutboundClient } from '@app/outbound';
import { fail, type Finding, ok } from './finding';
import { reasonOf } from './outbound-reason';

const check = 'access tokens';

/** Whether the keys of the server that issues access tokens for the management API can be had, and any of them fits. */
export async function checkTokenKeys({ management, outbound }: Settings): Promise<Finding> {
  const { jwksUrl, issuer, tokenType } = management;
  if (jwksUrl === '') return ok(check, 'none are taken');
  const remedy = 'Give the jwks_uri of its metadata as SERVICE__MANAGEMENT__JWKS_URL, or ask its operator.';
  const client = new OutboundClient({ allowPrivateHosts: outbound.allowPrivateHosts, negativeCacheMs: 0 });
  try {
    const { keys } = await fetchTokenKeys(jwksUrl, client);
    const named = keys.filter(({ use }) => use !== 'enc').map(({ alg, kty, crv }) => alg ?? usualAlgorithm(kty, crv));
    const usable = named.filter((alg) => tokenAlgorithms.includes(alg));
    if (usable.length === 0) {
      const found = `none of the ${keys.length} key(s) of ${issuer} signs by ${tokenAlgorithms.join(', ')}`;
      return fail(check, found, 'Have it sign its access tokens by one of these algorithms.');
    }
    const types = tokenType === 'JWT' ? ', of typ JWT, too' : '';
    return ok(check, `${usable.length} key(s) of ${issuer} (${[...new Set(usable)].join(', ')})${types}`);
  } catch (error) {
    return fail(check, `the keys of ${issuer} cannot be had: ${reasonOf(error)}`, remedy);
  } finally {
    await client.close();
  }
}

/** By which a key that names no algorithm (RFC 7517 §4.4) can be expected to sign. */
function usualAlgorithm(kty: string | undefined, crv: string | undefined): string {
  if (kty === 'RSA') return 'RS256';
  if (kty === 'OKP' && crv === 'Ed25519') return 'EdDSA';
  return kty === 'EC' && crv === 'P-256' ? 'ES256' : '';
}
