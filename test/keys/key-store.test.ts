import { EventStoreModule, openDriver, SQL_DRIVER, type EventStoreOptions, type SqlDriver } from '@app/event-store';
import {
  Authenticator,
  changePassword,
  checkDataKeys,
  checkKeyRows,
  CheckpointKeys,
  isSignedByCheckpointKey,
  KeyRing,
  KeysModule,
  openCheckingKeys,
  ProofKeys,
  SealedTokens,
  Sealer,
  rewrap,
} from '@app/keys';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedPostgres } from '../support/database/postgres';

const password = 'password-canary';
const place = { streamId: 'credential-1', event: 'CredentialPrepared' };
const postgres = sharedPostgres();
let database: EventStoreOptions;
const open: TestingModule[] = [];

beforeEach(async () => {
  database = { type: 'postgres', connectionString: await postgres.createDatabase() };
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((instance) => instance.close()));
});

/** One instance of the service as far as its keys go, with a connection pool of its own. */
async function start(given: { password?: string; database?: EventStoreOptions } = {}): Promise<TestingModule> {
  const instance = await Test.createTestingModule({
    imports: [
      EventStoreModule.forRootAsync({ useFactory: () => given.database ?? database }),
      KeysModule.forRootAsync({ useFactory: () => given.password ?? password }),
    ],
  }).compile();
  await instance.init();
  open.push(instance);
  return instance;
}

describe('three instances that start at once on an empty database', () => {
  it('agree on every key', async () => {
    const instances = await Promise.all([start(), start(), start()]);
    const published = instances.map((instance) => instance.get(KeyRing).publicKeys());
    expect(published[0]).toHaveLength(2);
    expect(published[1]).toEqual(published[0]);
    expect(published[2]).toEqual(published[0]);

    const [one, other] = instances;
    const { sealed, wrappedKey } = await one.get(Sealer).sealJson({ name: 'Erika' }, place);
    expect(await other.get(Sealer).openJson(sealed, wrappedKey, place)).toEqual({ name: 'Erika' });
    const expiresAt = new Date(Date.now() + 60_000);
    const token = one.get(SealedTokens).issue('c_nonce', Buffer.from('body'), expiresAt);
    expect(other.get(SealedTokens).read('c_nonce', token, 4, new Date())).toMatchObject({ expiresAt });
    const digests = instances.map((instance) => instance.get(Authenticator).mac('example', '4711').toString('hex'));
    expect(new Set(digests).size).toBe(1);
    const bytes = Buffer.from('a row');
    const proof = one.get(ProofKeys).for('rows').prove(bytes);
    expect(other.get(ProofKeys).for('rows').check(bytes, proof)).toBe(true);
  });

  it('sign checkpoints with one key, which its public half alone verifies', async () => {
    const [one, other] = (await Promise.all([start(), start(), start()])).map((instance) =>
      instance.get(CheckpointKeys),
    );
    if (!one || !other) throw new Error('three instances expected');
    const bytes = Buffer.from('a checkpoint');
    const { kid, signature } = one.sign(bytes);
    expect(other.check(kid, bytes, signature)).toBe(true);
    const [published, ...more] = other.publicKeys();
    expect(more).toEqual([]);
    if (!published) throw new Error('a key expected');
    expect(published.kid).toBe(kid);
    expect(isSignedByCheckpointKey(published.publicJwk, bytes, signature)).toBe(true);
    expect(isSignedByCheckpointKey(published.publicJwk, Buffer.from('a checkpoint.'), signature)).toBe(false);
    expect(other.check('another', bytes, signature)).toBe(false);
    expect(other.check(kid, bytes, signature.subarray(1))).toBe(false);
  });

  it('rotate a key once when all of them rotate it', async () => {
    const rings = (await Promise.all([start(), start(), start()])).map((instance) => instance.get(KeyRing));
    const old = rings[0]?.activeKey('ES256').kid;
    await Promise.all(rings.map((ring) => ring.rotate('ES256')));
    await Promise.all(rings.map((ring) => ring.refresh()));
    for (const ring of rings) {
      expect(ring.publicKeys()).toEqual(rings[0]?.publicKeys());
      expect(ring.publicKeys().filter(({ algorithm }) => algorithm === 'ES256')).toEqual([
        expect.objectContaining({ kid: old, status: 'retired' }),
        expect.objectContaining({ kid: ring.activeKey('ES256').kid, status: 'active' }),
      ]);
    }
  });
});

it('keeps three rotations published and signs with the latest', async () => {
  const ring = (await start()).get(KeyRing);
  const kids: string[] = [];
  for (let round = 0; round < 3; round++) {
    kids.push(ring.activeKey('EdDSA').kid);
    await ring.rotate('EdDSA');
  }
  const published = (await start()).get(KeyRing);
  const latest = ring.activeKey('EdDSA').kid;
  expect(published.activeKey('EdDSA').kid).toBe(latest);
  const eddsa = published.publicKeys().filter(({ algorithm }) => algorithm === 'EdDSA');
  expect(eddsa.map(({ kid }) => kid)).toEqual([...kids, latest]);
});

it('does not start with a wrong password, and does not print it', async () => {
  await start();
  const refused = start({ password: 'wrong-canary' });
  await expect(refused).rejects.toThrow('The key store stays locked');
  await expect(refused).rejects.toThrow(expect.objectContaining({ message: expect.not.stringContaining('canary') }));
});

it('leaves no usable key in a dump', async () => {
  const instance = await start();
  await instance.get(KeyRing).rotate('ES256');
  const rows = await instance.get<SqlDriver>(SQL_DRIVER).query<{ sealed: string; public_jwk: object | null }>({
    name: 'dump',
    text: 'select * from key_store',
    values: [],
  });
  expect(rows).toHaveLength(7);
  const contents = rows.map(({ sealed }) => Buffer.from(sealed.replace('p1.', ''), 'base64url').toString('latin1'));
  for (const text of [...contents, JSON.stringify(rows)]) {
    expect(text).not.toMatch(/"d"|"kty":"oct"|PRIVATE KEY|password-canary/);
  }
  for (const { public_jwk } of rows) expect(Object.keys(public_jwk ?? {})).not.toContain('d');
});

it('finds the same keys again in the embedded store', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'key-store-'));
  try {
    const embedded: EventStoreOptions = { type: 'embedded', directory };
    const first = await start({ database: embedded });
    await first.get(KeyRing).rotate('ES256');
    const published = first.get(KeyRing).publicKeys();
    await first.close();
    open.pop();
    const again = await start({ database: embedded });
    expect(again.get(KeyRing).publicKeys()).toEqual(published);
    await again.close();
    open.pop();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

describe('rows of keys', () => {
  const sql = (instance: TestingModule, text: string): Promise<Record<string, unknown>[]> =>
    instance.get<SqlDriver>(SQL_DRIVER).query({ name: '', text, values: [] });
  async function findings(instance: TestingModule): Promise<string[]> {
    const driver = instance.get<SqlDriver>(SQL_DRIVER);
    const found: string[] = [];
    const keys = await openCheckingKeys(driver, password);
    for await (const { subject, fault } of checkKeyRows(driver, keys)) found.push(`${subject} ${fault}`);
    return found;
  }

  it('that were changed or added by SQL are each named', async () => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const instance = await start();
    await instance.get(KeyRing).rotate('ES256');
    expect(await findings(instance)).toEqual([]);
    await sql(instance, `update key_store set status = 'active' where id = 'signing:ES256:1'`);
    await sql(instance, `update key_store set created_at = created_at - interval '1 day' where id = 'signing:ES256:2'`);
    await sql(instance, `update key_store set public_jwk = public_jwk || '{"x":"AA"}' where id = 'checkpoint:1'`);
    await sql(instance, `update key_store set sealed = 'AAAA' where id = 'signing:EdDSA:1'`);
    await sql(
      instance,
      `insert into key_store (id, purpose, status, sealed) values ('signing:EdDSA:9', 'signing', 'retired', '')`,
    );
    expect(await findings(instance)).toEqual([
      'key checkpoint:1 was changed outside the service',
      'key signing:ES256:1 was changed outside the service',
      'key signing:ES256:2 was changed outside the service',
      'key signing:EdDSA:1 cannot be opened',
      'key signing:EdDSA:9 has no proof: it was added outside the service',
    ]);
    jest.restoreAllMocks();
  });

  it('that do not open, or have no valid proof, do not stop a replica from starting, rotating and being checked', async () => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const first = await start();
    const { kid } = first.get(KeyRing).activeKey('EdDSA');
    const [checkpoint] = first.get(CheckpointKeys).publicKeys();
    const bytes = Buffer.from('a checkpoint');
    const signed = first.get(CheckpointKeys).sign(bytes);
    const garbage = [
      ...['signing:EdDSA:2', 'signing:EdDSA:9', 'signing:EdDSA:x', 'proof:2', 'checkpoint:7'],
      ...['key-encryption:1', 'key-encryption:9', 'root-handover:9'],
    ];
    for (const id of garbage) {
      const [purpose = ''] = id.split(':');
      const row = `'${id}', '${purpose}', 'EdDSA', 'active', 'AgJ_', 'infinity'`;
      await sql(first, `insert into key_store (id, purpose, algorithm, status, sealed, created_at) values (${row})`);
    }
    const underPassword = `'key-encryption:3', 'key-encryption', 'active', 'p1.${'A'.repeat(80)}'`;
    await sql(first, `insert into key_store (id, purpose, status, sealed) values (${underPassword})`);
    // A rotation of another key counts up from its own id; an id that is taken is left alone.
    await sql(first, `insert into key_store (id, purpose, status, sealed) values ('signing:ES256:2', 'x', 'x', '')`);
    await sql(first, `update key_store set sealed = 'AgJ_' where id = 'signing:ES256:1'`);
    await sql(first, `update key_store set updated_at = now() where id = 'checkpoint:1'`);

    const second = await start();
    for (const instance of [second, first]) {
      const ring = instance.get(KeyRing);
      await ring.rotate('EdDSA');
      expect(await ring.publicKey('unknown')).toBeUndefined();
      expect(ring.failingAlgorithms()).toEqual([]);
      expect(await ring.publicKey(kid)).toMatchObject({ status: 'retired' });
    }
    expect(second.get(KeyRing).publicKeys()).toEqual(first.get(KeyRing).publicKeys());
    const later = second.get(CheckpointKeys);
    expect(later.sign(bytes).kid).not.toBe(checkpoint?.kid);
    expect(later.check(signed.kid, bytes, signed.signature)).toBe(true);
    const found = await findings(second);
    for (const id of [...garbage, 'key-encryption:3', 'signing:ES256:2']) {
      expect(found).toContain(`key ${id} has no proof: it was added outside the service`);
    }
    expect(found).toEqual(
      expect.arrayContaining([
        'key signing:ES256:1 cannot be opened',
        'key checkpoint:1 was changed outside the service',
      ]),
    );
    expect(found).toHaveLength(garbage.length + 4);

    const driver = first.get<SqlDriver>(SQL_DRIVER);
    await changePassword(driver, password, 'another-password');
    const third = await start({ password: 'another-password' });
    expect(third.get(KeyRing).publicKeys()).toEqual(second.get(KeyRing).publicKeys());
    const pauses = { knownMs: 0, settledMs: 0 };
    const report = { step: () => undefined, dataKeys: () => undefined };
    const change = (): Promise<unknown> => rewrap(driver, 'another-password', pauses, report);
    await expect(change()).rejects.toThrow('The key key-encryption:3 cannot be opened');
    await sql(first, `delete from key_store where id = 'key-encryption:3'`);
    expect(await change()).toMatchObject({ closed: expect.arrayContaining(['key signing:EdDSA:2']) as string[] });
    const last = await start({ password: 'another-password' });
    expect(last.get(KeyRing).publicKeys()).toEqual(second.get(KeyRing).publicKeys());
    expect(last.get(KeyRing).failingAlgorithms()).toEqual([]);
    jest.restoreAllMocks();
  });

  it('do not get new proofs when the key of the old ones was removed', async () => {
    const instance = await start();
    await sql(instance, `delete from key_store where purpose = 'proof'`);
    await sql(instance, 'update key_store set proof = null');
    await expect(start()).rejects.toThrow('The proof keys are gone from key_store');
  });
});

describe('a root key', () => {
  it('is replaced while a replica runs, after an interruption as well; what was sealed with it stays readable', async () => {
    const driver = await openDriver(database);
    const replica = await start();
    const { dataKey, wrapped } = await replica.get(Sealer).newDataKey('credential-1');
    const keep = `insert into data_keys (stream_id, sealed_key) values ('credential-1', $1)`;
    await driver.query({ name: 'keep', text: keep, values: [wrapped] });
    const authenticator = replica.get(Authenticator);
    const salt = authenticator.newSalt(16);
    const handle = authenticator.macOfSalt('handle', salt);
    const expiresAt = new Date(Date.now() + 60_000);
    const token = replica.get(SealedTokens).issue('c_nonce', Buffer.from('body'), expiresAt);
    const { kid } = replica.get(KeyRing).activeKey('ES256');

    const interrupted = rewrap(
      driver,
      password,
      { knownMs: 0, settledMs: 0 },
      { step: stopAt(3), dataKeys: () => undefined },
    );
    const opened = await openCheckingKeys(driver, password);
    await expect(interrupted).rejects.toThrow('interrupted');
    // A check that had begun continues with the resealed rows.
    const found: string[] = [];
    for await (const { subject } of checkDataKeys(driver, opened.roots, () => undefined)) found.push(subject);
    expect(found).toEqual([]);
    await replica.get(KeyRing).refresh();
    const steps: string[] = [];
    const report = { step: (said: string) => void steps.push(said), dataKeys: () => undefined };
    expect(await rewrap(driver, password, { knownMs: 0, settledMs: 0 }, report)).toEqual({ closed: [] });
    expect(steps[0]).toBe('Resuming where the last run was interrupted.');
    await replica.get(KeyRing).refresh();

    const [row] = await driver.query<{ key: Buffer }>({
      name: 'key',
      text: 'select sealed_key as key from data_keys',
      values: [],
    });
    for (const each of [replica, await start()]) {
      expect(await each.get(Sealer).unwrap(row?.key ?? Buffer.alloc(0), 'credential-1')).toEqual(dataKey);
      await expect(async () => each.get(Sealer).unwrap(row?.key ?? Buffer.alloc(0), 'credential-2')).rejects.toThrow();
      await expect(async () => each.get(Sealer).unwrap(wrapped, 'credential-1')).rejects.toThrow();
      expect(each.get(Authenticator).macOfSalt('handle', salt)).toEqual(handle);
      expect(each.get(SealedTokens).read('c_nonce', token, 4, new Date())).toMatchObject({ expiresAt });
      expect(each.get(SealedTokens).issue('c_nonce', Buffer.from('body'), expiresAt)).not.toBe(token);
      expect(each.get(KeyRing).activeKey('ES256').kid).toBe(kid);
    }
    await driver.close();
  });

  function stopAt(step: number): () => void {
    let steps = 0;
    return () => {
      if (++steps === step) throw new Error('interrupted');
    };
  }
});
