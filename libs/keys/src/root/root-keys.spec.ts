import { Logger } from '@nestjs/common';
import { Authenticator } from '../proofs/authenticator';
import { SealBrokenError } from '../errors';
import type { StoredKey } from '../store/key-store';
import { RootKey } from './root-key';
import { RootKeys, sealFormer, sealHandover } from './root-keys';
import { SealedTokens } from '../proofs/sealed-token';

const first = new RootKey(Buffer.alloc(32, 1), 1);
const second = new RootKey(Buffer.alloc(32, 2), 2);
const retiredAt = new Date('2026-01-01T00:00:00Z');
const day = 24 * 60 * 60 * 1000;

function row(id: string, sealed: string): StoredKey {
  const [purpose = ''] = id.split(':');
  const rest = {
    algorithm: null,
    status: 'active',
    publicJwk: null,
    proof: null,
    chain: null,
    provider: null,
    reference: null,
  } as const;
  return { id, purpose, sealed, createdAt: retiredAt, updatedAt: retiredAt, ...rest };
}

const underPassword = 'p1.not-opened-here';
const handover = row('root-handover:2', sealHandover(second, first));
const introduced = [row('key-encryption:1', underPassword), row('key-encryption:2', underPassword)];
const inForce = (opens: boolean): StoredKey[] => [
  row('key-encryption:1', sealFormer({ root: first, retiredAt, opens }, second)),
  row('key-encryption:2', underPassword),
];

describe('RootKeys', () => {
  it('know a new root key before it is in force, and seal with it once it is', () => {
    const roots = new RootKeys(first);
    roots.take([...introduced, handover]);
    expect([roots.current.generation, roots.coming().map(({ generation }) => generation)]).toEqual([1, [2]]);
    roots.take([...inForce(true), handover]);
    expect([roots.sealing.generation, roots.coming()]).toEqual([2, []]);
    expect(roots.former()).toEqual([
      { root: expect.objectContaining({ generation: 1 }) as RootKey, retiredAt, opens: true },
    ]);
    // A row that is put back changes nothing here.
    roots.take(introduced);
    expect(roots.current.generation).toBe(2);
  });

  it('open nothing under a former root key when the change is done, and still check its MACs', () => {
    const roots = new RootKeys(second);
    const sealedUnderFirst = Buffer.of(1, 2, 3);
    roots.take(inForce(true));
    expect(roots.opening(sealedUnderFirst).generation).toBe(1);
    roots.take(inForce(false));
    expect(() => roots.opening(sealedUnderFirst)).toThrow(SealBrokenError);
    expect(roots.ofGeneration(1).derive('x').export()).toEqual(first.derive('x').export());
  });

  it('check long-lived tokens of a former root key as long as it can have made them', () => {
    const expiresAt = new Date(retiredAt.getTime() + 30 * day);
    const token = new SealedTokens(new Authenticator(new RootKeys(first))).issue(
      'transaction',
      Buffer.alloc(4),
      expiresAt,
    );
    const roots = new RootKeys(second);
    roots.take(inForce(false));
    const tokens = new SealedTokens(new Authenticator(roots));
    const read = (longest?: number) => tokens.read('transaction', token, 4, retiredAt, undefined, longest);
    expect(read(31 * day)).toEqual({ body: Buffer.alloc(4), expiresAt });
    expect([read(29 * day), read()]).toEqual(['forged', 'forged']);
  });

  it('report that the store has changed to a root key that this process does not have', () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const roots = new RootKeys(first);
    roots.take(introduced);
    expect(roots.isBehind).toBe(false);
    for (let look = 0; look < 3; look++) roots.take(inForce(true));
    expect(roots.isBehind).toBe(true);
    expect(error.mock.calls).toEqual([[{ event: 'keys.root-unknown' }]]);
    expect(() => roots.sealing).toThrow('restart this process');
    error.mockRestore();
  });

  it('seal nothing when the key store has not been read for longer than the lease', () => {
    const roots = new RootKeys(first);
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    roots.take([row('key-encryption:1', underPassword)]);
    roots.lease(10_000);
    now.mockReturnValue(10_000);
    expect(roots.sealing).toBe(first);
    now.mockReturnValue(10_001);
    expect(() => roots.sealing).toThrow('has not been read for too long');
    roots.take([row('key-encryption:1', underPassword)]);
    expect(roots.sealing).toBe(first);
    now.mockRestore();
  });
});
