import { calculateJwkThumbprint, importJWK, jwtVerify } from 'jose';
import { emptyTable, root } from '../../fixtures/key-table';
import { KeyRing } from './key-ring';
import { type SigningAlgorithm, SigningKey, signJwt } from './signing-key';

const algorithms: SigningAlgorithm[] = ['ES256', 'EdDSA'];
const payload = { iss: 'https://issuer.example.com', name: 'Zoë' };

describe('KeyRing', () => {
  it('reports each signature and its duration to its observer, but not its own tests', async () => {
    const ring = await KeyRing.open(emptyTable().store, root);
    const seen: [string, number][] = [];
    ring.observe((...signature) => seen.push(signature));
    ring.failingAlgorithms();
    await signJwt(ring.activeKey('EdDSA'), {}, {});
    await ring.activeKey('ES256').sign(Buffer.alloc(3));
    expect(seen.map(([algorithm]) => algorithm)).toEqual(['EdDSA', 'ES256']);
    for (const [, seconds] of seen) expect(seconds > 0 && seconds < 1).toBe(true);
  });

  it('names the algorithms whose active key does not sign what its public half verifies', async () => {
    const ring = await KeyRing.open(emptyTable().store, root);
    expect(ring.failingAlgorithms()).toEqual([]);
    const foreign = SigningKey.generate('EdDSA').key.signNow(Buffer.from('probe'));
    const signed = jest.spyOn(SigningKey.prototype, 'signNow');
    for (const wrong of [foreign, Buffer.alloc(63)]) {
      signed.mockReturnValue(wrong);
      expect(ring.failingAlgorithms()).toEqual(algorithms);
    }
    signed.mockRestore();
    expect(ring.failingAlgorithms()).toEqual([]);
  });

  it.each(algorithms)('signs %s JWTs that another library verifies', async (algorithm) => {
    const ring = await KeyRing.open(emptyTable().store, root);
    const key = ring.activeKey(algorithm);
    const { kid, publicJwk } = key;
    const jwt = await signJwt(key, { typ: 'example+jwt' }, payload);
    const verified = await jwtVerify(jwt, await importJWK({ ...publicJwk }, algorithm), { algorithms: [algorithm] });
    expect(verified.protectedHeader).toEqual({ alg: algorithm, kid, typ: 'example+jwt' });
    expect(verified.payload).toEqual(payload);
    expect(kid).toBe(await calculateJwkThumbprint({ ...publicJwk }));
  });

  it('lets the caller choose the kid and not the algorithm', async () => {
    const key = (await KeyRing.open(emptyTable().store, root)).activeKey('ES256');
    expect(headerOf(await signJwt(key, { kid: 'did:web:example.com#key', alg: 'none' }, payload))).toEqual({
      alg: 'ES256',
      kid: 'did:web:example.com#key',
    });
    expect(headerOf(await signJwt(key, { kid: undefined }, payload))).toEqual({ alg: 'ES256' });
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
});

function headerOf(jwt: string): unknown {
  return JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
}
