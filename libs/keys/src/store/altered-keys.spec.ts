import { Logger } from '@nestjs/common';
import { emptyTable, macOf, prover, root, type Row } from '../../fixtures/key-table';
import { SealBrokenError } from '../errors';
import { KeyRing } from '../signing/key-ring';
import { provenContent, ProvenKeys } from '../proofs/proven-keys';
import { RootKey } from '../root/root-key';
import { RootKeys } from '../root/root-keys';
import { sealKey } from '../sealing/sealed-key';

describe('a key ring whose table was altered', () => {
  it('does not sign with a revoked key that was set to active in the database', async () => {
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
    one.proof = macOf(provenContent(one));
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
