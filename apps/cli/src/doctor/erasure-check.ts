import { DueErasures, type SqlDriver } from '@app/event-store';
import { type Finding, ok, warn } from './finding';

/** Whether personal data whose retention has ended is erased. */
export async function checkErasures(driver: SqlDriver): Promise<Finding> {
  return judgeErasures(await new DueErasures(driver).overdue());
}

/** @param overdue seconds since the oldest erasure became due that was not carried out */
export function judgeErasures(overdue: number): Finding {
  const check = 'erasures';
  if (overdue === 0) return ok(check, 'none is due');
  const found = `the oldest that is due by a retention has waited for ${Math.ceil(overdue / 60)} min`;
  if (overdue <= 3_600) return ok(check, found);
  return warn(check, found, 'Start the service; while it runs, see "Erasures are overdue" in docs/runbook.md.');
}
