import { AccessModule, ApiKeys, type Scope } from '@app/access';
import { EventStoreModule, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setTimeout as delay } from 'node:timers/promises';
import { sharedPostgres } from '../support/postgres';

/** What a command line imports to handle keys, on one database; two of them are two replicas. */
async function openKeys(connectionString: string): Promise<INestApplicationContext> {
  @Module({
    imports: [
      EventStoreModule.forRootAsync({ useFactory: () => ({ type: 'postgres', connectionString }) }),
      AccessModule,
    ],
  })
  class Root {}
  return NestFactory.createApplicationContext(Root, { logger: false, abortOnError: false });
}

describe('API keys in the database', () => {
  const postgres = sharedPostgres();
  let here: INestApplicationContext;
  let there: INestApplicationContext;
  let keys: ApiKeys;
  let driver: SqlDriver;
  const until = (ms: number): Date => new Date(Date.now() + ms);
  beforeAll(async () => {
    const database = await postgres.createDatabase();
    here = await openKeys(database);
    there = await openKeys(database);
    keys = here.get(ApiKeys);
    driver = here.get<SqlDriver>(SQL_DRIVER);
  });
  afterAll(async () => {
    await here.close();
    await there.close();
  });
  let statements = 0;
  const query = (text: string) =>
    driver.query<Record<string, unknown>>({ name: `test-${++statements}`, text, values: [] });

  it('are shown once, and are accepted with their scopes', async () => {
    const { text, ...made } = await keys.create({ name: ' portal ', scopes: ['offers:write', 'offers:read'] });
    expect(made).toMatchObject({ name: 'portal', expiresAt: null, revokedAt: null, lastUsedAt: null });
    expect(await keys.verify(text)).toEqual({
      accepted: true,
      keyId: made.id,
      client: 'portal',
      scopes: ['offers:read', 'offers:write'],
    });
    const listed = await keys.list();
    expect(listed.map(({ id }) => id)).toContain(made.id);
    expect(JSON.stringify(listed)).not.toContain(text.split('_')[2]);
  });

  it('belong to a client, which their name gives when none is named', async () => {
    const scopes: readonly Scope[] = ['offers:read'];
    const clientOf = async (name: string, client?: string) => (await keys.create({ name, client, scopes })).client;
    expect(await clientOf('Town hall, büro 2')).toBe('town-hall-buro-2');
    expect(await clientOf('autumn key', 'Town.Hall_2')).toBe('Town.Hall_2');
    expect(await clientOf(`${'a'.repeat(63)} b`)).toBe('a'.repeat(63));
    await expect(clientOf('Ратуша')).rejects.toThrow('Give --client 1 to 64 of');
    for (const wrong of ['', '-a', 'a b', 'oauth:x|y', 'key:nobodys0', 'a'.repeat(65)]) {
      await expect(clientOf('x', wrong)).rejects.toThrow('Give --client 1 to 64 of');
    }
    for (const taken of ['settings', 'local']) {
      await expect(clientOf(taken)).rejects.toThrow(`Choose another --client: "${taken}" stands for`);
    }
  });

  it('made before there were clients are clients of their own, and are changed within them', async () => {
    const { id, text } = await keys.create({ name: 'before', scopes: ['offers:read'] });
    await query(`update api_keys set client = null where id = '${id}'`);
    expect(await keys.verify(text)).toMatchObject({ accepted: true, client: `key:${id}` });
    const next = await keys.create({ name: 'after', client: `key:${id}`, scopes: ['offers:read'] });
    expect(await keys.verify(next.text)).toMatchObject({ accepted: true, client: `key:${id}` });
  });

  it('are not in the database', async () => {
    const { text } = await keys.create({ name: 'dumped', scopes: ['offers:read'] });
    const dump = JSON.stringify(await query('select k::text from api_keys k'));
    expect(dump).toContain('dumped');
    for (const part of [text, text.split('_')[2] ?? '', Buffer.from(text).toString('hex')]) {
      expect(dump).not.toContain(part);
    }
  });

  it('are known by their whole text', async () => {
    const one = await keys.create({ name: 'one', scopes: ['offers:read'] });
    const other = await keys.create({ name: 'other', scopes: ['offers:read'] });
    expect(await keys.verify(one.text.slice(0, -1))).toEqual({ accepted: false, reason: 'key-malformed' });
    await query(
      `update api_keys set hash = (select hash from api_keys where id = '${other.id}') where id = '${one.id}'`,
    );
    expect(await keys.verify(one.text)).toEqual({ accepted: false, reason: 'key-unknown', keyId: one.id });
    await query(`delete from api_keys where id = '${other.id}'`);
    expect(await keys.verify(other.text)).toEqual({ accepted: false, reason: 'key-unknown', keyId: other.id });
  });

  it('end when they expire', async () => {
    const { id, text } = await keys.create({ name: 'short', scopes: ['offers:read'], expiresAt: until(400) });
    await delay(500);
    expect(await keys.verify(text)).toEqual({ accepted: false, reason: 'key-expired', keyId: id });
  });

  it('end at once where they are revoked, and within five seconds elsewhere', async () => {
    const { id, text } = await keys.create({ name: 'lost', scopes: ['offers:read'] });
    const others = there.get(ApiKeys);
    expect(await keys.verify(text)).toMatchObject({ accepted: true });
    expect(await others.verify(text)).toMatchObject({ accepted: true });
    const revoked = await keys.revoke(id);
    const refused = { accepted: false, reason: 'key-revoked', keyId: id };
    expect(await keys.verify(text)).toEqual(refused);
    await delay(5_100);
    expect(await others.verify(text)).toEqual(refused);
    expect((await keys.revoke(id))?.revokedAt).toEqual(revoked?.revokedAt);
  }, 20_000);

  it('cost a busy caller no question to the database', async () => {
    const { id, text } = await keys.create({ name: 'busy', scopes: ['offers:read'] });
    await keys.verify(text);
    const asked = jest.spyOn(driver, 'query');
    await Promise.all(Array.from({ length: 50 }, () => keys.verify(text)));
    expect(asked).not.toHaveBeenCalled();
    asked.mockRestore();
    expect(await keys.revoke(id)).toMatchObject({ id });
  });

  it('remember the minute of their last use, also when they are used all the time', async () => {
    const { id, text } = await keys.create({ name: 'noted', scopes: ['offers:read'] });
    const lastUse = async () => (await keys.list()).find((key) => key.id === id)?.lastUsedAt ?? null;
    await keys.verify(text);
    while ((await lastUse()) === null) await delay(20);
    const first = await lastUse();
    await there.get(ApiKeys).verify(text);
    await keys.verify(text);
    await delay(200);
    expect(await lastUse()).toEqual(first);
  });

  it('know whether one of them lives', async () => {
    await query('update api_keys set revoked_at = now()');
    expect(await keys.hasLive()).toBe(false);
    await keys.create({ name: 'short', scopes: ['offers:read'], expiresAt: until(300) });
    expect(await keys.hasLive()).toBe(true);
    await delay(400);
    expect(await keys.hasLive()).toBe(false);
  });

  it('are made with a name, known scopes and an end to come', async () => {
    const scopes: readonly Scope[] = ['offers:read'];
    await expect(keys.create({ name: ' ', scopes })).rejects.toThrow('name of 1 to 100 characters');
    // A name stands in a table on somebody's terminal: it makes no second line there and no colours.
    for (const name of ['portal\nAAAAAAAA  live', 'portal\u001b[31m', 'portal\u202e']) {
      await expect(keys.create({ name, scopes })).rejects.toThrow('a name without control characters');
    }
    await expect(keys.create({ name: 'x', scopes: [] })).rejects.toThrow('one or more of the scopes templates:read,');
    await expect(keys.create({ name: 'x', scopes: ['offers:all' as Scope] })).rejects.toThrow('one or more of');
    await expect(keys.create({ name: 'x', scopes, expiresAt: until(-1) })).rejects.toThrow('expire in the future');
    await expect(keys.create({ name: 'x', scopes, expiresAt: new Date('soon') })).rejects.toThrow('in the future');
    expect(await keys.revoke('nobodys0')).toBeUndefined();
  });
});
