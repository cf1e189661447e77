import { listAudit, type SqlDriver } from '@app/event-store';
import { KeyStoreLockedError, NoKeysError, NoProofsError, openExistingKeys, signingPolicy } from '@app/keys';
import type { Settings } from '@app/config';
import { fail, type Finding, ok, warn } from './finding';

/**
 * Whether the keys open and each active one signs what its public half verifies.
 * @param published kids that the public URL shows; undefined when that could not be asked
 */
export async function checkKeys(
  driver: SqlDriver,
  { secretManager, signer }: Pick<Settings, 'secretManager' | 'signer'>,
  published: ReadonlySet<string> | undefined,
): Promise<Finding> {
  const check = 'signing keys';
  try {
    const ring = await openExistingKeys(driver, secretManager.strongholdPassword, await signingPolicy(signer));
    const [outside] = await ring.provided.look().finally(() => ring.onApplicationShutdown());
    if (outside) {
      const { provider, algorithm, reason } = outside;
      const found = `the ${algorithm} key of the signer "${provider}" does not sign: ${reason}`;
      return fail(check, found, 'See what it means, and what to do, in docs/keys.md.');
    }
    const failing = ring.failingAlgorithms();
    if (failing.length > 0) {
      const remedy = 'Rotate them with "sealwright keys rotate"; report how it happened.';
      return fail(check, `the active keys for ${failing.join(' and ')} make signatures that do not verify`, remedy);
    }
    const active = ring.publicKeys().filter(({ status }) => status === 'active');
    const missing = active.filter(({ kid }) => published?.has(kid) === false);
    if (missing.length > 0) {
      const found = `jwks.json at the public URL does not list ${missing.map(({ kid }) => kid).join(' and ')}`;
      const remedy = 'Point the public URL at a service on this database; after a rotation a cache may need a minute.';
      return fail(check, found, remedy);
    }
    return ok(check, `${active.map(({ algorithm, kid }) => `${algorithm} ${kid}`).join(' and ')} sign and verify`);
  } catch (error) {
    if (error instanceof NoKeysError) return warn(check, 'none yet', 'Start the service: it creates them.');
    if (error instanceof NoProofsError) return warn(check, 'without proofs yet', 'Start the service: it creates them.');
    if (error instanceof KeyStoreLockedError) {
      return wrongPassword(driver);
    }
    throw error;
  }
}

async function wrongPassword(driver: SqlDriver): Promise<Finding> {
  const found = 'SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD does not open the key store';
  const [change] = (await listAudit(driver, { action: 'keys.password', outcome: 'ok', limit: 1 })).items;
  if (!change) return fail('signing keys', found, 'Set it to the password of the first start.');
  const remedy =
    `The password was changed at ${change.recordedAt.toISOString()} with "sealwright keys password" (${change.principal}): ` +
    'set it to the one that was given there.';
  return fail('signing keys', found, remedy);
}
