import { ApiKeyRecords } from '@app/access';
import {
  adoptRestoredHistory,
  CheckpointTaker,
  DueErasures,
  DueExpiries,
  EventStore,
  hasAudit,
  hasRole,
  lastCheckpoint,
  migrate,
  recordAudit,
  schemaOfTables,
  type SqlDriver,
  SqlError,
  erasuresKnownIn,
  streamsToErase,
} from '@app/event-store';
import {
  forgetDatabase,
  isRestored,
  noteDatabase,
  noteReplayed,
} from '@app/event-store/src/erasure-keys/erasure-key-database';
import { ErasureFollower } from '@app/event-store/src/erasure-keys/erasure-follower';
import { ErasureKeys } from '@app/event-store/src/erasure-keys/erasure-keys';
import { appendStatement } from '@app/event-store/src/append/append';
import { auditRow } from '@app/event-store/src/audit-table';
import { claimStore } from '@app/event-store/src/database/store-identity';
import { assertOwn } from '@app/event-store/src/erasure-keys/open-erasure-keys';
import { sweepKeys } from '@app/event-store/src/erasure-keys/sweep';
import { approvalAggregate, approvalsStoredAs, approvalStates } from '@app/approvals/src/approval';
import { credentialAggregate } from '@app/issuance/src/credential/credential';
import { checkDataKeys, openCheckingKeys, openProofKeys, rewrap, Sealer } from '@app/keys';
import { KeyStore } from '@app/keys/src/store/key-store';
import { Metrics } from '@app/observability';
import { offerAggregate, publicStates, offersStoredAs } from '@app/offers/src/offer/offer';
import { giveStanding, RateLimiter, TenantLimiter } from '@app/http';
import { templateAggregate } from '@app/templates/src/template/template';
import {
  authorizationRequestAggregate,
  requestStatuses,
  requestsStoredAs,
} from '@app/verification/src/request/authorization-request';
import { inTenant } from '@app/primitives/context';
import { KeptLists } from '@app/identity/src/trust/kept-lists';
import { TenantHosts } from '@app/tenants/src/tenant-hosts';
import { versionsOfFew } from '@app/event-store/src/lists/few-streams';
import { versionsOf } from '@app/tenants/src/tenant-versions';
import { TenantUsages } from '@app/tenants/src/tenant-usage';
import { Logger } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDatabase } from '../../../apps/cli/src/doctor/database-checks';
import { committedUnits } from '../../../libs/event-store/src/append/append';
import { issueListStatement } from '../../../libs/event-store/src/lists/issue-list-statement';
import { type ListedAggregate, listStatement } from '../../../libs/event-store/src/lists/list-statement';
import { stateListStatement } from '../../../libs/event-store/src/lists/state-list-statement';
import type { RecordingDriver } from './recording-driver';
import { imageStatements } from './image-statements';
import { importStatements } from './import-statements';
import { statusStatements } from './status-statements';
import { mailStatements } from './mail-statements';
import { sessionStatements } from './session-statements';
import { webhookStatements } from './webhook-statements';
import { account, eventually, hash, open, payIn, repositories } from '../../event-store/accounts';
import { checkpointKeys, provers } from '../../event-store/provers';

/** Makes the product send every statement it has to the database. */
export async function askEverything(driver: RecordingDriver): Promise<void> {
  await migrate(driver);
  await adoptRestoredHistory(driver);
  await eventStore(driver);
  await lists(driver);
  await keys(new KeyStore(driver));
  await apiKeys(driver);
  await rootKeys(driver);
  await rateLimits(driver);
  await statusStatements(driver);
  await webhookStatements(driver);
  await imageStatements(driver);
  await importStatements(driver);
  await mailStatements(driver);
  await sessionStatements(driver);
  await erasureKeys(driver);
  await furtherStores(driver);
  await hasRole(driver, await schemaOfTables(driver));
  for await (const finding of checkDatabase(driver, 'production')) if (finding.outcome === 'fail') continue;
}

async function furtherStores(driver: RecordingDriver): Promise<void> {
  await claimStore(driver, driver, '', () => Promise.resolve());
  const audit = [auditRow({ principal: 'p', client: null, action: 'a', object: null, outcome: 'ok', requestId: null })];
  const none = { streams: [], consumed: [], dataKeys: [], erased: [] };
  const now = new Date().toISOString();
  const write = { unit: 'u', events: [], ...none, audit, tenant: 'abcdefgh' };
  await driver.query(appendStatement([write], { now, mayMove: true }));
  const used = { kind: 'nonce~abcdefgh', hash: '00', streamId: null, expiresAt: null, note: null };
  await driver.query(appendStatement([{ ...write, consumed: [used] }], { now, mayMove: true }));
}

async function eventStore(driver: RecordingDriver): Promise<void> {
  const store = new EventStore(driver, undefined, provers);
  const { accounts, notes } = repositories(store);
  await store.ping();
  const consume = [{ kind: 'handle', hash: hash('a'), bindsStream: true, note: 'kept' }];
  const dataKey = Buffer.from('sealed');
  await accounts.save('plain', 0, [open('ada'), payIn(1)]);
  await accounts.save('kept', 0, [open('ada')], { dataKey });
  await notes.save('both', 0, [{ type: 'Written', text: 'x' }], { consume, dataKey });
  await store.transact(async () => {
    await store.consume({ kind: 'nonce', hash: hash('n'), expiresAt: new Date(0) });
    await store.destroyDataKey('account', 'kept');
  });
  await store.consume({ kind: 'nonce', hash: hash('m') });
  await store.destroyDataKey('note', 'both');
  await store.transact(async () => {
    await accounts.save('all', 0, [open('ada')], { dataKey, consume: [{ kind: 'nonce', hash: hash('o') }] });
    await store.destroyDataKey('account', 'nobody');
  });
  await store.transact(async () => {
    await accounts.save('kept again', 0, [open('ada')], { dataKey });
    await store.destroyDataKey('account', 'nobody');
  });
  // As they were left: the store does not read them first.
  await accounts.update('plain', () => [payIn(1)]);
  await store.transact(async () => {
    await accounts.update('all', () => ({ events: [payIn(1)], consume: [{ kind: 'c', hash: hash('p') }], result: 0 }));
  });
  await accounts.load('plain');
  await notes.loadByHandle('handle', hash('a'));
  await store.noteOf('handle', hash('a'));
  await accounts.events('plain');
  await accounts.loadWithEvents('plain');
  await accounts.findBound('kind', [Buffer.alloc(16)], 10);
  await store.log.read(await store.log.end(), { limit: 1 });
  await store.log.changedStreams(await store.log.end(), 1);
  await store.log.positionOf((await store.log.lastOf('m', '1')) ?? { streamId: 'a', version: 1 });
  await store.log.lag((await store.log.find('1')) ?? (await store.log.end()));
  await accounts.countChildren('ada');
  await store.lookAtClock();
  await store.removeExpired();
  await store.forgetErased();
  const erasures = new DueErasures(driver);
  await erasures.run();
  await erasures.overdue();
  await new DueExpiries(driver).run();
  const entry = { principal: 'p', client: 'c', action: 'a', object: 'o', outcome: 'ok', requestId: null };
  store.attributeTo(() => ({ by: 'p', audit: () => entry }));
  await accounts.save('audited', 0, [open('ada')]);
  await store.audit(entry);
  for (let times = 0; times < 2; times++) await store.audit({ ...entry, outcome: 'forbidden' });
  if (await hasAudit(driver)) await recordAudit(driver, entry);
  const outcomes = [{ outcome: 'ok' }, { outcome: 'forbidden' }];
  for (const query of [{}, { principal: 'p' }, { client: 'c' }, { action: 'a' }, { object: 'o' }, ...outcomes]) {
    const { nextCursor } = await store.listAudit({ ...query, limit: 1 });
    await store.listAudit({ ...query, limit: 1, cursor: nextCursor ?? undefined });
  }
  await store.listAudit({ from: '2026-01-01T00:00:00Z', to: '9999-01-01T00:00:00Z', limit: 1 });
  await store.countByWeek('credential', ['status'], { from: new Date(0), until: new Date() });
  await store.countByStatus('credential', 'import.1.');
  await store.removeOldAudit(365);
  let seen = 0;
  const subscription = store.subscribe('statements', () => {
    seen++;
    return Promise.resolve();
  });
  await eventually(() => seen > 0);
  await store.subscriptionLags();
  await subscription.stop();
  const events = [{ streamId: 'account-plain', version: 1, type: 'Opened', data: '{}', metadata: '{}' }];
  await driver.query(
    committedUnits([{ unit: 'u', events, streams: [], consumed: [], dataKeys: [], erased: [], audit: [] }]),
  );
  await laterFold(driver);
  await checkpoints(driver, store);
  const spoil = [
    `update streams set version = 9 where stream_id = 'account-plain'`,
    `insert into streams select 'account-ghost', category, parent, version, state, created_at, updated_at
       from streams where stream_id = 'account-all'`,
  ];
  await driver.transaction((tx) => tx.script(spoil.join(';')));
  await store.rebuild();
}

/** A later release, which folds accounts otherwise. */
async function laterFold(driver: RecordingDriver): Promise<void> {
  const store = new EventStore(driver, undefined, provers);
  const accounts = store.repository({ ...account, foldVersion: 2 });
  await accounts.load('plain');
  await store.foldAnew();
}

async function checkpoints(driver: RecordingDriver, store: EventStore): Promise<void> {
  Logger.overrideLogger(false);
  const taker = new CheckpointTaker(driver, checkpointKeys);
  await taker.take();
  await taker.lag();
  await lastCheckpoint(driver);
  // A page that the database cannot read is read stream by stream, at the end of all streams and within a range of them.
  for (const page of ['rebuild-page', 'rebuild-upto-page', 'rebuild-only-page']) {
    driver.meanwhile.set(page, () => Promise.reject(new SqlError('unreadable', 'XX001', undefined, undefined)));
  }
  await store.verify({ keys: checkpointKeys, size: 1 });
  const from = { after: 'account-plain', streams: 0, events: 0, differing: [], restored: 0, findings: [] };
  await store.verify({ keys: checkpointKeys, from });
  await driver.transaction((tx) => tx.script(`delete from consumed where kind = 'handle'`));
}

/** As the product combines filters, first pages and later ones. */
async function lists(driver: SqlDriver): Promise<void> {
  await listsOf(driver, (aggregate) => aggregate);
  await listsOf(driver, (aggregate) => ({ ...aggregate, ofTenant: `${aggregate.category}~abcdefgh` }));
}

/** @param listed of whom the lists are */
async function listsOf(driver: SqlDriver, listed: (aggregate: ListedAggregate) => ListedAggregate): Promise<void> {
  const credentials = listed(credentialAggregate);
  const templates = listed(templateAggregate);
  const offers = listed(offerAggregate);
  const requests = listed(authorizationRequestAggregate);
  const approvals = listed(approvalAggregate);
  const position = (category: string, sortedBy: string) => [undefined, { sortedBy, streamId: `${category}-x` }];
  const limit = 50;
  const [from, until] = [new Date('2026-01-01T00:00:00Z'), new Date('9999-01-01T00:00:00Z')];
  const ranges = [undefined, { from }, { until }, { from, until }];
  const wheres = [undefined, { status: 'Issued' }, { templateId: 't' }, { status: 'Issued', templateId: 't' }];
  for (const after of position('x', '2026-01-01T00:00:00.000000Z')) {
    for (const where of wheres) {
      for (const created of ranges) {
        await driver.query(listStatement(credentials, { where, created, limit }, after));
        for (const issued of ranges) {
          const query = { where, created, issued, parent: 'offer', limit };
          await driver.query(listStatement(credentials, query, after));
        }
      }
    }
    await driver.query(listStatement(templates, { where: { listed: 'yes' }, limit }, after));
    await driver.query(listStatement(templates, { where: { status: 'Published' }, order: 'oldest', limit }, after));
    await driver.query(listStatement(offers, { limit }, after));
    for (const created of ranges) {
      await driver.query(listStatement(requests, { created, limit }, after));
    }
  }
  for (const after of position('x', '2026-01-01T00:00:00.000Z')) {
    const members = ['signingKeyId', 'validity'] as const;
    for (const by of [undefined, ...members.map((member) => ({ member, value: 'x' }))]) {
      for (const issued of ranges) {
        for (const where of [undefined, { status: 'Issued', validity: 'Valid' }]) {
          for (const created of [undefined, { from, until }]) {
            await driver.query(issueListStatement(credentials, { by, where, created, issued, limit }, after));
          }
        }
      }
    }
    for (const state of publicStates) {
      await driver.query(stateListStatement(offers, { ...offersStoredAs(state), limit }, after));
    }
    for (const state of approvalStates) {
      await driver.query(stateListStatement(approvals, { ...approvalsStoredAs(state), limit }, after));
    }
    for (const status of requestStatuses) {
      for (const created of ranges) {
        const query = { ...requestsStoredAs(status), created, limit };
        await driver.query(stateListStatement(requests, query, after));
      }
    }
  }
}

async function keys(store: KeyStore): Promise<void> {
  const at = await store.now();
  const times = { createdAt: at, updatedAt: at, proof: null, chain: null, provider: null, reference: null };
  const key = {
    purpose: 'signing',
    algorithm: 'ES256',
    status: 'active',
    publicJwk: null,
    sealed: 'x',
    ...times,
  } as const;
  await store.insert({ ...key, id: 'first' });
  await store.certify({ ...key, id: 'first', chain: 'x' }, null);
  await store.replace({ ...key, id: 'first', status: 'retired' }, { ...key, id: 'second' });
  await store.withdraw({ ...key, id: 'third', status: 'revoked' });
  await store.revokeRetired({ ...key, id: 'first' });
  await store.prove('first', hash('p'));
  await store.reseal('first', 'x', 'y');
  await store.destroy({ ...key, id: 'first' });
  await store.find('second');
  await store.list('signing');
  await store.statesOf(['abcdefgh']);
  await store.all();
}

/** Their tables are in a database of their own; here they are beside the others. */
async function erasureKeys(driver: SqlDriver): Promise<void> {
  const tables = join(__dirname, '../../../libs/event-store/src/erasure-keys/migrations/0001_schema.sql');
  await driver.transaction(async (tx) => tx.script(readFileSync(tables, 'utf8')));
  await repositories(new EventStore(driver, undefined, provers)).accounts.save('erased', 0, [
    open('ada'),
    { type: 'PersonalDataErased' },
  ]);
  const keys = new ErasureKeys(driver);
  const follower = new ErasureFollower(driver, keys);
  await keys.make('account-erased');
  await keys.find('account-erased');
  await follower.follow();
  await follower.carryOut(['account-erased']);
  const old = `insert into erasure_keys (stream_id, erasure_key, made_at) values ('note-never-stored', '', now() - interval '31 days')`;
  await driver.query({ name: '', text: old, values: [] });
  await sweepKeys(driver, driver);
  await assertOwn(driver, driver);
  await noteDatabase(driver, driver);
  await isRestored(driver, driver);
  await noteReplayed(driver, driver);
  await forgetDatabase(driver);
  for await (const found of streamsToErase(driver, erasuresKnownIn(driver), () => undefined)) found.sort();
}

async function rootKeys(driver: SqlDriver): Promise<void> {
  await rewrap(driver, 'password', { knownMs: 0, settledMs: 0 }, { step: () => undefined, dataKeys: () => undefined });
  const { roots } = await openCheckingKeys(driver, 'password');
  const { wrapped } = await new Sealer(roots).newDataKey('note-sealed');
  const change = 'insert into data_keys (stream_id, sealed_key) values ($1, $2)';
  await driver.query({ name: 'data-key', text: change, values: ['note-sealed', wrapped] });
  await driver.query({ name: 'data-key', text: change, values: ['note-broken', Buffer.from('broken')] });
  for await (const finding of checkDataKeys(driver, roots, () => undefined)) if (finding.fault !== '') continue;
  await rewrap(driver, 'password', { knownMs: 0, settledMs: 0 }, { step: () => undefined, dataKeys: () => undefined });
}

async function apiKeys(driver: SqlDriver): Promise<void> {
  const proofs = await openProofKeys(driver, 'password');
  const records = new ApiKeyRecords(driver, proofs);
  await records.insert({
    id: 'abcdefgh',
    name: 'portal',
    client: 'portal',
    hash: hash('k'),
    scopes: [],
    expiresAt: null,
  });
  const found = await records.find('abcdefgh');
  if (found) await records.findAgain([{ ...found, state: 'another' }]);
  await records.list();
  await records.all();
  await records.touch('abcdefgh');
  await records.revoke('abcdefgh');
}

/** The limiter sends these by timers of its own, which take a minute. */
async function rateLimits(driver: SqlDriver): Promise<void> {
  const asked = new Set<string>();
  const noticed: Pick<SqlDriver, 'query'> = {
    query: async (statement) => {
      const rows = await driver.query<never>(statement);
      asked.add(statement.name);
      return rows;
    },
  };
  const timers = jest.spyOn(globalThis, 'setInterval').mockImplementation((callback: () => void) => {
    callback();
    return setTimeout(() => undefined, 0);
  });
  const limiter = new RateLimiter({ ...driver, ...noticed }, true, new Metrics());
  try {
    limiter.onModuleInit();
  } finally {
    timers.mockRestore();
  }
  await limiter.count('failed-access', '192.0.2.1');
  const tenant = { id: 'town', mark: 'abcdefgh', made: new Map<object, object>() };
  giveStanding(tenant, { limits: { offersPerMinute: 1 } });
  const ofTenants = new TenantLimiter({ ...driver, ...noticed }, new Metrics());
  inTenant(tenant, () => ofTenants.take('offers'));
  await eventually(() => asked.size >= 5);
  limiter.onModuleDestroy();
  await new TenantUsages(driver).of({ mark: 'abcdefgh' });
  await new TenantHosts(driver).has('id.town.example');
  await versionsOf(driver, ['town']);
  await versionsOfFew(driver, 'template', [tenant]);
  const lists = new KeptLists(driver);
  await lists.keep({ url: 'https://lists.example', text: 'a.b.c', nextUpdate: new Date(), isForced: false });
  await lists.read('https://lists.example');
}
