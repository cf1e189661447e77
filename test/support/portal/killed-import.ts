import { randomInt } from 'node:crypto';
import { Client } from 'pg';
import { eventually } from '../../event-store/accounts';
import { sharedPostgres } from '../database/postgres';
import { answered, get, type Json, postJson } from '../http/requests';
import { startServiceProcess } from '../service/service-process';
import { importOf, until, uploaded } from './imports';
import { publishedTemplate } from './portal';

/** What is there in the end. */
export interface Survived {
  readonly totals: Json;
  /** Rows of the file that had a credential when the process was killed. */
  readonly killedAt: readonly number[];
  /** Of the result: row, reference, state, reason and link. */
  readonly lines: readonly (readonly string[])[];
  /** Ids, each as often as it is there. */
  readonly credentials: readonly string[];
  readonly offers: readonly string[];
  /** How often the reference of some rows is found. */
  readonly found: readonly number[];
}

/** Imports a file of so many rows while the process is killed: once as it checks, three times as it offers, at any row. */
export async function killedImport(count: number): Promise<Survived> {
  const database = await sharedPostgres().createDatabase();
  const client = new Client({ connectionString: database });
  await client.connect();
  let service = await startServiceProcess(database);
  const { url } = service;
  const port = { SERVICE__HTTP__PORT: new URL(url).port };
  const number = async (query: string): Promise<number> =>
    (await client.query<{ count: number }>(`select count(*)::int as count from ${query}`)).rows[0]?.count ?? 0;
  const killedOnce = async (query: string, reached: number): Promise<number> => {
    await eventually(async () => (await number(query)) >= reached, 300_000);
    service.signal('SIGKILL');
    await service.ended;
    const at = await number(query);
    service = await startServiceProcess(database, url, port);
    return at;
  };
  try {
    const templateId = await publishedTemplate(url);
    const rows = Array.from({ length: count }, (_, at) => `Person ${at},${at},r-${at}`);
    const importId = await uploaded(url, templateId, `given_name,level,Reference\n${rows.join('\n')}\n`);
    await killedOnce(`import_rows where state = 'ready'`, randomInt(1, count));
    await until(url, importId, 'Checked');
    answered(200, await postJson(`${url}/v0/imports/${importId}/start`, ''));
    const killedAt: number[] = [];
    for (const part of [0, 1, 2]) {
      const reached = Math.max(randomInt(1, count / 4) + (part * count) / 4, (killedAt.at(-1) ?? 0) + 1);
      killedAt.push(await killedOnce(`streams where stream_id like 'credential-import.%'`, Math.min(reached, count)));
    }
    await until(url, importId, 'Done');
    const { text: result } = await get(`${url}/v0/imports/${importId}/result.csv`);
    const ids = async (category: string): Promise<string[]> => {
      const { rows: streams } = await client.query<{ stream_id: string }>(
        'select stream_id from streams where stream_id like $1',
        [`${category}-%`],
      );
      return streams.map((one) => one.stream_id.slice(category.length + 1));
    };
    const some = [0, count - 1, ...killedAt.map((at) => Math.min(at, count - 1))];
    const found = await Promise.all(some.map((at) => postJson(`${url}/v0/searches`, { reference: `r-${at}` })));
    return {
      totals: (await importOf(url, importId))['totals'] as Json,
      killedAt,
      lines: result
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')),
      credentials: await ids('credential'),
      offers: await ids('offer'),
      found: found.map((reply) => (answered(200, reply)['items'] as Json[]).length),
    };
  } finally {
    await service.stop();
    await client.end();
  }
}

/** Each row has one credential and one offer. */
export function expectNothingDoubledOrLost(
  { totals, killedAt, lines, credentials, offers, found }: Survived,
  count: number,
): void {
  expect(killedAt).toHaveLength(3);
  expect(totals).toMatchObject({ rows: count, created: count, ready: 0, faulty: 0, failed: 0, duplicate: 0 });
  expect(lines.map(([row, reference, state]) => [row, reference, state])).toEqual(
    Array.from({ length: count }, (_, at) => [String(at + 2), `r-${at}`, 'created']),
  );
  expect(new Set(lines.map((line) => line.at(-1))).size).toBe(count);
  expect(lines.filter((line) => !/\/o\//.test(line.at(-1) ?? ''))).toEqual([]);
  for (const ids of [credentials, offers]) {
    expect(ids).toHaveLength(count);
    expect(new Set(ids).size).toBe(count);
  }
  expect(found).toEqual(found.map(() => 1));
}
