import { SealBrokenError } from './errors';
import { RootKey } from './root-key';
import { RootKeys } from './root-keys';
import { additionalDataOf, Sealer } from './sealer';

const rootKey = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const sealer = new Sealer(new RootKeys(new RootKey(rootKey)));
const place = { streamId: 'credential-7', event: 'CredentialIssued' };
const text = additionalDataOf(place);

// Made by another implementation (Python's cryptography) from the format alone; whatever changes here breaks stored data.
const wrappedBefore = 'AQEBAQEBAQEBAQEBATzlU1uGxoFje2UBqp9P6Zs4knkJFZZR2VcSTCV0CMs_tmFhERFooR_-XE0DNodaIA';
const sealedBefore = 'AQICAgICAgICAgICAmGWjm4tjtt4dDHr0sC47j-4egObUsux3OPJ4yULv-yDdj9Ick0V';

describe('Sealer', () => {
  it('opens what version 1 sealed', () => {
    const wrapped = Buffer.from(wrappedBefore, 'base64url');
    expect(sealer.unwrap(wrapped, 'credential-7')).toEqual(Buffer.alloc(32, 7));
    expect(sealer.openJson(sealedBefore, wrapped, place)).toEqual({ given_name: 'Erika' });
  });

  it('opens what it sealed', () => {
    const { dataKey, wrapped } = sealer.newDataKey('credential-7');
    expect(wrapped).toHaveLength(61);
    expect(sealer.unwrap(wrapped, 'credential-7')).toEqual(dataKey);
    expect(sealer.open(dataKey, sealer.seal(dataKey, 'Ångström', text), text).toString()).toBe('Ångström');
    expect(sealer.open(dataKey, sealer.seal(dataKey, Buffer.alloc(0), text), text)).toHaveLength(0);
  });

  it('seals JSON under a key of its own', () => {
    const one = sealer.sealJson({ family_name: 'Mustermann' }, place);
    const other = sealer.sealJson({ family_name: 'Mustermann' }, place);
    expect(one.sealed).not.toBe(other.sealed);
    expect(sealer.openJson(one.sealed, one.wrappedKey, place)).toEqual({ family_name: 'Mustermann' });
    expect(() => sealer.openJson(one.sealed, other.wrappedKey, place)).toThrow(SealBrokenError);
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

  it('refuses every altered bit of a wrapped key', () => {
    const wrapped = Buffer.from(wrappedBefore, 'base64url');
    for (let bit = 0; bit < wrapped.length * 8; bit++) {
      expect(() => sealer.unwrap(flipped(wrapped, bit), 'credential-7')).toThrow(SealBrokenError);
    }
  });

  it('rejects a value moved to another place, another root key and another encoding', () => {
    const wrapped = Buffer.from(wrappedBefore, 'base64url');
    expect(() => sealer.openJson(sealedBefore, wrapped, { ...place, streamId: 'credential-8' })).toThrow(
      SealBrokenError,
    );
    expect(() => new Sealer(new RootKeys(new RootKey(Buffer.alloc(32)))).unwrap(wrapped, 'credential-7')).toThrow(
      SealBrokenError,
    );
    expect(() => sealer.openJson(`${sealedBefore}=`, wrapped, place)).toThrow(SealBrokenError);
  });
});

describe('Sealer under a later root key', () => {
  const later = new RootKey(Buffer.alloc(32, 9), 2);
  const sealer = new Sealer(new RootKeys(later));

  it('names the generation before the envelope', () => {
    const { wrapped, dataKey } = sealer.newDataKey('credential-7');
    expect(wrapped).toHaveLength(63);
    expect([...wrapped.subarray(0, 2)]).toEqual([2, 2]);
    expect(sealer.unwrap(wrapped, 'credential-7')).toEqual(dataKey);
  });

  it('refuses the data key of another stream, every altered bit and one under an earlier root key', () => {
    const { wrapped } = sealer.newDataKey('credential-7');
    expect(() => sealer.unwrap(wrapped, 'credential-8')).toThrow(SealBrokenError);
    for (let bit = 0; bit < wrapped.length * 8; bit++) {
      expect(() => sealer.unwrap(flipped(wrapped, bit), 'credential-7')).toThrow(SealBrokenError);
    }
    expect(() => sealer.unwrap(Buffer.from(wrappedBefore, 'base64url'), 'credential-7')).toThrow(SealBrokenError);
  });
});

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return copy;
}
