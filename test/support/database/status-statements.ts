import { historyMark, type SqlDriver } from '@app/event-store';
import { StatusChanges } from '@app/status/src/status-changes';

/** Every statement of status lists. */
export async function statusStatements(driver: SqlDriver): Promise<void> {
  const now = new Date();
  const changes = new StatusChanges(driver);
  await changes.add([{ listId: 'l', entry: 1, streamVersion: 3, to: 'revoked', changedAt: now }]);
  await changes.versionOf('l');
  await changes.after('l', 0, 1);
  await changes.at('l', now);
  await changes.around('l', now);
  await historyMark(driver);
}
