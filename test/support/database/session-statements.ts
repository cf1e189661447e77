import type { SqlDriver } from '@app/event-store';
import type { ProofKeys } from '@app/keys';
import { SessionRecords } from '@app/sessions/src/session-records';
import { provers } from '../../event-store/provers';

/** Every statement of sessions of the console. */
export async function sessionStatements(driver: SqlDriver): Promise<void> {
  const records = new SessionRecords(driver, provers as unknown as ProofKeys);
  const hash = Buffer.from('hash');
  const sidHash = Buffer.from('sid');
  const subject = 'oauth:issuer|subject';
  const kept = { hash, id: 'id', subject, sidHash, roles: [], authenticatedAt: null, seconds: 60, sealed: 'sealed' };
  await records.insert(kept);
  const session = await records.find(hash);
  if (!session) throw new Error('The session is not there.');
  await records.list();
  await records.ofSubject(subject);
  await records.latest(subject);
  await records.ofProviderSession(sidHash);
  await records.touch(hash);
  await records.claimRoles(hash);
  await records.renew(session, { roles: [], sealed: 'sealed' });
  await records.end(session);
  await records.removeOld();
}
