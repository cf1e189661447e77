import type { Provers, SqlDriver } from '@app/event-store';
import { counted } from '../counted';
import { existingStore } from '../existing-store';
import { fail, type Finding, ok } from './finding';

const check = 'stored data';
/** Events whose streams are checked: a second's work. */
const latest = 2_000;

/** Whether what was written last is still as it was written, with the keys that open it. */
export async function checkStoredData(driver: SqlDriver, provers: Provers): Promise<Finding> {
  const rows = await driver.query<{ stream_id: string }>({
    name: 'doctor-latest-streams',
    text: `select distinct stream_id from
      (select stream_id from events order by events.tx desc, events.position desc limit ${latest}) as latest order by stream_id`,
    values: [],
  });
  const only = rows.map(({ stream_id: streamId }) => streamId);
  const range = { after: '', upto: only.at(-1) ?? '', only };
  const { streams, findings } = await existingStore(driver, provers).verifyRange(range);
  const [first] = findings;
  if (first) {
    const found = `${first.subject}: ${first.fault}${findings.length > 1 ? `, and ${findings.length - 1} more` : ''}`;
    return fail(check, found, 'Run "sealwright verify-store"; see "verify-store finds something" in docs/runbook.md.');
  }
  return ok(
    check,
    `the latest ${counted(streams, 'stream')} are as they were written; "sealwright verify-store" checks all`,
  );
}
