import { setTimeout as delay } from 'node:timers/promises';
import { type OfferLoad, reckon, startOfferLoad } from '../support/portal/offer-load';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/database/replicated-postgres';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process';

const perSecond = 50;

let postgres: ReplicatedPostgres;
let database: string;
let service: ServiceProcess;

beforeEach(async () => {
  postgres = await startReplicatedPostgres();
  database = await postgres.createDatabase('read-write');
  service = await startServiceProcess(database);
}, 120_000);
afterEach(async () => {
  await service.stop();
  await postgres.stop();
}, 60_000);

/** Each lasts until the standby takes writes. */
const faults: readonly (readonly [string, () => Promise<void>])[] = [
  [
    'is killed',
    async () => {
      await postgres.primary.end('KILL');
      await delay(2_000);
      await postgres.promote();
    },
  ],
  [
    'is stopped, and killed once the standby was promoted',
    async () => {
      postgres.primary.signal('SIGSTOP');
      try {
        await delay(4_000);
        await postgres.promote();
        await delay(6_000);
      } finally {
        await postgres.primary.end('KILL');
      }
    },
  ],
  [
    'is stopped, and goes on once the standby was promoted',
    async () => {
      postgres.primary.signal('SIGSTOP');
      try {
        await delay(4_000);
        await postgres.promote();
        await delay(2_000);
      } finally {
        postgres.primary.signal('SIGCONT');
      }
    },
  ],
];

it.each(faults)(
  'a primary that %s: its synchronous standby takes over within five seconds, and nothing is lost',
  async (what, fault) => {
    const promoted = jest.fn();
    const promote = postgres.promote.bind(postgres);
    jest.spyOn(postgres, 'promote').mockImplementation(async () => {
      await promote();
      promoted(performance.now());
    });
    const load: OfferLoad = startOfferLoad(service.url, perSecond);
    await delay(5_000);
    await fault();
    await delay(8_000);
    const answers = await load.stop();
    const [at] = promoted.mock.calls[0] as [number];
    // Requests sent when the standby was already available.
    const late = answers.filter(({ status, sentAt }) => status !== 201 && sentAt > at);
    const normalAfter = Math.max(0, ...late.map(({ sentAt }) => sentAt - at));
    const { hostname, port } = new URL(postgres.standby.url);
    const reckoning = await reckon(answers, database.replace(/@[^/]+/, `@${hostname}:${port}`));
    process.stdout.write(
      `a primary that ${what}: ${JSON.stringify({ ...reckoning, normalAfterMs: Math.round(normalAfter) })}\n`,
    );
    expect(reckoning).toMatchObject({ unanswered: 0, lost: 0, refusedButStored: 0 });
    expect(reckoning.created).toBeGreaterThan(perSecond * 8);
    expect(normalAfter).toBeLessThan(5_000);
    for (const { status, retryAfter } of answers) if (status !== 201) expect(Number(retryAfter)).toBeGreaterThan(0);
  },
  120_000,
);
