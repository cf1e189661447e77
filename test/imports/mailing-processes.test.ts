import { EventStore, SQL_DRIVER, type SqlDriver, type SqlSession } from '@app/event-store';
import { ImportRows } from '@app/imports/src/rows/import-rows';
import { ImportRounds } from '@app/imports/src/work/import-rounds';
import { ImportWork } from '@app/imports/src/work/import-work';
import { Mailers } from '@app/mail/src/mailers';
import { OfferDeliveryTable } from '@app/mail/src/offer-delivery-table';
import { CommandBus } from '@nestjs/cqrs';
import { eventually } from '../event-store/accounts';
import { type MailRelay, startMailRelay } from '../support/counterparts/mail-relay';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { importOf, startedImport, until } from '../support/portal/imports';
import { publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';

const rows = 25;
/** Mails that are queued at once, and that go out in a minute. */
const page = 10;
const minute = 60_000;

/** Two replicas. */
let replicas: RunningService[] = [];
let url: string;
let relay: MailRelay;
let database: string;
let templateId: string;
let ahead = 0;
/** Carries out or breaks what queues mails, at each page. */
let queueing: (queue: () => Promise<unknown>, by: RunningService) => Promise<unknown> = (queue) => queue();

async function replica(): Promise<RunningService> {
  const started = await startService({
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: database,
    SERVICE__MAIL__HOST: '127.0.0.1',
    SERVICE__MAIL__PORT: String(relay.port),
    SERVICE__MAIL__SECURITY: 'none',
    SERVICE__MAIL__FROM: 'credentials@town.example',
    SERVICE__MAIL__RATE_PER_MINUTE: String(page),
  });
  const store = started.app.get(EventStore);
  const clock = store.clock.bind(store);
  jest.spyOn(store, 'clock').mockImplementation(() => new Date(clock().getTime() + ahead));
  const bus = started.app.get(CommandBus, { strict: false });
  const execute = bus.execute.bind(bus);
  jest
    .spyOn(bus, 'execute')
    .mockImplementation((command) =>
      command.constructor.name === 'QueueMails' ? queueing(() => execute(command), started) : execute(command),
    );
  return started;
}

beforeAll(async () => {
  const { list } = ImportRows.prototype;
  jest.spyOn(ImportRows.prototype, 'list').mockImplementation(function (this: ImportRows, importId, state, after) {
    return list.call(this, importId, state, after, page);
  });
  database = await sharedPostgres().createDatabase();
  relay = await startMailRelay();
  replicas = [await replica(), await replica()];
  templateId = await publishedTemplate(service().url);
});
beforeEach(() => {
  ({ url } = service());
});
afterEach(async () => {
  queueing = (queue) => queue();
  await sendAll();
  (relay.mails as unknown[]).length = 0;
});
afterAll(async () => {
  jest.restoreAllMocks();
  await Promise.all(replicas.map((one) => one.stop()));
  await relay.stop();
  await dropDatabase(database);
});

function service(): RunningService {
  const [first] = replicas;
  if (!first) throw new Error('No replica is left.');
  return first;
}

/** Lets time pass, and everything be sent that is due then. */
async function pass(milliseconds: number): Promise<void> {
  ahead += milliseconds;
  const table = new OfferDeliveryTable(service().app.get<SqlDriver>(SQL_DRIVER));
  await eventually(async () => {
    for (const { app } of replicas) app.get(Mailers).wake();
    const now = service().app.get(EventStore).clock();
    return !(await table.hasDue(now)) || (await table.attemptsSince(new Date(now.getTime() - minute))) >= page;
  });
  for (const { app } of replicas) await (app.get(Mailers) as unknown as { looking?: Promise<void> }).looking;
}

async function sendAll(): Promise<void> {
  for (let round = 0; round < 4; round++) await pass(61_000);
}

async function offeredRows(): Promise<string> {
  const lines = Array.from({ length: rows }, (_, at) => `Person ${at},p${at}@people.example`);
  const importId = await startedImport(url, templateId, ['given_name,E-mail', ...lines].join('\n'));
  await until(url, importId, 'Done');
  return importId;
}

const mail = async (importId: string): Promise<Json> =>
  answered(202, await postJson(`${url}/v0/imports/${importId}/deliveries`, { channel: 'email' }));
const stop = async (importId: string): Promise<Json> =>
  answered(200, await postJson(`${url}/v0/imports/${importId}/cancel_deliveries`, ''));

async function mailed(importId: string, state: string): Promise<Json> {
  let found: Json = {};
  await eventually(async () => {
    found = await importOf(url, importId);
    return (found['mailing'] as Json)['state'] === state;
  });
  return found;
}

/** Queues until the page of this number, which somebody else decides about. */
function atPage(number: number, then: typeof queueing): void {
  let pages = 0;
  queueing = (queue, by) => (++pages === number ? then(queue, by) : queue());
}

/** The connection with its locks breaks: to the database, the process is dead. */
async function loseLocks({ app }: RunningService): Promise<void> {
  await (app.get(ImportWork) as unknown as { session: SqlSession }).session.close();
}

const receivers = (): unknown[] => relay.mails.map(({ envelope }) => envelope.to[0]).sort();
const everybody = Array.from({ length: rows }, (_, at) => `p${at}@people.example`).sort();

describe('Mails of an import whose process', () => {
  it('dies, whether before or after they are queued, are queued by another one: each once', async () => {
    const importId = await offeredRows();
    let pages = 0;
    queueing = async (queue, by) => {
      pages++;
      // The first page is out before that is noted.
      if (pages === 1) await queue().then(() => pass(0));
      if (pages === 4) await queue();
      if (pages !== 1 && pages !== 2 && pages !== 4) return queue();
      await loseLocks(by);
      throw new Error('died');
    };
    await pass(minute);
    await mail(importId);
    await dueNow(importId, () => pages >= 6);
    const { mailing } = await mailed(importId, 'Queued');
    expect(mailing).toMatchObject({ queued: rows, skipped: { mailed: 0 } });
    await sendAll();
    expect(receivers()).toEqual(everybody);
    expect((await importOf(url, importId))['mails']).toMatchObject({ Queued: 0, Sent: rows, Cancelled: 0 });
  });

  it('has lost its lock, and goes on when another one has queued them, are neither stopped nor doubled', async () => {
    const importId = await offeredRows();
    let left: RunningService | undefined;
    atPage(2, async (queue, by) => {
      left = by;
      await loseLocks(by);
      await mailed(importId, 'Queued');
      return queue();
    });
    await mail(importId);
    await mailed(importId, 'Queued');
    await endOf(left);
    expect(await importOf(url, importId)).toMatchObject({ mailing: { queued: rows } });
    await sendAll();
    expect(receivers()).toEqual(everybody);
  });

  it('has lost its lock, and goes on while another one queues them, are counted once', async () => {
    const importId = await offeredRows();
    let left: RunningService | undefined;
    let goOn = (): void => undefined;
    const later = new Promise<void>((resolve) => (goOn = resolve));
    let pages = 0;
    queueing = async (queue, by) => {
      const own = ++pages;
      if (own === 2) {
        left = by;
        await loseLocks(by);
        await eventually(() => pages === 4, 20_000);
      } else if (own === 4) await later;
      return queue();
    };
    await mail(importId);
    await eventually(() => pages === 4, 20_000);
    await endOf(left);
    goOn();
    expect(await mailed(importId, 'Queued')).toMatchObject({ mailing: { queued: rows } });
    await sendAll();
    expect(receivers()).toEqual(everybody);
  });

  it('is stopped are queued by another one', async () => {
    const importId = await offeredRows();
    const ended: Promise<void>[] = [];
    atPage(2, (queue, by) => {
      replicas = replicas.filter((one) => one !== by);
      ended.push(by.stop());
      return queue();
    });
    await mail(importId);
    await eventually(() => ended.length > 0, 20_000);
    await Promise.all(ended);
    ({ url } = service());
    expect(await mailed(importId, 'Queued')).toMatchObject({ mailing: { queued: rows } });
    await sendAll();
    expect(receivers()).toEqual(everybody);
    replicas.push(await replica());
  });
});

describe('Mails of an import that somebody stops while they are queued', () => {
  it.each([
    ['goes on', false],
    ['dies then', true],
  ])(
    'do not go out any more, although the process that queues %s',
    async (_what, dies) => {
      const importId = await offeredRows();
      await pass(minute);
      atPage(2, async (queue, by) => {
        // All that may go out in this minute.
        await pass(0);
        await stop(importId);
        const outcomes = await queue();
        if (!dies) return outcomes;
        await loseLocks(by);
        throw new Error('died');
      });
      await mail(importId);
      await mailed(importId, 'Stopped');
      await dueNow(importId, async () => {
        const { Queued, Cancelled } = (await importOf(url, importId))['mails'] as Json;
        return Queued === 0 && Cancelled === page;
      });
      // What somebody asks for afterwards is another thing.
      const oneByOne = `${url}/v0/offers/import.${importId}.${page + 5}/deliveries`;
      answered(201, await postJson(oneByOne, { channel: 'email' }));
      await lookAgain(importId);
      expect(answered(200, await get(oneByOne))['items']).toMatchObject([
        { status: 'Queued' },
        { status: 'Cancelled' },
      ]);
      await sendAll();
      expect(relay.mails).toHaveLength(page + 1);
      await mail(importId);
      expect(await mailed(importId, 'Queued')).toMatchObject({ mailing: { queued: rows - page - 1 } });
      await sendAll();
      expect(receivers()).toEqual(everybody);
    },
    60_000,
  );
});

/** Until something is so; what is tried again later is tried now. */
async function dueNow(importId: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const driver = service().app.get<SqlDriver>(SQL_DRIVER);
  await eventually(async () => {
    const text = 'update imports set due = now() where import_id = $1';
    await driver.query({ name: '', text, values: [importId] });
    return isSo();
  });
}

/** Until a process does nothing more with imports. */
async function endOf(replica: RunningService | undefined): Promise<void> {
  const { serving } = replica?.app.get(ImportWork) as unknown as { serving: ReadonlyMap<string, Promise<void>> };
  await Promise.all(serving.values());
}

async function lookAgain(importId: string): Promise<void> {
  const session = await service().app.get<SqlDriver>(SQL_DRIVER).session();
  expect(await service().app.get(ImportRounds).next(importId, session, AbortSignal.timeout(minute))).toBe('rest');
  await session.close();
}
