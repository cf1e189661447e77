import { historyMark, type SqlDriver } from '@app/event-store';
import { checkStatusChanges, rebuildStatusChanges } from '@app/status/src/rebuilt-changes';
import { unread } from '@app/status/src/status-changes';
import { checkStatusLists } from '../../../apps/cli/src/doctor/status-list-check';
import { checkStoredData } from '../../../apps/cli/src/doctor/stored-data-check';
import { provers } from '../../event-store/provers';
import { statusTeller } from './told-statuses';

/** Every statement of status lists. */
export async function statusStatements(driver: SqlDriver): Promise<void> {
  const { changes, tell } = statusTeller(driver, provers);
  await changes.add('l', await tell('l', [1], 'suspended', 'revoked'));
  await changes.since('l', unread);
  await historyMark(driver);
  for (const damage of [`update status_list_versions set proof = null`, `delete from status_changes`]) {
    await driver.transaction((tx) => tx.script(damage));
    await changes.since('l', unread);
  }
  for await (const finding of checkStatusChanges(driver, provers, 'proofs')) if (finding.fault === '') continue;
  await rebuildStatusChanges(driver, provers);
  await checkStatusLists(driver, provers);
  await checkStoredData(driver, provers);
}
