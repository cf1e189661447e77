import { encryptJwe } from '@app/primitives/jose';
import { emptyTable, root } from '../../fixtures/key-table';
import { EncryptionKeys } from './encryption-keys';

const enc = 'A256GCM';
const at = (hours: number): Date => new Date(hours * 60 * 60 * 1000);
const sentTo = ({ publicJwk, kid }: ReturnType<EncryptionKeys['current']>): Promise<string> =>
  encryptJwe('{"a":1}', publicJwk, { alg: 'ECDH-ES', enc, kid });

/** The table's clock stands still: keys are made, and replaced, at hour 0. */
async function opened() {
  const { rows, store, replica } = emptyTable();
  const keys = await EncryptionKeys.open(store, root, at(0));
  return { rows, keys, other: await EncryptionKeys.open(replica(), root, at(0)) };
}

describe('the keys that wallets encrypt to', () => {
  it('are one published key for all replicas, whose private half the store keeps sealed', async () => {
    const { rows, keys, other } = await opened();
    expect(other.current().kid).toBe(keys.current().kid);
    expect(rows).toMatchObject([{ id: 'encryption:1', algorithm: 'ECDH-ES', status: 'active' }]);
    expect(JSON.stringify(rows)).not.toContain('"d"');
    const jwe = await sentTo(keys.current());
    expect(await (await other.find(keys.current().kid))?.decrypt(jwe, { contentEncryption: [enc] })).toBe('{"a":1}');
    expect(
      await (await other.find(keys.current().kid))?.decrypt(jwe, { contentEncryption: ['A128GCM'] }),
    ).toBeUndefined();
    expect(await keys.find('unknown')).toBeUndefined();
  });

  it('are replaced after a week; the one before decrypts for 24 hours more', async () => {
    const { rows, keys, other } = await opened();
    const { kid } = keys.current();
    await keys.keepUp(at(7 * 24 - 1));
    expect(keys.current().kid).toBe(kid);
    await keys.keepUp(at(7 * 24));
    expect(keys.current().kid).not.toBe(kid);
    expect((await keys.find(kid, at(23)))?.kid).toBe(kid);
    expect(await keys.find(kid, at(24))).toBeUndefined();
    expect((await other.find(keys.current().kid, at(1)))?.kid).toBe(keys.current().kid);
    await other.keepUp(at(24));
    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      ['encryption:1', 'revoked'],
      ['encryption:2', 'active'],
    ]);
    expect(await other.find(kid, at(1))).toBeUndefined();
  });

  it('are not used once their row was changed outside the service; another takes its place', async () => {
    const { rows, keys } = await opened();
    const { kid } = keys.current();
    for (const row of rows) row.createdAt = at(1);
    await keys.keepUp(at(2));
    expect(keys.current().kid).not.toBe(kid);
    expect(await keys.find(kid)).toBeUndefined();
  });
});
