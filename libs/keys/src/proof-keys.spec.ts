import { createHmac } from 'node:crypto';
import { SealBrokenError } from './errors';
import { KeyStore, type NewKey, type StoredKey } from './key-store';
import { ProofKeys } from './proof-keys';
import { RootKey } from './root-key';
import { sealKey } from './sealed-key';

const root = new RootKey(Buffer.alloc(32, 5));
const content = Buffer.from('content');

/** Rows of proof keys in memory; the statements are checked against databases in test/keys. */
function storeWith(...keys: readonly Buffer[]): KeyStore {
  const rows = keys.map((key, index) => stored(`proof:${index + 1}`, key));
  const store = new KeyStore({ query: () => Promise.reject(new Error('no database')) });
  jest.spyOn(store, 'list').mockImplementation(() => Promise.resolve([...rows]));
  jest.spyOn(store, 'insert').mockImplementation((key: NewKey) => {
    if (!rows.some(({ id }) => id === key.id)) rows.push({ ...key, status: 'active', createdAt: new Date(0) });
    return Promise.resolve();
  });
  return store;
}

function stored(id: string, key: Buffer): StoredKey {
  const sealed = sealKey(root, { id, purpose: 'proof' }, key);
  return { id, algorithm: null, status: 'active', publicJwk: null, sealed, createdAt: new Date(0) };
}

describe('ProofKeys', () => {
  it('proves by HMAC-SHA-256 over purpose, zero byte and content, with the generation before it', async () => {
    const key = Buffer.alloc(32, 1);
    const proof = (await ProofKeys.open(storeWith(key), root)).for('events').prove(content);
    const expected = createHmac('sha256', key).update('events\0content').digest('hex');
    expect(proof.toString('hex')).toBe(`01${expected}`);
  });

  it('makes one key, whoever comes first', async () => {
    const store = storeWith();
    const proof = (await ProofKeys.open(store, root)).for('events').prove(content);
    expect((await ProofKeys.open(store, root)).for('events').check(content, proof)).toBe(true);
  });

  it('accepts its own proof and nothing near it', async () => {
    const keys = await ProofKeys.open(storeWith(Buffer.alloc(32, 1)), root);
    const { prove, check } = keys.for('events');
    const proof = prove(content);
    expect(check(content, proof)).toBe(true);
    expect(check(Buffer.from('content '), proof)).toBe(false);
    expect(keys.for('api-keys').check(content, proof)).toBe(false);
    for (let bit = 0; bit < proof.length * 8; bit++) {
      const altered = Buffer.from(proof);
      altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(check(content, altered)).toBe(false);
    }
    for (const cut of [0, 1, 32]) expect(check(content, proof.subarray(0, cut))).toBe(false);
    expect(check(content, Buffer.concat([proof, Buffer.of(0)]))).toBe(false);
  });

  it('proves with the latest key and checks with earlier ones', async () => {
    const earlier = (await ProofKeys.open(storeWith(Buffer.alloc(32, 1)), root)).for('events');
    const later = (await ProofKeys.open(storeWith(Buffer.alloc(32, 1), Buffer.alloc(32, 2)), root)).for('events');
    expect(later.prove(content)[0]).toBe(2);
    expect(later.check(content, earlier.prove(content))).toBe(true);
    expect(earlier.check(content, later.prove(content))).toBe(false);
  });

  it('opens no key of another row, length or root key', async () => {
    const moved = storeWith(Buffer.alloc(32, 1));
    jest.spyOn(moved, 'list').mockResolvedValue([{ ...stored('proof:1', Buffer.alloc(32, 1)), id: 'proof:2' }]);
    await expect(ProofKeys.open(moved, root)).rejects.toThrow(SealBrokenError);
    await expect(ProofKeys.open(storeWith(Buffer.alloc(16)), root)).rejects.toThrow(SealBrokenError);
    const other = new RootKey(Buffer.alloc(32, 6));
    await expect(ProofKeys.open(storeWith(Buffer.alloc(32, 1)), other)).rejects.toThrow(SealBrokenError);
  });
});
