import type { Settings } from '@app/config';
import type { SqlDriver } from '@app/event-store';
import { atStore } from '@app/primitives/context';
import { type WebhookStanding, webhookStandings } from '@app/events';
import { withStores } from '../stores';
import { type Finding, ok, warn } from './finding';

/** Whether the receivers of events answer, in each store that can be used. */
export function checkWebhooks(first: SqlDriver, settings: Settings): Promise<Finding> {
  return withStores(first, settings, async (stores) => {
    const standings = stores.open().map((store) => atStore(store, () => webhookStandings(stores.driver)));
    return judgeWebhooks((await Promise.all(standings)).flat());
  });
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
