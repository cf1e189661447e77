import { AccessModule, ApiKeys, checkApiKeys } from '@app/access';
import { EventStoreModule, openDriver, recordAudit, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { KeysModule, ProofKeys } from '@app/keys';
import { type Scope } from '@app/http';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { sharedPostgres } from '../support/database/postgres';

/** What a command line imports to handle keys, on one database; two of them are two replicas. */
async function openKeys(connectionString: string): Promise<INestApplicationContext> {
  @Module({
    imports: [
      EventStoreModule.forRootAsync({ useFactory: () => ({ type: 'postgres', connectionString }) }),
      KeysModule.forRootAsync({ useFactory: () => 'password-canary' }),
      AccessModule,
    ],
  })
  class Root {}
  return NestFactory.createApplicationContext(Root, { logger: false, abortOnError: false });
}

/** As the checksum of a key is documented: CRC-32 in six digits of base 62. */
function withChecksum(body: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let rest = crc32(body);
  let text = '';
  for (; text.length < 6; rest = Math.floor(rest / 62)) text = digits.charAt(rest % 62) + text;
  return `${body}_${text}`;
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
      await expect(clientOf(taken)).rejects.toThrow(`Choose another --client: "${taken}" is reserved for`);
    }
  });

  it('that were added by hand before the first start are rejected, too', async () => {
    const { id, text } = await keys.create({ name: 'before', scopes: ['offers:read'] });
    const [{ hash } = { hash: Buffer.alloc(0) }] = await query(`select hash from api_keys where id = '${id}'`);
    const database = await postgres.createDatabase();
    const store = await openDriver({ type: 'postgres', connectionString: database });
    await store.query({
      name: 'by-hand',
      text: `insert into api_keys (id, name, client, hash, scopes) values ($1, 'before', 'before', $2, '{offers:read}')`,
      values: [id, hash],
    });
    const started = await openKeys(database);
    expect(await started.get(ApiKeys).verify(text)).toEqual({ accepted: false, reason: 'key-altered', keyId: id });
    await Promise.all([started.close(), store.close()]);
  });

  it('that were changed or added in the database by hand are rejected', async () => {
    const far = `'2999-01-01T00:00:00Z'`;
    const other = (await keys.create({ name: 'other', scopes: ['offers:read'] })).id;
    const cases = [
      `scopes = array_append(scopes, 'audit:read')`,
      `expires_at = ${far}`,
      `expires_at = null`,
      `created_at = created_at - interval '1 day'`,
      `name = 'another'`,
      `client = 'another'`,
      `client = null`,
      `hash = (select hash from api_keys where id = '${other}')`,
      `proof = null`,
      `proof = (select proof from api_keys where id = '${other}')`,
    ];
    for (const change of cases) {
      const { id, text } = await keys.create({ name: 'one', scopes: ['offers:read'], expiresAt: until(60_000) });
      await query(`update api_keys set ${change} where id = '${id}'`);
      expect([change, await keys.verify(text)]).toEqual([
        change,
        { accepted: false, reason: 'key-altered', keyId: id },
      ]);
    }
    const revoked = await keys.create({ name: 'revoked', scopes: ['offers:read'] });
    await keys.revoke(revoked.id);
    await query(`update api_keys set revoked_at = null where id = '${revoked.id}'`);
    expect(await keys.verify(revoked.text)).toMatchObject({ accepted: false, reason: 'key-altered' });

    const found: string[] = [];
    for await (const { subject } of checkApiKeys(driver, here.get(ProofKeys))) found.push(subject);
    const altered = (await keys.list()).filter(({ isProven }) => !isProven).map(({ id }) => `API key ${id}`);
    expect(found).toEqual(altered);
    expect(found).toHaveLength(cases.length + 1);

    const used = await keys.create({ name: 'used', scopes: ['offers:read'] });
    await query(`update api_keys set last_used_at = now() where id = '${used.id}'`);
    expect(await keys.verify(used.text)).toMatchObject({ accepted: true });
  });

  it('that were altered can be revoked, and stay invalid', async () => {
    const { id } = await keys.create({ name: 'altered', scopes: ['offers:read'] });
    await query(`update api_keys set name = 'another' where id = '${id}'`);
    expect(await keys.revoke(id)).toMatchObject({ isProven: false, revokedAt: expect.any(Date) as Date });
    expect((await keys.list()).find((key) => key.id === id)).toMatchObject({ isProven: false });
  });

  it('that were revoked stay revoked when an earlier version of their row is put back', async () => {
    const { id, text } = await keys.create({ name: 'put back', scopes: ['offers:read'] });
    const [{ proof } = { proof: Buffer.alloc(0) }] = await query(`select proof from api_keys where id = '${id}'`);
    const entry = { principal: 'cli:clerk', client: null, action: 'api-keys.revoke', object: id, requestId: null };
    await keys.revoke(id);
    const put = `update api_keys set revoked_at = null, proof = $2 where id = $1`;
    await driver.query({ name: 'put', text: put, values: [id, proof] });
    const refused = { accepted: false, reason: 'key-altered', keyId: id };
    // This process has seen the revocation; any other has it from the audit, to which rows are only added.
    expect(await keys.verify(text)).toEqual(refused);
    await recordAudit(driver, { ...entry, outcome: 'started' });
    await recordAudit(driver, { ...entry, outcome: 'ok' });
    expect(await there.get(ApiKeys).verify(text)).toEqual(refused);
    const found: string[] = [];
    for await (const { subject } of checkApiKeys(driver, here.get(ProofKeys))) found.push(subject);
    expect(found).toContain(`API key ${id}`);
    expect(await keys.revoke(id)).toMatchObject({ isProven: false, revokedAt: expect.any(Date) as Date });
  });

  it('are not in the database', async () => {
    const { text } = await keys.create({ name: 'dumped', scopes: ['offers:read'] });
    const dump = JSON.stringify(await query('select k::text from api_keys k'));
    expect(dump).toContain('dumped');
    for (const part of [text, text.split('_')[2] ?? '', Buffer.from(text).toString('hex')]) {
      expect(dump).not.toContain(part);
    }
  });

  it('are recognised by their whole text only', async () => {
    const one = await keys.create({ name: 'one', scopes: ['offers:read'] });
    const other = await keys.create({ name: 'other', scopes: ['offers:read'] });
    expect(await keys.verify(one.text.slice(0, -1))).toEqual({ accepted: false, reason: 'key-malformed' });
    const mixed = withChecksum(`swk_${one.id}_${other.text.split('_')[2] ?? ''}`);
    expect(await keys.verify(mixed)).toEqual({ accepted: false, reason: 'key-unknown', keyId: one.id });
    await query(`delete from api_keys where id = '${other.id}'`);
    expect(await keys.verify(other.text)).toEqual({ accepted: false, reason: 'key-unknown', keyId: other.id });
  });

  it('are rejected once they have expired', async () => {
    const { id, text } = await keys.create({ name: 'short', scopes: ['offers:read'], expiresAt: until(400) });
    await delay(500);
    expect(await keys.verify(text)).toEqual({ accepted: false, reason: 'key-expired', keyId: id });
  });

  it('are rejected at once where they are revoked, and within five seconds elsewhere', async () => {
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
  });

  it('cost a busy caller no database query', async () => {
    const { id, text } = await keys.create({ name: 'busy', scopes: ['offers:read'] });
    await keys.verify(text);
    const asked = jest.spyOn(driver, 'query');
    await Promise.all(Array.from({ length: 50 }, async () => keys.verify(text)));
    expect(asked).not.toHaveBeenCalled();
    asked.mockRestore();
    expect(await keys.revoke(id)).toMatchObject({ id });
  });

  it('record the minute of their last use, also when they are used all the time', async () => {
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

  it('know whether one of them is valid', async () => {
    await query('update api_keys set revoked_at = now()');
    expect(await keys.hasLive()).toBe(false);
    await keys.create({ name: 'short', scopes: ['offers:read'], expiresAt: until(300) });
    expect(await keys.hasLive()).toBe(true);
    await delay(400);
    expect(await keys.hasLive()).toBe(false);
  });

  it('are created with a name, known scopes and an expiry in the future', async () => {
    const scopes: readonly Scope[] = ['offers:read'];
    await expect(keys.create({ name: ' ', scopes })).rejects.toThrow('name of 1 to 100 characters');
    // A name is printed in a table on a terminal: it must not add a line or colours there.
    for (const name of ['portal\nAAAAAAAA  live', 'portal\u001b[31m', 'portal\u202e']) {
      await expect(keys.create({ name, scopes })).rejects.toThrow('a name without control characters');
    }
    await expect(keys.create({ name: 'x', scopes: [] })).rejects.toThrow('one or more of the scopes templates:read,');
    await expect(keys.create({ name: 'x', scopes: ['offers:all' as Scope] })).rejects.toThrow('one or more of');
    await expect(keys.create({ name: 'x', scopes, expiresAt: until(-1) })).rejects.toThrow('an expiry in the future');
    await expect(keys.create({ name: 'x', scopes, expiresAt: new Date('soon') })).rejects.toThrow('in the future');
    expect(await keys.revoke('nobodys0')).toBeUndefined();
  });
});
