import { type Provers, type SqlDriver, subscriptionLags } from '@app/event-store';
import { checkStatusChanges } from '@app/status';
import { fail, type Finding, ok, warn } from './finding';

/**
 * Whether changes of the status of credentials reach the lists that verifiers read, and nothing else does.
 * @param provers absent where the keys cannot be opened
 */
export async function checkStatusLists(driver: SqlDriver, provers: Provers | undefined): Promise<Finding> {
  if (provers) {
    for await (const { subject, fault } of checkStatusChanges(driver, provers, 'proofs')) {
      const remedy =
        'Run "sealwright rebuild" as the owner of the tables; see "A status list was altered" in docs/runbook.md.';
      return fail('status lists', `${subject} ${fault}`, remedy);
    }
  }
  const [row] = await driver.query<{ lists: number }>({
    name: 'doctor-status-lists',
    text: `select count(*)::int as lists from streams where category = 'statusList'`,
    values: [],
  });
  const lags = await subscriptionLags(driver, ['status-lists']);
  return judgeStatusLists(row?.lists ?? 0, lags.get('status-lists') ?? 0);
}

/** @param lag seconds by which the lists are behind the events */
export function judgeStatusLists(lists: number, lag: number): Finding {
  const check = 'status lists';
  const found = lists === 0 ? 'none; no revocable credential has been issued' : `${lists}`;
  if (lag <= 10 || lists === 0) return ok(check, lists === 0 ? found : `${found}, up to date`);
  const old = `${found}, ${Math.round(lag)} s behind the events`;
  const remedy = 'Start the service; while it runs, see "A subscription lags" in docs/runbook.md.';
  return lag > 60 ? fail(check, old, remedy) : warn(check, old, remedy);
}
