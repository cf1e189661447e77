import { openDriver } from '@app/event-store';
import { credentialAggregate } from '@app/issuance/src/credential';
import { Client } from 'pg';
import { listStatement } from '../../libs/event-store/src/list-statement';
import { startPostgres, type TestPostgres } from '../support/postgres';

const stored = 20_000;
const pageSize = 50;
/** A page is as far apart as in the worst case when each of its rows has blocks of index and table of its own. */
const mostBlocks = 200;

describe('a filtered page of credentials', () => {
  let server: TestPostgres;
  let client: Client;

  beforeAll(async () => {
    server = await startPostgres();
    const connectionString = await server.createDatabase();
    await (await openDriver({ type: 'postgres', connectionString })).close();
    client = new Client({ connectionString });
    await client.connect();
    // As the service's own connections; and the plan that a prepared statement has for good.
    await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
    // One in 1,000 is of a rare template, the oldest ten are in a rare state; each has an offer beside it.
    await client.query(
      `insert into streams (stream_id, category, parent, version, state, created_at, updated_at)
        select 'credential-' || n, 'credential', 'offer-' || n, 1, jsonb_build_object(
          'offerId', 'offer-' || n, 'templateId', case n % 1000 when 0 then 'rare' else 'common' end,
          'status', case when n <= 10 then 'Refused' else 'Issued' end, 'sealedContent', repeat('x', 800)),
          timestamptz '2026-01-01' + n * interval '1 second', now()
        from generate_series(1, $1) n
        union all
        select 'offer-' || n, 'offer', null, 1, '{"status":"redeemed"}', timestamptz '2026-01-01' + n * interval '1 second', now()
        from generate_series(1, $1) n`,
      [stored],
    );
  }, 60_000);
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  /** Runs the statement as prepared and answers how many rows it gave and how many blocks of 8 KB it looked at. */
  async function effort(where: Record<string, string>, deep: boolean): Promise<{ rows: number; blocks: number }> {
    const middle = { createdAt: '2026-01-01T03:00:00.000000Z', streamId: 'credential-10800' };
    const statement = listStatement(credentialAggregate, { where, limit: pageSize }, deep ? middle : undefined);
    const literal = (value: unknown): string =>
      Array.isArray(value) ? `array[${value.map(literal).join()}]` : client.escapeLiteral(String(value));
    const values = statement.values.map(literal);
    await client.query(`prepare page as ${statement.text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) execute page(${values.join()})`,
    );
    await client.query('deallocate page');
    const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    const { 'Actual Rows': found = NaN, 'Shared Hit Blocks': hit = NaN, 'Shared Read Blocks': read = NaN } = plan;
    return { rows: found, blocks: hit + read };
  }

  const full = pageSize + 1;
  describe.each(['before', 'after'])('%s statistics are made', (when) => {
    if (when === 'after') beforeAll(() => client.query('vacuum (analyze) streams').then(() => undefined));

    it.each<[Record<string, string>, number, number]>([
      [{}, full, full],
      [{ templateId: 'common' }, full, full],
      [{ templateId: 'rare' }, 20, 10],
      [{ templateId: 'none' }, 0, 0],
      [{ status: 'Issued' }, full, full],
      [{ status: 'Refused' }, 10, 10],
      [{ status: 'Deleted' }, 0, 0],
      [{ templateId: 'common', status: 'Issued' }, full, full],
      [{ templateId: 'common', status: 'Refused' }, 10, 10],
      [{ status: 'Deleted', templateId: 'common' }, 0, 0],
      [{ templateId: 'rare', status: 'Issued' }, 20, 10],
    ])('looks at no more than it shows, first and deep: %j', async (where, first, deep) => {
      const [atFirst, inTheMiddle] = [await effort(where, false), await effort(where, true)];
      expect([atFirst.rows, inTheMiddle.rows]).toEqual([first, deep]);
      expect(Math.max(atFirst.blocks, inTheMiddle.blocks)).toBeLessThan(mostBlocks);
    });
  });
});
