import { Logger } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { SealBrokenError } from '../errors';
import type { KeyDatabase, StoredKey } from '../store/key-store';
import { ProofKeys } from './proof-keys';
import { RootKey } from '../root/root-key';
import { RootKeys } from '../root/root-keys';
import { sealKey } from '../sealing/sealed-key';

const root = new RootKeys(new RootKey(Buffer.alloc(32, 5)));
const content = Buffer.from('content');

/** Rows of proof keys in memory; the statements are checked against databases in test/keys. */
function databaseWith(...keys: readonly Buffer[]) {
  const rows = keys.map((key, index) => stored(`proof:${index + 1}`, key));
  const database: KeyDatabase = {
    query: ({ name, values }) => {
      if (name === 'key-store-now') return Promise.resolve([{ now: new Date(0) }] as never[]);
      if (name === 'key-store-insert')
        rows.push({ ...stored(String(values[0]), Buffer.alloc(0)), sealed: String(values[5]) });
      return Promise.resolve([...rows] as never[]);
    },
    transaction: (work) => work({ query: (statement) => database.query(statement), script: () => Promise.resolve() }),
  };
  return { rows, database };
}

const openWith = (...keys: readonly Buffer[]): Promise<ProofKeys> =>
  ProofKeys.open(databaseWith(...keys).database, root);

function stored(id: string, key: Buffer): StoredKey {
  const sealed = sealKey(root.current, { id, purpose: 'proof' }, key);
  const at = new Date(0);
  const row = {
    algorithm: null,
    status: 'active',
    publicJwk: null,
    createdAt: at,
    updatedAt: at,
    proof: null,
    chain: null,
    provider: null,
    reference: null,
  } as const;
  return { ...row, id, purpose: 'proof', sealed };
}

describe('ProofKeys', () => {
  it('proves by HMAC-SHA-256 over purpose, zero byte and content, with the generation before it', async () => {
    const key = Buffer.alloc(32, 1);
    const proof = (await openWith(key)).for('events').prove(content);
    const expected = createHmac('sha256', key).update('events\0content').digest('hex');
    expect(proof.toString('hex')).toBe(`01${expected}`);
  });

  it('creates one key, whichever replica comes first, and says so', async () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
    const { database } = databaseWith();
    const proof = (await ProofKeys.open(database, root)).for('events').prove(content);
    expect((await ProofKeys.open(database, root)).for('events').check(content, proof)).toBe(true);
    expect(log.mock.calls).toEqual([[{ event: 'keys.proof-key-made' }]]);
    log.mockRestore();
  });

  it('accepts its own proof and nothing near it', async () => {
    const keys = await openWith(Buffer.alloc(32, 1));
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
    const earlier = (await openWith(Buffer.alloc(32, 1))).for('events');
    const later = (await openWith(Buffer.alloc(32, 1), Buffer.alloc(32, 2))).for('events');
    expect(later.prove(content)[0]).toBe(2);
    expect(later.check(content, earlier.prove(content))).toBe(true);
    expect(earlier.check(content, later.prove(content))).toBe(false);
  });

  it('opens no key of another row, length or root key', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { database, rows } = databaseWith(Buffer.alloc(32, 1));
    rows[0] = { ...stored('proof:1', Buffer.alloc(32, 1)), id: 'proof:2' };
    await expect(ProofKeys.open(database, root)).rejects.toThrow(SealBrokenError);
    await expect(openWith(Buffer.alloc(16))).rejects.toThrow(SealBrokenError);
    const other = new RootKeys(new RootKey(Buffer.alloc(32, 6)));
    const foreign = ProofKeys.open(databaseWith(Buffer.alloc(32, 1)).database, other);
    await expect(foreign).rejects.toThrow(SealBrokenError);
    expect(error).toHaveBeenCalledWith({ event: 'keys.row-altered', keyId: 'proof:2' });
    error.mockRestore();
  });

  it('uses the keys that open when one does not', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { database, rows } = databaseWith(Buffer.alloc(32, 1));
    rows.push({ ...stored('proof:2', Buffer.alloc(32, 2)), sealed: 'AgJ_' });
    const { prove, check } = (await ProofKeys.open(database, root)).for('events');
    expect(check(content, prove(content))).toBe(true);
    expect(prove(content)[0]).toBe(1);
    error.mockRestore();
  });
});
