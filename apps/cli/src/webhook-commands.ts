import { inTenant } from '@app/primitives/context';
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
import type { SqlDriver } from '@app/event-store';
import { type Command, Option } from 'commander';
import { withTables } from './database';
import { existingStore } from './existing-store';
import { CommandFailure, UsageFailure } from './failure';
import { table } from './table';
import { tenantOfMark } from './tenant';

const shownDeliveries = 50;

/** What operators see of webhooks. Their URLs are sealed: the API shows them. */
export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('Shows how webhooks fare, and sends events again.');
  webhooks
    .command('list')
    .description('Lists the webhooks, the oldest first.')
    .addHelpText('after', '\nExample:\n  sealwright webhooks list')
    .action(list);
  webhooks
    .command('deliveries')
    .description(
      `Lists the last ${shownDeliveries} events that a webhook was sent, or is to be sent, the newest first.`,
    )
    .argument('<id>', 'the id of the webhook')
    .addOption(new Option('--status <status>', 'only those with this status').choices(deliveryStatuses))
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
    .addHelpText(
      'after',
      '\nExample:\n  sealwright webhooks replay 0e4a0a3c-6a56-4a4b-8a93-0a1b8a7f5c11 --from 2027-06-30T12:00:00Z',
    )
    .action(replay);
}

function list(): Promise<void> {
  return withTables(async (driver) => {
    const rows = (await webhookStandings(driver)).map((one) => [
      one.webhookId,
      one.pauseReason === null ? one.status : `${one.status} (${one.pauseReason})`,
      String(one.failures),
      one.failingSince ? wholeSeconds(one.failingSince) : '-',
      one.waitingSince ? wholeSeconds(one.waitingSince) : '-',
      one.description ?? '',
    ]);
    process.stdout.write(table(['ID', 'STATUS', 'FAILURES', 'FAILING SINCE', 'WAITING SINCE', 'DESCRIPTION'], rows));
  });
}

function deliveries(webhookId: string, { status }: { status?: DeliveryStatus }): Promise<void> {
  return withTables(async (driver) => {
    await standingOf(driver, webhookId);
    const { items } = await listDeliveries(driver, webhookId, { status, limit: shownDeliveries });
    const rows = items.map(({ eventId, type, subject, status: state, log }) => {
      const last = log.at(-1);
      const outcome = last === undefined ? '-' : String(last.status ?? last.failure);
      return [eventId, state, String(log.length), outcome, last?.at ?? '-', type, subject];
    });
    process.stdout.write(table(['EVENT', 'STATUS', 'ATTEMPTS', 'LAST', 'AT', 'TYPE', 'SUBJECT'], rows));
  });
}

function replay(webhookId: string, options: { from?: string; fromEvent?: string }): Promise<void> {
  const start = startOf(options);
  return withTables(async (driver, { webhooks }) => {
    const { tenant: mark } = await standingOf(driver, webhookId);
    const store = existingStore(driver, undefined);
    const begin = (): Promise<void> => beginReplay(driver, store, webhookId, start, webhooks.retentionDays);
    await inTenant(tenantOfMark(mark), begin).catch((error: unknown) => {
      throw error instanceof Problem ? new CommandFailure(error.message) : error;
    });
    process.stdout.write(
      `The events are sent again; follow them with "sealwright webhooks deliveries ${webhookId}".\n`,
    );
  });
}

function startOf({ from, fromEvent }: { from?: string; fromEvent?: string }): ReplayFrom {
  if ((from === undefined) === (fromEvent === undefined)) throw new UsageFailure('Give either --from or --from-event.');
  if (from !== undefined) {
    if (!isDateTime(from)) throw new UsageFailure('--from takes a date-time such as 2027-06-30T12:00:00Z.');
    return { from: new Date(from) };
  }
  if (!/^[1-9]\d{0,17}$/.test(fromEvent ?? ''))
    throw new UsageFailure('--from-event takes the id of an event, a number.');
  return { fromEvent: fromEvent ?? '' };
}

async function standingOf(driver: SqlDriver, webhookId: string): Promise<WebhookStanding> {
  const found = (await webhookStandings(driver)).find((one) => one.webhookId === webhookId);
  if (!found) throw new CommandFailure(`There is no webhook ${webhookId}; see "sealwright webhooks list".`);
  return found;
}
