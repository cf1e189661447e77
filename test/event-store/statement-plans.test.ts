import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, partitionTables, type SqlSession, type Statement } from '@app/event-store';
import { escapeLiteral } from 'pg';
import { PostgresDriver } from '../../libs/event-store/src/database/postgres.driver';
import { askEverything } from '../support/database/every-statement';
import { installationWithJit, startPostgres, type TestPostgres } from '../support/database/postgres';
import { RecordingDriver } from '../support/database/recording-driver';

/** They read all of their table, which only administrators grow, and still read it by an index. */
const readsAll = ['api-key-all', 'key-store-all', 'key-store-of-service', 'migrations-applied'];

/** Of commands by which an operator has a projection compared with all events. */
// One row for each tenant that has moved away, once for a whole run of `verify-store`.
const readsEverything = new Set(['status-lists-known', 'moved-tenants']);

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

/** Sent only to a database that hangs or has just come back, or to one that is being partitioned; they read no table of ours. */
const tableless = new Set([
  'clock',
  'ping',
  'erasure-keys-place',
  'others-connected',
  'partitions',
  'server-version',
  'table-definition',
]);

/** What of a plan costs more with every row that is stored. */
function faultsOf(plan: Plan, isLimited = false): string[] {
  const node = plan['Node Type'];
  const faults: string[] = [];
  // The system catalogue is not ours.
  if (plan['Relation Name']?.startsWith('pg_') === true) return faults;
  if (node === 'Seq Scan') faults.push(`reads all of ${plan['Relation Name'] ?? 'a table'}`);
  // With a limit above it an index without a condition is only read from its end.
  if (/^(Bitmap )?Index (Only )?Scan$/.test(node) && plan['Index Cond'] === undefined && !isLimited) {
    faults.push(`reads all of an index${plan['Relation Name'] === undefined ? '' : ` of ${plan['Relation Name']}`}`);
  }
  // What an index has in the order of a list is not sorted for each page.
  const [child] = plan.Plans ?? [];
  if (node === 'Sort' && isLimited && child?.['Relation Name']?.startsWith('streams') === true) {
    faults.push('sorts all that an index of streams finds, for one page');
  }
  return [...faults, ...(plan.Plans ?? []).flatMap((child) => faultsOf(child, isLimited || node === 'Limit'))];
}

/** Names of the statements in the sources, but for those that are put together from parts. */
function namedInSources(): string[] {
  const root = join(__dirname, '../..');
  const files = ['libs', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(root, folder, path)),
  );
  const sources = files.filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'));
  const named = /\bname: '([a-z0-9-]+)',(?:\s*\/\/[^\n]*)*\s*text[:,]/g;
  return sources.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(named)].map(([, name = '']) => name));
}

const withJit = installationWithJit();
const servers = [
  ['a PostgreSQL without LLVM', undefined, undefined],
  ['a PostgreSQL with partitions', undefined, 3],
  ...(withJit === undefined ? [] : [['a PostgreSQL with LLVM', withJit, undefined] as const]),
] as const;
if (withJit === undefined) {
  process.stderr.write(
    'Not run: plans on a PostgreSQL with LLVM. Install one, as "apt-get install postgresql" does.\n',
  );
}

describe.each(servers)('on %s', (_name, installation, partitions) => {
  let server: TestPostgres;
  let driver: PostgresDriver;
  let session: SqlSession;
  let statements: ReadonlyMap<string, Statement>;

  beforeAll(async () => {
    server = await startPostgres({ installation });
    driver = new PostgresDriver(await server.createDatabase());
    const recording = new RecordingDriver(driver);
    if (partitions !== undefined) {
      await migrate(recording);
      await partitionTables(driver, partitions);
    }
    await askEverything(recording);
    statements = recording.statements;
    session = await driver.session();
    // Statistics of tables that are still small, and the plan that a prepared statement has for good.
    await run('analyze');
    await run('set plan_cache_mode = force_generic_plan');
  });
  afterAll(async () => {
    await session.close();
    await driver.close();
    await server.stop();
  });

  const run = <T>(text: string): Promise<T[]> => session.query<T>({ name: '', text, values: [] });

  async function explain({ text, values }: Statement): Promise<{ Plan: Plan; JIT?: unknown }> {
    await run(`prepare explained as ${text}`);
    const given = values.length === 0 ? '' : `(${values.map(literal).join()})`;
    const [row] = await run<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) execute explained${given}`);
    await run('deallocate explained');
    if (row === undefined) throw new Error('There is no plan.');
    return row['QUERY PLAN'][0];
  }

  it('every statement of the product is checked', () => {
    const named = namedInSources();
    expect(named.length).toBeGreaterThan(30);
    expect([...new Set(named)].filter((name) => !statements.has(name) && !tableless.has(name))).toEqual([]);
  });

  it('no statement reads all of a table that grows', async () => {
    const faults: string[] = [];
    for (const [name, statement] of statements) {
      if (readsEverything.has(name)) continue;
      const found = faultsOf((await explain(statement)).Plan, readsAll.includes(name));
      faults.push(...found.map((fault) => `${name} ${fault}`));
    }
    expect(faults).toEqual([]);
  });

  it('no statement is JIT-compiled, whatever its cost', async () => {
    await run('set jit_above_cost = 0');
    const compiled: string[] = [];
    for (const [name, statement] of statements) {
      if ((await explain(statement)).JIT !== undefined) compiled.push(name);
    }
    expect(compiled).toEqual([]);
    await run('set jit = on');
    const [first] = statements.values();
    if (!first) throw new Error('There are no statements.');
    if (installation !== undefined) expect((await explain(first)).JIT).toBeDefined();
    await run('reset jit');
  });
});

/** As SQL: arrays in the form of PostgreSQL, whose elements may be quoted like JSON. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return escapeLiteral(
    Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one ?? null)).join()}}` : written(value),
  );
}

function written(value: unknown): string {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return value instanceof Date ? value.toISOString() : String(value);
}
