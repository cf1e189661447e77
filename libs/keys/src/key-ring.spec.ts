import type { Prover } from '@app/event-store';
import { thumbprint } from '@app/jose';
import { Logger } from '@nestjs/common';
import { calculateJwkThumbprint, importJWK, jwtVerify } from 'jose';
import { createHmac } from 'node:crypto';
import { KeyStoreLockedError, SealBrokenError } from './errors';
import { KeyRing } from './key-ring';
import { KeyStore, type KeyStatus, type StoredKey } from './key-store';
import { type CheckedKey, contentOf, ProvenKeys } from './proven-keys';
import { RootKey } from './root-key';
import { RootKeys } from './root-keys';
import { sealKey } from './sealed-key';
import { type SigningAlgorithm, SigningKey } from './signing-key';
import { unlockRootKeys } from './unlock';

type Row = { -readonly [K in keyof StoredKey]: StoredKey[K] };

/** Keeps the table in memory; what each statement means is checked against databases in test/keys. */
function emptyTable() {
  const rows: Row[] = [];
  const add = (values: readonly unknown[]): void => {
    const names = ['id', 'purpose', 'algorithm', 'status', 'publicJwk', 'sealed', 'createdAt', 'updatedAt', 'proof'];
    const row = Object.fromEntries(names.map((name, index) => [name, values[index]])) as unknown as Row;
    const publicJwk = typeof values[4] === 'string' ? (JSON.parse(values[4]) as StoredKey['publicJwk']) : null;
    rows.push({ ...row, publicJwk });
  };
  const change = (id: unknown, from: KeyStatus, to: Partial<Row>): boolean => {
    const row = rows.find((each) => each.id === id && each.status === from);
    return row !== undefined && Object.assign(row, to) === row;
  };
  const driver = {
    async query<T>({ name, values }: { name: string; values: readonly unknown[] }): Promise<T[]> {
      // Another turn of the event loop lets rivals come in between.
      await new Promise(setImmediate);
      switch (name) {
        case 'key-store-now':
          return [{ now: new Date(0) }] as T[];
        case 'key-store-all':
          return rows.map((row) => ({ ...row })) as T[];
        case 'key-store-find':
          return rows.filter(({ id }) => id === values[0]) as T[];
        case 'key-store-list':
          return rows.filter(({ purpose }) => purpose === values[0]).map((row) => ({ ...row })) as T[];
        case 'key-store-replace': {
          const [status, updatedAt, proof] = values.slice(10) as [KeyStatus, Date, Buffer];
          if (change(values[9], 'active', { status, updatedAt, proof })) add(values);
          return [];
        }
        case 'key-store-revoke': {
          const [updatedAt, proof] = values.slice(1) as [Date, Buffer];
          change(values[0], 'retired', { status: 'revoked', updatedAt, proof });
          return [];
        }
        default: {
          const isFree = !rows.some(({ id }) => id === values[0]);
          if (isFree) add(values);
          return (isFree ? [{}] : []) as T[];
        }
      }
    },
  };
  const table = new KeyStore(driver);
  return { rows, table, store: new ProvenKeys(table, root, { for: () => prover }) };
}

const macOf = (content: Buffer): Buffer => createHmac('sha256', 'proof key').update(content).digest();
const prover: Prover = { prove: macOf, check: (content, proof) => macOf(content).equals(proof) };

const root = new RootKeys(new RootKey(Buffer.alloc(32, 5)));
const algorithms: SigningAlgorithm[] = ['ES256', 'EdDSA'];
const payload = { iss: 'https://issuer.example.com', name: 'Zoë' };

describe('thumbprint', () => {
  it('is that of RFC 8037 appendix A.3', () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const;
    expect(thumbprint(jwk)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });
});

describe('KeyRing', () => {
  it('tells its observer of each signature and how long it took, and nobody of its own tests', async () => {
    const ring = await KeyRing.open(emptyTable().store, root);
    const seen: [string, number][] = [];
    ring.observe((...signature) => seen.push(signature));
    ring.failingAlgorithms();
    ring.signJwt('EdDSA', {}, {});
    ring.activeKey('ES256').signJwt({}, {});
    expect(seen.map(([algorithm]) => algorithm)).toEqual(['EdDSA', 'ES256']);
    for (const [, seconds] of seen) expect(seconds > 0 && seconds < 1).toBe(true);
  });

  it('names the algorithms whose active key does not sign what its public half verifies', async () => {
    const ring = await KeyRing.open(emptyTable().store, root);
    expect(ring.failingAlgorithms()).toEqual([]);
    const foreign = SigningKey.generate('EdDSA').key.signJwt({}, {});
    const signed = jest.spyOn(SigningKey.prototype, 'signJwt');
    for (const wrong of [foreign, 'not.a.token']) {
      signed.mockReturnValue(wrong);
      expect(ring.failingAlgorithms()).toEqual(algorithms);
    }
    signed.mockRestore();
    expect(ring.failingAlgorithms()).toEqual([]);
  });

  it.each(algorithms)('signs %s JWTs that another library verifies', async (algorithm) => {
    const ring = await KeyRing.open(emptyTable().store, root);
    const { kid, publicJwk } = ring.activeKey(algorithm);
    const jwt = ring.signJwt(algorithm, { typ: 'example+jwt' }, payload);
    const verified = await jwtVerify(jwt, await importJWK({ ...publicJwk }, algorithm), { algorithms: [algorithm] });
    expect(verified.protectedHeader).toEqual({ alg: algorithm, kid, typ: 'example+jwt' });
    expect(verified.payload).toEqual(payload);
    expect(kid).toBe(await calculateJwkThumbprint({ ...publicJwk }));
  });

  it('lets the caller choose the kid and not the algorithm', async () => {
    const key = (await KeyRing.open(emptyTable().store, root)).activeKey('ES256');
    expect(headerOf(key.signJwt({ kid: 'did:web:example.com#key', alg: 'none' }, payload))).toEqual({
      alg: 'ES256',
      kid: 'did:web:example.com#key',
    });
    expect(headerOf(key.signJwt({ kid: undefined }, payload))).toEqual({ alg: 'ES256' });
  });

  it('keeps private keys to itself', async () => {
    const { store, rows } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const shown = JSON.stringify([ring.publicKeys(), ring.activeKey('ES256'), ring.activeKey('EdDSA'), rows]);
    expect(shown).not.toContain('"d"');
    expect(Object.keys(ring.activeKey('ES256').publicJwk)).toEqual(['kty', 'crv', 'x', 'y']);
  });

  it('has the same keys on replicas that start at once', async () => {
    const { store, rows } = emptyTable();
    const rings = await Promise.all([1, 2, 3].map(() => KeyRing.open(store, root)));
    expect(rows).toHaveLength(2);
    for (const ring of rings) expect(ring.publicKeys()).toEqual(rings[0]?.publicKeys());
  });

  it('rotates and goes on publishing the old key', async () => {
    const ring = await KeyRing.open(emptyTable().store, root);
    const old = ring.activeKey('ES256').kid;
    await ring.rotate('ES256');
    const { kid } = ring.activeKey('ES256');
    expect(kid).not.toBe(old);
    expect(ring.publicKeys().filter(({ algorithm }) => algorithm === 'ES256')).toEqual([
      expect.objectContaining({ kid: old, status: 'retired' }),
      expect.objectContaining({ kid, status: 'active' }),
    ]);
  });

  it('rotates once when replicas rotate at once', async () => {
    const { store, rows } = emptyTable();
    const rings = await Promise.all([1, 2, 3].map(() => KeyRing.open(store, root)));
    await Promise.all(rings.map((ring) => ring.rotate('EdDSA')));
    expect(rows.filter(({ algorithm }) => algorithm === 'EdDSA')).toHaveLength(2);
    expect(new Set(rings.map((ring) => ring.activeKey('EdDSA').kid)).size).toBe(1);
  });

  it('finds a key that another replica made', async () => {
    const { store } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const other = await KeyRing.open(store, root);
    await other.rotate('ES256');
    const { kid } = other.activeKey('ES256');
    expect(await ring.publicKey(kid)).toMatchObject({ kid, status: 'active' });
    expect(ring.activeKey('ES256').kid).toBe(kid);
  });

  it('asks the store once a second at most for kids that nobody knows', async () => {
    const { store } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const list = jest.spyOn(store, 'list');
    const ask = (...kids: string[]) => Promise.all(kids.map((kid) => ring.publicKey(kid)));
    expect(await ask('a', 'b', 'c')).toEqual([undefined, undefined, undefined]);
    await ask('d');
    expect(list).toHaveBeenCalledTimes(1);
    const later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
    await ask('e');
    later.mockRestore();
    expect(list).toHaveBeenCalledTimes(2);
  });

  it('stops using and publishing a revoked key, and another signs in its place', async () => {
    const { store, rows } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const { kid } = ring.activeKey('ES256');
    await ring.revoke(kid);
    expect(ring.isRevoked(kid)).toBe(true);
    expect(ring.publicKeys().map((key) => key.kid)).not.toContain(kid);
    expect(await ring.publicKey(kid)).toBeUndefined();
    expect(ring.activeKey('ES256').kid).not.toBe(kid);
    expect(ring.publicKeys()).toHaveLength(2);
    await ring.revoke(kid);
    expect(rows).toHaveLength(3);
  });

  it('revokes a retired key and leaves the active one in force', async () => {
    const ring = await KeyRing.open(emptyTable().store, root);
    const retired = ring.activeKey('EdDSA').kid;
    await ring.rotate('EdDSA');
    const { kid } = ring.activeKey('EdDSA');
    await ring.revoke(retired);
    expect(ring.isRevoked(retired)).toBe(true);
    expect(ring.isRevoked(kid)).toBe(false);
    expect(ring.activeKey('EdDSA').kid).toBe(kid);
  });

  it('revokes a key that another replica replaces at the same time', async () => {
    const { store, rows } = emptyTable();
    const rings = await Promise.all([1, 2, 3, 4].map(() => KeyRing.open(store, root)));
    const [first, second, third, fourth] = rings;
    const kid = first?.activeKey('ES256').kid ?? '';
    await Promise.all([first?.rotate('ES256'), second?.revoke(kid), third?.rotate('ES256'), fourth?.revoke(kid)]);
    for (const ring of rings) {
      await ring.refresh();
      expect(ring.isRevoked(kid)).toBe(true);
      expect(ring.activeKey('ES256').kid).not.toBe(kid);
    }
    expect(rows.filter(({ algorithm, status }) => algorithm === 'ES256' && status === 'active')).toHaveLength(1);
  });

  it('heeds a revocation also when the successor cannot be opened, and makes another', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { store, rows } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const { kid } = ring.activeKey('ES256');
    await (await KeyRing.open(store, root)).revoke(kid);
    const successor = rows.at(-1);
    if (successor) successor.sealed = 'broken';
    await ring.refresh();
    expect(ring.isRevoked(kid)).toBe(true);
    expect(ring.failingAlgorithms()).toEqual([]);
    expect(rows.at(-1)?.id).toBe('signing:ES256:3');
    expect(error.mock.calls).toEqual([[{ event: 'keys.row-altered', keyId: 'signing:ES256:2' }]]);
    error.mockRestore();
  });

  it('does not sign with a revoked key that somebody set to active in the database', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { store, rows } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const [first] = rows;
    if (!first) throw new Error('a key expected');
    const { kid } = ring.activeKey('ES256');
    const asActive = { ...first };
    await ring.revoke(kid);
    const counted = jest.fn();
    ring.observeAltered(counted);
    const cases: [string, Partial<Row>][] = [
      ['its status alone', { status: 'active' }],
      ['the whole row as it was once', asActive],
      ['retired, without a proof', { status: 'retired', proof: null }],
      ['another time', { createdAt: new Date(1) }],
      ['another public key', { publicJwk: rows.at(-1)?.publicJwk ?? null }],
    ];
    const revoked = { ...first };
    for (const [, change] of cases) {
      Object.assign(first, change);
      for (const reader of [ring, await KeyRing.open(store, root)]) {
        await reader.refresh();
        expect(reader.activeKey('ES256').kid).not.toBe(kid);
        expect(reader.publicKeys()).toHaveLength(2);
        expect(reader.publicKeys().map((key) => key.kid)).not.toContain(kid);
      }
      expect(ring.isRevoked(kid)).toBe(true);
      Object.assign(first, revoked);
      await ring.refresh();
    }
    expect(counted).toHaveBeenCalledTimes(cases.length);
    expect(error).toHaveBeenCalledWith({ event: 'keys.row-altered', keyId: 'signing:ES256:1' });
    error.mockRestore();
  });

  it('replaces an active key whose row was altered', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { store, rows } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const { kid } = ring.activeKey('EdDSA');
    const row = rows.find(({ algorithm }) => algorithm === 'EdDSA');
    if (row) row.updatedAt = new Date(1);
    await ring.refresh();
    expect(ring.activeKey('EdDSA').kid).not.toBe(kid);
    expect(ring.isRevoked(kid)).toBe(true);
    expect(rows.map(({ id }) => id)).toEqual(['signing:ES256:1', 'signing:EdDSA:1', 'signing:EdDSA:2']);
    error.mockRestore();
  });

  it('says when there is no key to revoke', async () => {
    const ring = await KeyRing.open(emptyTable().store, root);
    await expect(ring.revoke('nobody')).rejects.toThrow('There is no signing key nobody.');
    expect(ring.publicKeys()).toHaveLength(2);
  });

  it('looks at the store every two seconds, and not again before it has an answer', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
    const { store } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const other = await KeyRing.open(store, root);
    await other.revoke(other.activeKey('ES256').kid);
    const list = jest.spyOn(store, 'list');
    ring.onModuleInit();
    await jest.advanceTimersByTimeAsync(2_000);
    await new Promise(setImmediate);
    expect(list).toHaveBeenCalledTimes(1);
    expect(ring.publicKeys()).toEqual(other.publicKeys());

    const { promise, resolve } = deferred();
    list.mockReturnValueOnce(promise);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(list).toHaveBeenCalledTimes(2);
    resolve([]);
    ring.onModuleDestroy();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('goes on with the keys at hand while the store is away, and says so once', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const { store } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const { kid } = ring.activeKey('ES256');
    const list = jest.spyOn(store, 'list').mockRejectedValue(new Error('connect ECONNREFUSED'));
    ring.onModuleInit();
    for (let round = 0; round < 8; round++) await jest.advanceTimersByTimeAsync(500);
    // After two seconds, and then every half second until one succeeds.
    expect(list).toHaveBeenCalledTimes(5);
    expect(warn.mock.calls).toEqual([[{ event: 'keys.refresh-failed', reason: 'Error' }]]);
    expect(ring.activeKey('ES256').kid).toBe(kid);
    ring.onModuleDestroy();
    jest.useRealTimers();
    warn.mockRestore();
  });

  it.each<[string, (one: Row, other: Row) => void]>([
    ['sealed under another root key', () => undefined],
    [
      'with the private half of another row',
      (one, other) => ([one.sealed, one.publicJwk] = [other.sealed, other.publicJwk]),
    ],
    ['with the public half of another row', (one, other) => (one.publicJwk = other.publicJwk)],
    ['with another algorithm', (one) => (one.algorithm = 'EdDSA')],
    ['cut short', (one) => (one.sealed = one.sealed.slice(0, 40))],
  ])('opens without a key %s, and says so', async (_case, tamper) => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { store, rows } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const { kid } = ring.activeKey('ES256');
    await ring.rotate('ES256');
    const [one, other] = rows.filter(({ algorithm }) => algorithm === 'ES256');
    if (!one || !other) throw new Error('two generations expected');
    tamper(one, other);
    // Also with a proof: what is sealed has to fit by itself.
    one.proof = macOf(contentOf(one));
    if (_case.includes('root key'))
      one.sealed = sealKey(new RootKey(Buffer.alloc(32, 6)), { id: one.id, purpose: 'signing' }, Buffer.alloc(9));
    const reader = await KeyRing.open(store, root);
    expect(reader.publicKeys().map((key) => key.kid)).not.toContain(kid);
    expect(reader.failingAlgorithms()).toEqual([]);
    expect(error).toHaveBeenCalledWith({ event: 'keys.row-altered', keyId: 'signing:ES256:1' });
    error.mockRestore();
  });

  it('makes no key when the root key has changed without this process', async () => {
    const { table, store, rows } = emptyTable();
    await KeyRing.open(store, root);
    const behind = new RootKeys(new RootKey(Buffer.alloc(32, 6)));
    jest.spyOn(behind, 'isBehind', 'get').mockReturnValue(true);
    const ring = KeyRing.open(new ProvenKeys(table, behind, { for: () => prover }), behind);
    await expect(ring).rejects.toThrow(SealBrokenError);
    expect(rows).toHaveLength(2);
  });
});

describe('the root key', () => {
  it('is one for replicas that start at once, and needs the password', async () => {
    const { table, rows } = emptyTable();
    const roots = await Promise.all([1, 2].map(() => unlockRootKeys(table, 'right-password')));
    const derived = roots.map((key) => key.current.derive('example').export().toString('hex'));
    expect(derived[0]).toBe(derived[1]);
    expect(rows).toHaveLength(1);
    const locked = unlockRootKeys(table, 'wrong-password');
    await expect(locked).rejects.toThrow(KeyStoreLockedError);
    await expect(locked).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('wrong-password') }),
    );
  });
});

function deferred() {
  let resolve: (rows: CheckedKey[]) => void = () => undefined;
  const promise = new Promise<CheckedKey[]>((done) => (resolve = done));
  return { promise, resolve };
}

function headerOf(jwt: string): unknown {
  return JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
}
