import { type SqlSession, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { ImportRows } from '@app/imports/src/rows/import-rows';
import { ImportRounds } from '@app/imports/src/work/import-rounds';
import { ImportWork } from '@app/imports/src/work/import-work';
import { CommandBus } from '@nestjs/cqrs';
import { randomInt } from 'node:crypto';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { importOf, uploaded } from '../support/portal/imports';
import { publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';

const count = 240;

describe('An import whose process dies', () => {
  let service: RunningService;
  let rounds: ImportRounds;
  let driver: SqlDriver;
  beforeAll(async () => {
    // Each test says when something is done.
    jest.spyOn(ImportWork.prototype, 'wake').mockImplementation(() => undefined);
    service = await startService();
    rounds = service.app.get(ImportRounds, { strict: false });
    driver = service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
  });
  afterAll(() => service.stop());

  /** What a process does until it has nothing to do, or dies. */
  async function live(importId: string): Promise<void> {
    const session: SqlSession = await driver.session();
    try {
      while ((await rounds.next(importId, session, AbortSignal.timeout(60_000))) !== 'rest') continue;
    } finally {
      await session.close();
    }
  }

  it('goes on in another one: no row is offered twice, and none is lost', async () => {
    const { url } = service;
    const templateId = await publishedTemplate(url);
    const lines = Array.from({ length: count }, (_, at) => `Person ${at},${at},r-${at}`);
    const importId = await uploaded(url, templateId, `given_name,level,Reference\n${lines.join('\n')}\n`);
    await live(importId);
    expect(await importOf(url, importId)).toMatchObject({ state: 'Checked', totals: { rows: count, ready: count } });
    answered(200, await postJson(`${url}/v0/imports/${importId}/start`, ''));
    const bus = service.app.get(CommandBus, { strict: false });
    const execute = bus.execute.bind(bus);
    for (const death of [1, 2, 3]) {
      let left = randomInt(1, 60);
      const spy = jest.spyOn(bus, 'execute').mockImplementation(async (command) => {
        if (command.constructor.name === 'PrepareCredential' && --left < 0) throw new Error(`death ${death}`);
        return execute(command);
      });
      await expect(live(importId)).rejects.toThrow(`death ${death}`);
      spy.mockRestore();
    }
    // And once after all of a batch is made, before that is noted.
    const noted = jest.spyOn(ImportRows.prototype, 'settle').mockRejectedValueOnce(new Error('death 4'));
    await expect(live(importId)).rejects.toThrow('death 4');
    noted.mockRestore();
    await live(importId);
    expect(await importOf(url, importId)).toMatchObject({
      state: 'Done',
      totals: { created: count, failed: 0, ready: 0 },
    });
    const credentials: Json[] = [];
    for (let cursor = ''; ;) {
      const page = answered(200, await get(`${url}/v0/credentials?templateId=${templateId}&limit=200${cursor}`));
      credentials.push(...(page['items'] as Json[]));
      if (page['nextCursor'] === null) break;
      cursor = `&cursor=${encodeURIComponent(String(page['nextCursor']))}`;
    }
    expect(credentials).toHaveLength(count);
    expect(new Set(credentials.map(({ offerId }) => offerId)).size).toBe(count);
    const found = await Promise.all(
      [0, 99, 100, count - 1].map((at) => postJson(`${url}/v0/searches`, { reference: `r-${at}` })),
    );
    expect(found.map((reply) => (answered(200, reply)['items'] as Json[]).length)).toEqual([1, 1, 1, 1]);
  });
});
