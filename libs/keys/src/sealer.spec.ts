import { SealBrokenError } from './errors';
import { RootKey } from './root-key';
import { Sealer } from './sealer';

const rootKey = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const sealer = new Sealer(new RootKey(rootKey));
const place = 'credential-7/CredentialIssued';

// Made by another implementation (Python's cryptography) from the format alone; whatever changes here breaks stored data.
const wrappedBefore = 'AQEBAQEBAQEBAQEBATzlU1uGxoFje2UBqp9P6Zs4knkJFZZR2VcSTCV0CMs_tmFhERFooR_-XE0DNodaIA';
const sealedBefore = 'AQICAgICAgICAgICAmGWjm4tjtt4dDHr0sC47j-4egObUsux3OPJ4yULv-yDdj9Ick0V';

describe('Sealer', () => {
  it('opens what version 1 sealed', () => {
    const wrapped = Buffer.from(wrappedBefore, 'base64url');
    expect(sealer.unwrap(wrapped)).toEqual(Buffer.alloc(32, 7));
    expect(sealer.openJson(sealedBefore, wrapped, place)).toEqual({ given_name: 'Erika' });
  });

  it('opens what it sealed', () => {
    const { dataKey, wrapped } = sealer.newDataKey();
    expect(wrapped).toHaveLength(61);
    expect(sealer.unwrap(wrapped)).toEqual(dataKey);
    expect(sealer.open(dataKey, sealer.seal(dataKey, 'Ångström', place), place).toString()).toBe('Ångström');
    expect(sealer.open(dataKey, sealer.seal(dataKey, Buffer.alloc(0), place), place)).toHaveLength(0);
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
      expect(() => sealer.open(dataKey, bytes.toString('base64url'), place)).toThrow(SealBrokenError);
    };
    for (let bit = 0; bit < envelope.length * 8; bit++) refused(flipped(envelope, bit));
    for (let length = 0; length < envelope.length; length++) refused(envelope.subarray(0, length));
    refused(Buffer.concat([envelope, Buffer.of(0)]));
  });

  it('refuses every altered bit of a wrapped key', () => {
    const wrapped = Buffer.from(wrappedBefore, 'base64url');
    for (let bit = 0; bit < wrapped.length * 8; bit++) {
      expect(() => sealer.unwrap(flipped(wrapped, bit))).toThrow(SealBrokenError);
    }
  });

  it('refuses a value moved to another place, another root key and another spelling', () => {
    const wrapped = Buffer.from(wrappedBefore, 'base64url');
    expect(() => sealer.openJson(sealedBefore, wrapped, 'credential-8/CredentialIssued')).toThrow(SealBrokenError);
    expect(() => new Sealer(new RootKey(Buffer.alloc(32))).unwrap(wrapped)).toThrow(SealBrokenError);
    expect(() => sealer.openJson(`${sealedBefore}=`, wrapped, place)).toThrow(SealBrokenError);
  });
});

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return copy;
}
