import { checkStatusLists } from '../../../apps/cli/src/doctor/status-list-check';
import { historyMark, type SqlDriver } from '@app/event-store';
import { rebuildStatusChanges } from '@app/status/src/rebuilt-changes';
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
  // No event says what was added above.
  await rebuildStatusChanges(driver);
  await checkStatusLists(driver);
}
