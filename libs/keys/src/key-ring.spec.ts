import { calculateJwkThumbprint, importJWK, jwtVerify } from 'jose';
import { KeyStoreLockedError, SealBrokenError } from './errors';
import { KeyRing } from './key-ring';
import { KeyStore, type KeyStatus } from './key-store';
import { thumbprint } from '@app/credentials';
import { RootKey, unlockRootKey } from './root-key';
import type { SigningAlgorithm } from './signing-key';

interface Row {
  id: string;
  purpose: string;
  algorithm: string;
  status: KeyStatus;
  publicJwk: unknown;
  sealed: string;
}

/** Keeps the table in memory; what each statement means is checked against databases in test/keys. */
function emptyTable() {
  const rows: Row[] = [];
  const driver = {
    async query<T>({ name, values }: { name: string; values: readonly unknown[] }): Promise<T[]> {
      // Another turn of the event loop lets rivals come in between.
      await new Promise(setImmediate);
      const [id, purpose, algorithm, publicJwk, sealed, outgoing] = values as string[];
      if (name === 'key-store-find') return rows.filter((row) => row.id === id) as T[];
      if (name === 'key-store-list') return rows.filter((row) => row.purpose === id).map((row) => ({ ...row })) as T[];
      const gone = rows.find((row) => row.id === outgoing && row.status === 'active');
      if (name === 'key-store-replace') {
        if (!gone) return [];
        gone.status = 'retired';
      }
      if (!rows.some((row) => row.id === id)) {
        const parsed: unknown = publicJwk ? JSON.parse(publicJwk) : null;
        rows.push({ id, purpose, algorithm, status: 'active', publicJwk: parsed, sealed } as Row);
      }
      return [];
    },
  };
  return { rows, store: new KeyStore(driver) };
}

const root = new RootKey(Buffer.alloc(32, 5));
const algorithms: SigningAlgorithm[] = ['ES256', 'EdDSA'];
const payload = { iss: 'https://issuer.example.com', name: 'Zoë' };

describe('thumbprint', () => {
  it('is that of RFC 8037 appendix A.3', () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } as const;
    expect(thumbprint(jwk)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });
});

describe('KeyRing', () => {
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
    const later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_000);
    expect(await ring.publicKey(kid)).toMatchObject({ kid, status: 'active' });
    later.mockRestore();
    expect(ring.activeKey('ES256').kid).toBe(kid);
  });

  it('asks the store once a second at most for kids that nobody knows', async () => {
    const { store } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const list = jest.spyOn(store, 'list');
    expect(await Promise.all(['a', 'b', 'c'].map((kid) => ring.publicKey(kid)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(list).not.toHaveBeenCalled();
  });

  it('stops using and publishing a revoked key', async () => {
    const { store, rows } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const { kid } = ring.activeKey('ES256');
    for (const row of rows) if (row.algorithm === 'ES256') row.status = 'revoked';
    await ring.refresh();
    expect(ring.publicKeys().map((key) => key.kid)).not.toContain(kid);
    expect(ring.activeKey('ES256').kid).not.toBe(kid);
  });

  it('refreshes in the background', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
    const { store } = emptyTable();
    const ring = await KeyRing.open(store, root);
    const list = jest.spyOn(store, 'list');
    ring.onModuleInit();
    jest.advanceTimersByTime(30_000);
    await ring.refresh();
    expect(list).toHaveBeenCalledTimes(2);
    ring.onModuleDestroy();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
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
  ])('does not open a key %s', async (_case, tamper) => {
    const { store, rows } = emptyTable();
    await (await KeyRing.open(store, root)).rotate('ES256');
    const [one, other] = rows.filter(({ algorithm }) => algorithm === 'ES256');
    if (!one || !other) throw new Error('two generations expected');
    tamper(one, other);
    const reader = _case.includes('root key') ? new RootKey(Buffer.alloc(32, 6)) : root;
    await expect(KeyRing.open(store, reader)).rejects.toThrow(SealBrokenError);
  });
});

describe('the root key', () => {
  it('is one for replicas that start at once, and needs the password', async () => {
    const { store, rows } = emptyTable();
    const roots = await Promise.all([1, 2].map(() => unlockRootKey(store, 'right-password')));
    const derived = roots.map((key) => key.derive('example').export().toString('hex'));
    expect(derived[0]).toBe(derived[1]);
    expect(rows).toHaveLength(1);
    const locked = unlockRootKey(store, 'wrong-password');
    await expect(locked).rejects.toThrow(KeyStoreLockedError);
    await expect(locked).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('wrong-password') }),
    );
  });
});

function headerOf(jwt: string): unknown {
  return JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
}
