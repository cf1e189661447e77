import type { SqlDriver } from '@app/event-store';
import { type WebhookStanding, webhookStandings } from '@app/events';
import { type Finding, ok, warn } from './finding';

/** Whether the receivers of events answer. */
export async function checkWebhooks(driver: SqlDriver): Promise<Finding> {
  return judgeWebhooks(await webhookStandings(driver));
}

export function judgeWebhooks(standings: readonly WebhookStanding[]): Finding {
  const check = 'webhooks';
  if (standings.length === 0) return ok(check, 'none');
  const faults = standings.flatMap((standing) => faultOf(standing) ?? []);
  if (faults.length === 0) return ok(check, `${standings.length}, none fails`);
  return warn(check, faults.join(', '), 'Repair the receivers; see "A webhook fails" in docs/runbook.md.');
}

/** Who pauses a webhook knows of it. */
function faultOf({ webhookId, status, pauseReason, failures, failingSince }: WebhookStanding): string | undefined {
  if (status === 'Paused')
    return pauseReason === 'requested' ? undefined : `${webhookId} is paused (${String(pauseReason)})`;
  return failures > 0 ? `${webhookId} fails since ${failingSince?.toISOString() ?? 'its creation'}` : undefined;
}
