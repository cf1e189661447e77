import { atStore, inTenant, type Tenant } from '@app/primitives/context';
import { Problem } from '@app/primitives/problems';
import { isDateTime, wholeSeconds } from '@app/primitives/time';
import {
  beginReplay,
  type DeliveryStatus,
  deliveryStatuses,
  listDeliveries,
  type ReplayFrom,
  type WebhookStanding,
  webhookStandings,
} from '@app/events';
import type { SqlDriver, Stores } from '@app/event-store';
import { storedTenants, storeNameOf } from '@app/tenants';
import { type Command, Option } from 'commander';
import { withTables } from './database';
import { existingStore } from './existing-store';
import { CommandFailure, UsageFailure } from './failure';
import { withStores } from './stores';
import { table } from './table';
import { allTenants, asTenant, findTenant, type OfTenant } from './tenant';

const shownDeliveries = 50;

/** A webhook with whom it is of. */
interface Found extends WebhookStanding {
  /** Absent for the issuer of the settings. */
  readonly of: Tenant | undefined;
}

/** What operators see of webhooks. Their URLs are sealed: the API shows them. */
export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('Shows how webhooks fare, and sends events again.');
  webhooks
    .command('list')
    .description('Lists the webhooks, those of tenants as well, in each store the oldest first.')
    .addOption(tenantOnly())
    .addHelpText('after', '\nExample:\n  sealwright webhooks list')
    .action(list);
  webhooks
    .command('deliveries')
    .description(
      `Lists the last ${shownDeliveries} events that a webhook was sent, or is to be sent, the newest first.`,
    )
    .argument('<id>', 'the id of the webhook')
    .addOption(new Option('--status <status>', 'only those with this status').choices(deliveryStatuses))
    .addOption(tenantOnly())
    .addHelpText(
      'after',
      '\nExample:\n  sealwright webhooks deliveries 0e4a0a3c-6a56-4a4b-8a93-0a1b8a7f5c11 --status Dead',
    )
    .action(deliveries);
  webhooks
    .command('replay')
    .description('Has events sent again, all of them from a time or an event on; the service sends them.')
    .argument('<id>', 'the id of the webhook')
    .option('--from <time>', 'events that were stored at this time or later')
    .option('--from-event <id>', 'this event and all later ones')
    .addOption(tenantOnly())
    .addHelpText(
      'after',
      '\nExample:\n  sealwright webhooks replay 0e4a0a3c-6a56-4a4b-8a93-0a1b8a7f5c11 --from 2027-06-30T12:00:00Z',
    )
    .action(replay);
}

/** Ids of webhooks are unique, so nobody has to say whose one is. */
function tenantOnly(): Option {
  return new Option('--tenant <id>', 'only webhooks of this tenant');
}

function list({ tenant }: OfTenant): Promise<void> {
  return withWebhooks(tenant, (found) => {
    // Who has no tenants sees no word of them.
    const hasTenants = found.some(({ of }) => of !== undefined);
    const rows = found.map((one) => [
      one.webhookId,
      one.pauseReason === null ? one.status : `${one.status} (${one.pauseReason})`,
      String(one.failures),
      one.failingSince ? wholeSeconds(one.failingSince) : '-',
      one.waitingSince ? wholeSeconds(one.waitingSince) : '-',
      ...(hasTenants ? [one.of?.id ?? '-'] : []),
      one.description ?? '',
    ]);
    const columns = ['ID', 'STATUS', 'FAILURES', 'FAILING SINCE', 'WAITING SINCE'];
    process.stdout.write(table([...columns, ...(hasTenants ? ['TENANT'] : []), 'DESCRIPTION'], rows));
  });
}

function deliveries(webhookId: string, { status, tenant }: OfTenant & { status?: DeliveryStatus }): Promise<void> {
  return withWebhooks(tenant, async (found, { driver }) => {
    const { of } = oneOf(found, webhookId);
    const { items } = await inTenant(of, () => listDeliveries(driver, webhookId, { status, limit: shownDeliveries }));
    const rows = items.map(({ eventId, type, subject, status: state, log }) => {
      const last = log.at(-1);
      const outcome = last === undefined ? '-' : String(last.status ?? last.failure);
      return [eventId, state, String(log.length), outcome, last?.at ?? '-', type, subject];
    });
    process.stdout.write(table(['EVENT', 'STATUS', 'ATTEMPTS', 'LAST', 'AT', 'TYPE', 'SUBJECT'], rows));
  });
}

function replay(webhookId: string, { tenant, ...options }: OfTenant & ReplayOptions): Promise<void> {
  const start = startOf(options);
  return withWebhooks(tenant, async (found, stores, first, retentionDays) => {
    const { of } = oneOf(found, webhookId);
    const store = existingStore(first, undefined, stores);
    await inTenant(of, () => beginReplay(stores.driver, store, webhookId, start, retentionDays)).catch(
      (error: unknown) => {
        throw error instanceof Problem ? new CommandFailure(error.message) : error;
      },
    );
    process.stdout.write(
      `The events are sent again; follow them with "sealwright webhooks deliveries ${webhookId}".\n`,
    );
  });
}

type Work = (found: readonly Found[], stores: Stores, first: SqlDriver, retentionDays: number) => Promise<void> | void;

/** Works on the webhooks of one tenant, or on all; of a store that cannot be used, none. */
function withWebhooks(tenantId: string | undefined, work: Work): Promise<void> {
  return withTables(
    (first, settings) =>
      withStores(first, settings, async (stores) => {
        const stored = storedTenants(first, settings);
        const all = await inTenant(undefined, async () =>
          tenantId === undefined ? allTenants(stored) : [await findTenant(stored, tenantId)],
        );
        const tenants = new Map(all.map((state) => [state.mark, state]));
        const found: Found[] = [];
        for (const name of stores.open()) {
          for (const one of await atStore(name, () => webhookStandings(stores.driver))) {
            const state = tenants.get(one.tenant);
            // What moves is in two stores for a while.
            const isHere = state && storeNameOf(state) === (name ?? 'first');
            const isOfService = one.tenant === '' && tenantId === undefined;
            if (isHere || isOfService) found.push({ ...one, of: state && asTenant(state) });
          }
        }
        for (const { name, fault } of stores.standings()) {
          const isMeant = tenantId === undefined || all.some((state) => storeNameOf(state) === name);
          if (isMeant && fault !== undefined)
            process.stderr.write(`Without the store ${name}, which cannot be used: ${fault}\n`);
        }
        await work(found, stores, first, settings.webhooks.retentionDays);
      }),
    tenantId,
  );
}

interface ReplayOptions {
  readonly from?: string;
  readonly fromEvent?: string;
}

function startOf({ from, fromEvent }: ReplayOptions): ReplayFrom {
  if ((from === undefined) === (fromEvent === undefined)) throw new UsageFailure('Give either --from or --from-event.');
  if (from !== undefined) {
    if (!isDateTime(from)) throw new UsageFailure('--from takes a date-time such as 2027-06-30T12:00:00Z.');
    return { from: new Date(from) };
  }
  if (!/^[1-9]\d{0,17}$/.test(fromEvent ?? ''))
    throw new UsageFailure('--from-event takes the id of an event, a number.');
  return { fromEvent: fromEvent ?? '' };
}

function oneOf(found: readonly Found[], webhookId: string): Found {
  const one = found.find((standing) => standing.webhookId === webhookId);
  if (!one) throw new CommandFailure(`There is no webhook ${webhookId}; see "sealwright webhooks list".`);
  return one;
}
