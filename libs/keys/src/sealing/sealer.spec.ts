import { inTenant } from '@app/primitives/context';
import { NoErasureKeysError, SealBrokenError } from '../errors';
import { RootKey } from '../root/root-key';
import { RootKeys } from '../root/root-keys';
import { additionalDataOf, Sealer } from './sealer';

const rootKey = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const sealer = new Sealer(new RootKeys(new RootKey(rootKey)));
const place = { streamId: 'credential-7', event: 'CredentialIssued' };
const text = additionalDataOf(place);

// Made by another implementation (Python's cryptography) from the format alone; whatever changes here breaks stored data.
const wrappedBefore = 'AQEBAQEBAQEBAQEBATzlU1uGxoFje2UBqp9P6Zs4knkJFZZR2VcSTCV0CMs_93V99gz534D0HLaGwegQrQ';
const sealedBefore = 'AQICAgICAgICAgICAmGWjm4tjtt4dDHr0sC47j-4egObUsux3OPJ4yULv-yDdj9Ick0V';

describe('Sealer', () => {
  it('opens what version 1 sealed', async () => {
    const wrapped = Buffer.from(wrappedBefore, 'base64url');
    expect(await sealer.unwrap(wrapped, 'credential-7')).toEqual(Buffer.alloc(32, 7));
    expect(await sealer.openJson(sealedBefore, wrapped, place)).toEqual({ given_name: 'Erika' });
  });

  it('opens what it sealed', async () => {
    const { dataKey, wrapped } = await sealer.newDataKey('credential-7');
    expect(wrapped).toHaveLength(61);
    expect(await sealer.unwrap(wrapped, 'credential-7')).toEqual(dataKey);
    expect(sealer.open(dataKey, sealer.seal(dataKey, 'Ångström', text), text).toString()).toBe('Ångström');
    expect(sealer.open(dataKey, sealer.seal(dataKey, Buffer.alloc(0), text), text)).toHaveLength(0);
  });

  it('seals JSON under a key of its own', async () => {
    const one = await sealer.sealJson({ family_name: 'Mustermann' }, place);
    const other = await sealer.sealJson({ family_name: 'Mustermann' }, place);
    expect(one.sealed).not.toBe(other.sealed);
    expect(await sealer.openJson(one.sealed, one.wrappedKey, place)).toEqual({ family_name: 'Mustermann' });
    await expect(async () => sealer.openJson(one.sealed, other.wrappedKey, place)).rejects.toThrow(SealBrokenError);
  });

  it('refuses every altered bit and every cut', () => {
    const envelope = Buffer.from(sealedBefore, 'base64url');
    const dataKey = Buffer.alloc(32, 7);
    const refused = (bytes: Buffer): void => {
      expect(() => sealer.open(dataKey, bytes.toString('base64url'), text)).toThrow(SealBrokenError);
    };
    for (let bit = 0; bit < envelope.length * 8; bit++) refused(flipped(envelope, bit));
    for (let length = 0; length < envelope.length; length++) refused(envelope.subarray(0, length));
    refused(Buffer.concat([envelope, Buffer.of(0)]));
  });

  it('refuses every altered bit of a wrapped key', async () => {
    const wrapped = Buffer.from(wrappedBefore, 'base64url');
    for (let bit = 0; bit < wrapped.length * 8; bit++) {
      await expect(async () => sealer.unwrap(flipped(wrapped, bit), 'credential-7')).rejects.toThrow(SealBrokenError);
    }
  });

  it('rejects a value moved to another place, another root key and another encoding', async () => {
    const wrapped = Buffer.from(wrappedBefore, 'base64url');
    const elsewhere = { ...place, streamId: 'credential-8' };
    await expect(async () => sealer.openJson(sealedBefore, wrapped, elsewhere)).rejects.toThrow(SealBrokenError);
    const otherRoot = new Sealer(new RootKeys(new RootKey(Buffer.alloc(32))));
    await expect(async () => otherRoot.unwrap(wrapped, 'credential-7')).rejects.toThrow(SealBrokenError);
    await expect(async () => sealer.openJson(`${sealedBefore}=`, wrapped, place)).rejects.toThrow(SealBrokenError);
  });
});

describe('Sealer under a later root key', () => {
  const later = new RootKey(Buffer.alloc(32, 9), 2);
  const sealer = new Sealer(new RootKeys(later));

  it('names the generation before the envelope', async () => {
    const { wrapped, dataKey } = await sealer.newDataKey('credential-7');
    expect(wrapped).toHaveLength(63);
    expect([...wrapped.subarray(0, 2)]).toEqual([2, 2]);
    expect(await sealer.unwrap(wrapped, 'credential-7')).toEqual(dataKey);
  });

  it('refuses the data key of another stream, every altered bit and one under an earlier root key', async () => {
    const { wrapped } = await sealer.newDataKey('credential-7');
    await expect(async () => sealer.unwrap(wrapped, 'credential-8')).rejects.toThrow(SealBrokenError);
    for (let bit = 0; bit < wrapped.length * 8; bit++) {
      await expect(async () => sealer.unwrap(flipped(wrapped, bit), 'credential-7')).rejects.toThrow(SealBrokenError);
    }
    const earlier = Buffer.from(wrappedBefore, 'base64url');
    await expect(async () => sealer.unwrap(earlier, 'credential-7')).rejects.toThrow(SealBrokenError);
  });
});

describe('Sealer with erasure keys', () => {
  const kept = new Map<string, Buffer>();
  const erasureKeys = {
    make: (streamId: string) => {
      const key = kept.get(streamId) ?? Buffer.alloc(32, kept.size + 1);
      kept.set(streamId, key);
      return Promise.resolve(key);
    },
    find: (streamId: string) => Promise.resolve(kept.get(streamId)),
  };
  const roots = new RootKeys(new RootKey(rootKey));
  const withErasureKeys = new Sealer(roots, erasureKeys);

  it('opens what it sealed until the erasure key of the stream is destroyed', async () => {
    const { sealed, wrappedKey } = await withErasureKeys.sealJson({ family_name: 'Mustermann' }, place);
    const open = () => withErasureKeys.openJson(sealed, wrappedKey, place);
    expect(await open()).toEqual({ family_name: 'Mustermann' });
    kept.delete(place.streamId);
    expect(await open()).toBeUndefined();
    kept.set(place.streamId, Buffer.alloc(32, 99));
    await expect(async () => open()).rejects.toThrow(SealBrokenError);
  });

  it('opens what was sealed before there were any', async () => {
    const { sealed, wrappedKey } = await sealer.sealJson({ family_name: 'Mustermann' }, place);
    expect(await withErasureKeys.openJson(sealed, wrappedKey, place)).toEqual({ family_name: 'Mustermann' });
  });

  it('needs them for what it sealed: the root key alone opens nothing', async () => {
    const { sealed, wrappedKey } = await withErasureKeys.sealJson({}, place);
    await expect(async () => sealer.openJson(sealed, wrappedKey, place)).rejects.toThrow(NoErasureKeysError);
  });
});

describe('Sealer of tenants', () => {
  const keys = new Map([
    ['aaaaaaaa', Buffer.alloc(32, 1)],
    ['bbbbbbbb', Buffer.alloc(32, 2)],
  ]);
  const roots = new RootKeys(new RootKey(rootKey));
  const ofTenants = new Sealer(roots, undefined, (mark) => keys.get(mark));
  const tenant = (mark: string) => ({ id: mark, mark, made: new Map<object, object>() });

  it('opens a data key for its own tenant alone, also where both have the same key', async () => {
    const { wrapped, dataKey } = await inTenant(tenant('aaaaaaaa'), () => ofTenants.newDataKey('credential-7'));
    const openFor = (mark: string) => inTenant(tenant(mark), async () => ofTenants.unwrap(wrapped, 'credential-7'));
    await expect(openFor('aaaaaaaa')).resolves.toEqual(dataKey);
    await expect(openFor('bbbbbbbb')).rejects.toThrow(SealBrokenError);
    keys.set('bbbbbbbb', Buffer.alloc(32, 1));
    await expect(openFor('bbbbbbbb')).rejects.toThrow(SealBrokenError);
    await expect((async () => ofTenants.unwrap(wrapped, 'credential-7'))()).rejects.toThrow(SealBrokenError);
  });

  it('opens and seals nothing any more once the key of the tenant is destroyed', async () => {
    const inA = <T>(work: () => T): T => inTenant(tenant('aaaaaaaa'), work);
    const { sealed, wrappedKey } = await inA(() => ofTenants.sealJson({ family_name: 'Mustermann' }, place));
    keys.delete('aaaaaaaa');
    await expect(inA(async () => ofTenants.openJson(sealed, wrappedKey, place))).resolves.toBeUndefined();
    await expect(inA(async () => ofTenants.newDataKey('credential-8'))).rejects.toThrow('destroyed');
  });
});

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return copy;
}
