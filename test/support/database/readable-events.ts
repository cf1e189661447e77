import type { SqlDriver } from '@app/event-store';
import { eventually } from '../../event-store/accounts';

/**
 * Resolves as soon as readers of events get all that is stored so far. Any open transaction holds them up, also one of
 * another test: all databases of a server share the numbers of transactions.
 */
export async function untilReadable(driver: SqlDriver): Promise<void> {
  const text = `select coalesce(pg_snapshot_xmin(pg_current_snapshot()) > max(tx), true) as readable from events`;
  await eventually(async () => {
    const [row] = await driver.query<{ readable: boolean }>({ name: 'readable', text, values: [] });
    return row?.readable === true;
  });
}
