import { Logger } from '@nestjs/common';
import { emptyTable, root } from '../fixtures/key-table';
import { KeyRing } from './key-ring';

describe('a revocation', () => {
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

  it('says when there is no key to revoke', async () => {
    const ring = await KeyRing.open(emptyTable().store, root);
    await expect(ring.revoke('nobody')).rejects.toThrow('There is no signing key nobody.');
    expect(ring.publicKeys()).toHaveLength(2);
  });
});
