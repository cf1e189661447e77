import {
  type IssueListQuery,
  type StreamListQuery,
  openDriver,
  type Statement,
  type TimeRange,
} from '@app/event-store';
import { credentialAggregate } from '@app/issuance/src/credential/credential';
import { offerAggregate, type PublicState, offersStoredAs } from '@app/offers/src/offer/offer';
import {
  authorizationRequestAggregate,
  type RequestStatus,
  requestsStoredAs,
} from '@app/verification/src/request/authorization-request';
import { Client } from 'pg';
import { issueListStatement } from '../../libs/event-store/src/lists/issue-list-statement';
import { listStatement } from '../../libs/event-store/src/lists/list-statement';
import { stateListStatement } from '../../libs/event-store/src/lists/state-list-statement';
import { sharedPostgres } from '../support/database/postgres';

const stored = 20_000;
const pageSize = 50;
/** The worst case for a page: each of its rows needs its own blocks of index and table. */
const mostBlocks = 200;

const at = `timestamptz '2026-01-01' + n * interval '1 second'`;
/** The oldest 40 have long to go, all others have expired. */
const expiresAt = `case when n <= 40 then '2999-01-01T00:00:00.000Z'
  else to_char(timestamp '2026-01-02' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"') end`;
/** Where the first half of them ends, by creation and by expiry. */
const middle = { creation: '2026-01-01T03:00:00.000000Z', expiry: '2026-01-02T03:00:00.000Z' };

// One in 1,000 is of a rare template, the oldest ten are in a rare state. Every second was issued, an hour after its creation:
// the oldest 20 of them by a key that was compromised, all others by another one; ten were revoked, and four suspended.
const credentials = `select 'credential-' || n, 'credential', 'offer-' || n, 1, jsonb_build_object(
    'offerId', 'offer-' || n, 'templateId', case n % 1000 when 0 then 'rare' else 'common' end,
    'status', case when n <= 10 then 'Refused' else 'Issued' end, 'sealedContent', repeat('x', 800))
    || case when n % 2 = 0 then jsonb_build_object(
      'issuedAt', to_char(timestamp '2026-01-01 01:00' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'),
      'signingKeyId', case when n <= 40 then 'compromised' else 'usual' end,
      'validity', case when n <= 20 then 'Revoked' when n % 5000 = 0 then 'Suspended' else 'Valid' end) else '{}' end,
    ${at}, now()
  from generate_series(1, $1) n`;
// The oldest 40 are ten each of four rare kinds; of the others every second is redeemed, or verified.
const offers = `select 'offer-' || n, 'offer', null, 1, jsonb_build_object('expiresAt', ${expiresAt}, 'status', case
    when n <= 10 then 'locked' when n <= 20 then 'offline' when n <= 40 or n % 2 = 0 then 'open' else 'redeemed' end)
    || case when n between 21 and 30 then '{"isPublic": true}'::jsonb else '{}' end, ${at}, now()
  from generate_series(1, $1) n`;
const requests = `select 'authorization_request-' || n, 'authorization_request', null, 1, jsonb_build_object(
    'expiresAt', ${expiresAt}, 'status', case
      when n <= 10 then 'rejected' when n <= 40 or n % 2 = 0 then 'pending' else 'verified' end), ${at}, now()
  from generate_series(1, $1) n`;

describe('a filtered page', () => {
  const server = sharedPostgres();
  let client: Client;

  beforeAll(async () => {
    const connectionString = await server.createDatabase();
    await (await openDriver({ type: 'postgres', connectionString })).close();
    client = new Client({ connectionString });
    await client.connect();
    // As the service's own connections do; and with the plan that a prepared statement keeps.
    await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
    // Statistics made of the first rows alone would be neither of the two cases.
    await client.query('alter table streams set (autovacuum_enabled = off)');
    const columns = 'stream_id, category, parent, version, state, created_at, updated_at';
    for (const rows of [credentials, offers, requests]) {
      await client.query(`insert into streams (${columns}) ${rows}`, [stored]);
    }
  });
  afterAll(async () => {
    await client.end();
  });

  /** Runs the prepared statement and returns how many rows it gave and how many 8 KB blocks it read. */
  async function effort(statement: Statement): Promise<{ rows: number; blocks: number }> {
    const literal = (value: unknown): string =>
      Array.isArray(value) ? `array[${value.map(literal).join()}]` : client.escapeLiteral(String(value));
    await client.query(`prepare page as ${statement.text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) execute page(${statement.values.map(literal).join()})`,
    );
    await client.query('deallocate page');
    const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    const { 'Actual Rows': found = NaN, 'Shared Hit Blocks': hit = NaN, 'Shared Read Blocks': read = NaN } = plan;
    return { rows: found, blocks: hit + read };
  }

  async function expectEffort(pages: readonly Statement[], rows: readonly number[]): Promise<void> {
    const efforts = [];
    for (const page of pages) efforts.push(await effort(page));
    expect(efforts.map((one) => one.rows)).toEqual(rows);
    expect(Math.max(...efforts.map(({ blocks }) => blocks))).toBeLessThan(mostBlocks);
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
    ])('of credentials reads no more than it shows, first and deep: %j', async (where, first, deep) => {
      const halfway = { sortedBy: middle.creation, streamId: 'credential-10800' };
      const pages = [undefined, halfway].map((after) =>
        listStatement(credentialAggregate, { where, limit: pageSize }, after),
      );
      await expectEffort(pages, [first, deep]);
    });

    // 10,800 seconds after the first one; the last one is three hours later.
    const hours = (from: number, until: number): TimeRange => ({
      from: new Date(`2026-01-01T0${from}:00:00Z`),
      until: new Date(`2026-01-01T0${until}:00:00Z`),
    });
    it.each<[string, Omit<StreamListQuery, 'limit'>, number, number]>([
      ['of an hour before', { created: hours(1, 2) }, full, full],
      ['of an hour after', { created: hours(4, 5) }, full, 0],
      ['of one template, of an hour before', { created: hours(1, 2), where: { templateId: 'rare' } }, 4, 4],
      [
        'of one template and state',
        { created: hours(1, 2), where: { templateId: 'common', status: 'Issued' } },
        full,
        full,
      ],
      ['of a long time ago', { created: { until: new Date('2026-01-01T00:00:11Z') } }, 10, 10],
    ])('of credentials created at some time reads no more than it shows, %s', async (_, query, first, deep) => {
      const halfway = { sortedBy: middle.creation, streamId: 'credential-10800' };
      const pages = [undefined, halfway].map((after) =>
        listStatement(credentialAggregate, { ...query, limit: pageSize }, after),
      );
      await expectEffort(pages, [first, deep]);
    });

    it.each<[string, TimeRange | undefined, number, number]>([
      ['at any time', undefined, full, full],
      ['in an hour before', hours(2, 3), full, full],
      ['in an hour after', hours(5, 6), full, 0],
      ['long before', { until: new Date('2026-01-01T01:00:11Z') }, 5, 5],
      ['never', { from: new Date('2027-01-01T00:00:00Z') }, 0, 0],
    ])(
      'of credentials issued at some time reads no more than it shows, first and deep: %s',
      async (_, issued, first, deep) => {
        const halfway = { sortedBy: '2026-01-01T04:00:00.000Z', streamId: 'credential-10800' };
        const pages = [undefined, halfway].map((after) =>
          issueListStatement(credentialAggregate, { issued, limit: pageSize }, after),
        );
        await expectEffort(pages, [first, deep]);
      },
    );

    const member = (name: 'signingKeyId' | 'validity', value: string) => ({ member: name, value });
    const compromised = member('signingKeyId', 'compromised');
    it.each<[string, Omit<IssueListQuery, 'limit'>, number, number]>([
      ['that one key signed', { by: compromised }, 20, 20],
      ['that the usual key signed', { by: member('signingKeyId', 'usual') }, full, full],
      ['that an unknown key signed', { by: member('signingKeyId', 'other') }, 0, 0],
      ['that one key signed at some time', { by: compromised, issued: hours(2, 3) }, 0, 0],
      [
        'that the usual key signed at some time',
        { by: member('signingKeyId', 'usual'), issued: hours(2, 3) },
        full,
        full,
      ],
      ['that one key signed and are valid', { by: compromised, where: { validity: 'Valid' } }, 10, 10],
      ['that are valid', { by: member('validity', 'Valid') }, full, full],
      ['that are suspended', { by: member('validity', 'Suspended') }, 4, 2],
      ['that are revoked', { by: member('validity', 'Revoked') }, 10, 10],
      ['that are revoked, of one key', { by: member('validity', 'Revoked'), where: { signingKeyId: 'usual' } }, 0, 0],
    ])('of credentials %s reads no more than it shows, first and deep', async (_, query, first, deep) => {
      const halfway = { sortedBy: '2026-01-01T04:00:00.000Z', streamId: 'credential-10800' };
      const pages = [undefined, halfway].map((after) =>
        issueListStatement(credentialAggregate, { ...query, limit: pageSize }, after),
      );
      await expectEffort(pages, [first, deep]);
    });

    it('of credentials issued at some time reads on in that order for what is asked for further', async () => {
      const created = { from: new Date('2026-01-01T00:00:00Z') };
      const query = { issued: { from: new Date('2026-01-01T01:00:00Z') }, created, where: { templateId: 'common' } };
      const pages = [issueListStatement(credentialAggregate, { ...query, limit: pageSize }, undefined)];
      await expectEffort(pages, [full]);
    });

    it('of authorization requests in one state created at some time reads on in the order of expiry', async () => {
      const created = { from: new Date('2026-01-01T00:00:00Z') };
      const query = { ...requestsStoredAs('verified'), created, limit: pageSize };
      await expectEffort([stateListStatement(authorizationRequestAggregate, query, undefined)], [full]);
    });

    it.each<[PublicState, number, number]>([
      ['Open', 10, 0],
      ['Online', 10, 0],
      ['Offline', 10, 0],
      ['Expired', full, full],
      ['Redeemed', full, full],
      ['Locked', 10, 0],
      ['Withdrawn', 0, 0],
    ])('of offers reads no more than it shows, first and deep: %s', async (state, first, deep) => {
      const halfway = { sortedBy: middle.expiry, streamId: 'offer-10800' };
      const pages = [undefined, halfway].map((after) =>
        stateListStatement(offerAggregate, { ...offersStoredAs(state), limit: pageSize }, after),
      );
      await expectEffort(pages, [first, deep]);
    });

    it.each<[RequestStatus, number, number]>([
      ['pending', 30, 0],
      ['retrieved', 0, 0],
      ['rejected', 10, 0],
      ['verified', full, full],
      ['expired', full, full],
    ])('of authorization requests reads no more than it shows, first and deep: %s', async (status, first, deep) => {
      const halfway = { sortedBy: middle.expiry, streamId: 'authorization_request-10800' };
      const pages = [undefined, halfway].map((after) =>
        stateListStatement(authorizationRequestAggregate, { ...requestsStoredAs(status), limit: pageSize }, after),
      );
      await expectEffort(pages, [first, deep]);
    });
  });
});
