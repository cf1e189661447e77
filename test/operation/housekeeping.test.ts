import { Housekeeping } from '@app/operation';
import { createHash } from 'node:crypto';
import type { Settings } from '@app/config';
import { DueErasures, EventStore, Stores, openDriver, type SqlDriver } from '@app/event-store';
import { Metrics } from '@app/observability';
import { Logger } from '@nestjs/common';
import { lastSeen, steadyFor } from '../support/database/clock-watch';
import { sharedPostgres } from '../support/database/postgres';
import { asOwner, asServiceRole } from '../support/database/service-role';

const hour = 3_600_000;
const used = { kind: 'nonce', hash: createHash('sha256').update('used').digest() };

let owner: string;
let driver: SqlDriver;
let ownerDriver: SqlDriver;
let store: EventStore;
let metrics: Metrics;
let housekeeping: Housekeeping;
let warned: jest.SpyInstance;

beforeAll(async () => {
  owner = await sharedPostgres().createDatabase();
  driver = await openDriver({ type: 'postgres', connectionString: await asServiceRole(owner), poolSize: 2 });
  ownerDriver = await openDriver({ type: 'postgres', connectionString: owner, poolSize: 1 });
  store = new EventStore(driver);
});
beforeEach(async () => {
  metrics = new Metrics();
  jest.spyOn(metrics, 'clockDoubted');
  warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  jest.spyOn(Logger.prototype, 'log').mockReturnValue();
  housekeeping = newHousekeeping();
  await asOwner(owner, 'delete from clock_watch; delete from consumed');
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await driver.close();
  await ownerDriver.close();
});

const newHousekeeping = (): Housekeeping =>
  new Housekeeping(
    store,
    { audit: { retentionDays: 730 } } as Settings,
    metrics,
    new DueErasures(driver),
    new Stores(driver),
  );

/** Used a while ago by the current clock; with a clock three days ahead, still valid by the true one. */
async function useValue(hoursAfterExpiry: number): Promise<void> {
  await store.consume({ ...used, expiresAt: new Date(Date.now() - hoursAfterExpiry * hour) });
}

async function isRemembered(): Promise<boolean> {
  const rows = await driver.query({ name: 'values', text: 'select 1 as one from consumed', values: [] });
  return rows.length === 1;
}

const isDoubted = (): unknown => (metrics.clockDoubted as jest.Mock).mock.lastCall?.[0];

describe('values that have expired', () => {
  it('are removed once the clock has been steady for six hours, not before, and without an alarm', async () => {
    await useValue(72);
    await housekeeping.cleanUp();
    await steadyFor(ownerDriver, 5);
    await housekeeping.cleanUp();
    expect([await isRemembered(), isDoubted()]).toEqual([true, false]);
    await steadyFor(ownerDriver, 6);
    await housekeeping.cleanUp();
    expect([await isRemembered(), isDoubted()]).toEqual([false, false]);
  });

  it.each([
    ['jumps three days ahead', 72],
    ['jumps back', -2],
  ])('stay when the clock %s, which is logged once, until it has been steady again', async (_, hoursAgo) => {
    await useValue(70);
    await store.lookAtClock();
    await steadyFor(ownerDriver, 100);
    await lastSeen(ownerDriver, hoursAgo);
    await housekeeping.cleanUp();
    await housekeeping.cleanUp();
    expect([await isRemembered(), isDoubted()]).toEqual([true, true]);
    expect(warned.mock.calls).toEqual([
      [{ event: 'housekeeping.waits', reason: 'clock-jumped' }, 'No old rows are removed: a clock may be wrong'],
    ]);
    await steadyFor(ownerDriver, 6);
    await housekeeping.cleanUp();
    expect([await isRemembered(), isDoubted()]).toEqual([false, false]);
  });

  it('are removed six hours after a service that was down for a weekend is back, however often it restarts', async () => {
    await useValue(100);
    await store.lookAtClock();
    await steadyFor(ownerDriver, 100);
    await lastSeen(ownerDriver, 60);
    for (let look = 0; look < 8; look++) {
      expect(await isRemembered()).toBe(true);
      const restarted = newHousekeeping();
      await restarted.cleanUp();
      await lastSeen(ownerDriver, 0.9);
    }
    expect([await isRemembered(), isDoubted()]).toEqual([false, false]);
  });

  it.each([61_000, -61_000])(
    'stay while the clock of the database is %d ms away from that of the service',
    async (ahead) => {
      await useValue(72);
      await store.lookAtClock();
      await steadyFor(ownerDriver, 7);
      const look = jest.spyOn(store, 'look').mockResolvedValue({ clockAhead: ahead, readOnly: false });
      await housekeeping.cleanUp();
      expect([await isRemembered(), isDoubted()]).toEqual([true, true]);
      look.mockRestore();
      await housekeeping.cleanUp();
      expect([await isRemembered(), isDoubted()]).toEqual([false, false]);
    },
  );
});

describe('the role of the service', () => {
  it('cannot mark a clock as steady', async () => {
    const forge = `update clock_watch set steady_since = '2020-01-01'`;
    await expect(driver.query({ name: 'forge', text: forge, values: [] })).rejects.toMatchObject({ code: '42501' });
  });
});
