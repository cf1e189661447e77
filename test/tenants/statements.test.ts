import type { Statement } from '@app/event-store';
import { PostgresDriver } from '../../libs/event-store/src/database/postgres.driver';
import { askEverything } from '../support/database/every-statement';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { RecordingDriver } from '../support/database/recording-driver';

/** A row is asked for by a name that has the mark of its tenant, or by the column that has it; values are given, not read elsewhere. */
const ofTenant =
  /\b(?:tenant|category|stream_id|kind|purpose)(?: collate "C")? (?:=|in) (?:any ?\()?(?:\$\d|\(?select \$\d|r\.\w|substr\(r\.)/;
/** Literals without a mark, and columns and indexes that only rows of the service itself are in. */
const ofService =
  /\btenant = ''|from streams\s+where (?:category = '\w+' and|(?:template_id|status) = \$\d|\(case category when '\w+')/;

/** Statements that name no tenant, by why that is right. A new one belongs here only with such a reason. */
const others: Readonly<Record<string, readonly string[]>> = {
  'The database itself: its clock, rights, tables, locks.': [
    ...[
      'advisory-lock',
      'advisory-unlock',
      'api-key-now',
      'console-session-now',
      'audit-exists',
      'doctor-clock',
      'doctor-connections',
      'doctor-role',
    ],
    ...['doctor-version', 'durability', 'history-ahead', 'history-mark', 'key-store-now', 'look', 'look-at-clock'],
    ...[
      'migration-applied',
      'migration-lock',
      'migrations-applied',
      'migrations-table',
      'rights-missing',
      'rights-over-history',
    ],
    ...[
      'role-exists',
      'rough-count',
      'schema-of-tables',
      'write-probe',
      'moved-tenants',
      'store-identity',
      'store-identity-note',
      'webhook-locks',
    ],
  ],
  'Written rows bring the names that they have, with the mark.': [
    ...['append', 'append-audit', 'append-consume', 'append-consume-keep', 'append-keep', 'audit-record', 'data-key'],
    ...['append-consume-audit-here', 'audit-record-here'],
    ...[
      'console-session-insert',
      'api-key-insert',
      'key-store-insert',
      'webhook-receiver-add',
      'import-file-add',
      'import-rows-add',
      'import-wake',
      'rate-limit-count',
      'tenant-limit-count',
    ],
    ...['mail-add', 'mail-add-many'],
    ...['status-changes-add', 'erasure-keys-make', 'used-values-restore', 'rebuild-store'],
  ],
  'All events in their order, of which each is handed out in the name of its tenant.': [
    ...[
      'event-of-tenant-before',
      'event-at-position',
      'events-end',
      'events-in-commit-order',
      'events-lag',
      'streams-in-commit-order',
    ],
    ...['subscription-advance', 'subscription-checkpoint', 'subscription-lags'],
  ],
  'What is due, of all tenants; it is done in the name of each.': [
    ...[
      'imports-due',
      'tenant-expiries-due',
      'erasures-due',
      'erasure-overdue',
      'webhook-waiting',
      'webhook-receiver-any',
      'webhook-standings',
      'tenant-arrivals',
    ],
    ...['mail-attempts', 'mail-due', 'mail-has-due', 'mail-hold', 'mail-waiting'],
  ],
  'Removed by their age alone.': [
    ...[
      'audit-remove-old',
      'console-session-remove-old',
      'remove-expired',
      'rate-limit-forget',
      'rate-limit-reached',
      'tenant-limit-forget',
      'webhook-remove-old',
      'imports-old',
      'mail-remove-old',
    ],
  ],
  'The provider at which people sign in knows no tenants: who signs out there does so everywhere.': [
    ...['console-session-of-sid', 'console-session-of-subject'],
  ],
  'Proofs, checks and repairs of the whole store.': [
    ...[
      'checkpoint-events',
      'checkpoint-last',
      'checkpoint-start',
      'checkpoint-store',
      'checkpoints-in-reach',
      'checkpoints-page',
    ],
    ...[
      'covered-events',
      'newest-event',
      'range-end',
      'rebuild-ids',
      'rebuild-page',
      'rebuild-read',
      'rebuild-upto-ids',
    ],
    ...['rebuild-upto-page', 'used-values-page', 'fold-done', 'fold-page', 'data-keys-page', 'doctor-latest-streams'],
    ...[
      'doctor-status-lists',
      'status-lists-known',
      'status-changes-known',
      'status-list-rebuilt',
      'api-key-all',
      'key-store-all',
    ],
  ],
  'Erasures, by the names of streams, which say whose they are.': [
    ...[
      'data-keys-made',
      'erased-lately',
      'erasure-key-database',
      'erasure-key-database-forget',
      'erasure-key-database-note',
    ],
    ...[
      'erasure-keys-identity',
      'erasure-keys-old',
      'erasure-keys-take',
      'erasures-followed',
      'erasures-known',
      'erasures-latest',
    ],
    ...['erasures-missing', 'erasures-recorded', 'erasures-replayed', 'erasures-times', 'erasures-upto'],
  ],
  'By an id that is made by chance, of a row that was found in the name of its tenant.': [
    ...['mail-begin', 'mail-leave', 'mail-postpone'],
    ...['api-key-revoke', 'api-key-touch', 'status-changes-after', 'status-changes-rebuilt', 'status-changes-told'],
    ...[
      'status-changes-told-at',
      'status-list-prove',
      'status-list-set-back',
      'status-list-version',
      'webhook-delivered',
    ],
    ...[
      'webhook-due',
      'webhook-failed',
      'webhook-hasten',
      'webhook-log',
      'webhook-log-by-status',
      'webhook-receiver-failed',
    ],
    ...['webhook-receiver-filter', 'webhook-receiver-hold', 'webhook-receiver-pause', 'webhook-receiver-remove'],
    ...['webhook-receiver-resume', 'webhook-receiver-succeeded', 'webhook-replay-advance', 'webhook-replay-begin'],
    ...['webhook-replay-end', 'webhook-replay-find', 'webhook-schedule'],
  ],
  'By the id of a key, which has the mark.': [
    ...[
      'key-store-certify',
      'key-store-destroy',
      'key-store-find',
      'key-store-prove',
      'key-store-replace',
      'key-store-reseal',
    ],
    ...['key-store-revoke', 'key-store-withdraw'],
  ],
  'Keys of the service alone.': ['key-store-of-service'],
  'Lists of others, which are the same for all tenants.': ['trust-list-keep', 'trust-list-read'],
};
const reasoned = new Set(Object.values(others).flat());

function isGuarded({ text }: Pick<Statement, 'text'>): boolean {
  return ofTenant.test(text) || ofService.test(text);
}

/** Statements of the tests themselves have no name. */
function unguarded(statements: Iterable<Statement>): string[] {
  return [...statements]
    .filter((one) => one.name !== '' && !isGuarded(one) && !reasoned.has(one.name))
    .map(({ name }) => name)
    .sort();
}

describe('every statement', () => {
  let database: string;
  let driver: PostgresDriver;
  let statements: ReadonlyMap<string, Statement>;
  beforeAll(async () => {
    database = await sharedPostgres().createDatabase();
    driver = new PostgresDriver(database);
    const recording = new RecordingDriver(driver);
    await askEverything(recording);
    statements = recording.statements;
  });
  afterAll(async () => {
    await driver.close();
    await dropDatabase(database);
  });

  it('asks for rows of one tenant, or says why not', () => {
    expect(unguarded(statements.values())).toEqual([]);
  });

  it('has no reason without a statement', () => {
    const needless = [...reasoned].filter((name) => {
      const statement = statements.get(name);
      return statement === undefined || isGuarded(statement);
    });
    expect(needless).toEqual([]);
  });

  it.each([
    `select state from streams where state->>'status' = $1`,
    'select s.state from streams s join data_keys k on k.stream_id = s.stream_id',
    'update webhook_receivers set paused = true',
  ])('is found when it names none: %s', (text) => {
    expect(unguarded([{ name: 'planted', text, values: [] }])).toEqual(['planted']);
  });
});
