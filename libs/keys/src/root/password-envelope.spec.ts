import { KeyStoreLockedError, SealBrokenError } from '../errors';
import { openWithPassword, sealUnderPassword } from './password-envelope';

// Made by another implementation (Python's cryptography) with argon2id, 64 MiB, t=3, p=4.
const sealedBefore =
  'p1.AwMDAwMDAwMDAwMDAwMDAwEEBAQEBAQEBAQEBASh-rVv1aocEKodNgr6dTyRDM9ey8dmfMFS_ab3Lt9XOww9aNwRLVPVm4Wb41RZo6I';
const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const place = 'key-encryption:1';

describe('a key under a password', () => {
  it('opens as version p1, however the accent is typed', async () => {
    expect(await openWithPassword('correct-horse-é', sealedBefore, place)).toEqual(key);
    expect(await openWithPassword('correct-horse-e\u0301', sealedBefore, place)).toEqual(key);
  });

  it('is sealed with a salt of its own', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => sealUnderPassword('a-password', key, place)));
    expect(one).not.toBe(other);
    expect(await openWithPassword('a-password', one ?? '', place)).toEqual(key);
  });

  it('stays locked for another password and another place', async () => {
    await expect(openWithPassword('correct-horse-e', sealedBefore, place)).rejects.toThrow(KeyStoreLockedError);
    await expect(openWithPassword('correct-horse-é', sealedBefore, 'elsewhere')).rejects.toThrow(KeyStoreLockedError);
  });

  // One byte of each field: every attempt costs an argon2id.
  it.each([
    ['salt', 0],
    ['version of the envelope', 16],
    ['nonce', 17],
    ['ciphertext', 29],
    ['tag', 76],
  ])('stays locked with an altered %s', async (_field, at) => {
    const bytes = Buffer.from(sealedBefore.slice(3), 'base64url');
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    const altered = `p1.${bytes.toString('base64url')}`;
    await expect(openWithPassword('correct-horse-é', altered, place)).rejects.toThrow(KeyStoreLockedError);
  });

  it.each(['', 'p1', 'p2.AAAA', 'p1.AAAA', `${sealedBefore}=`, `${sealedBefore}.`, sealedBefore.slice(3)])(
    'is not %j',
    async (text) => {
      await expect(openWithPassword('correct-horse-é', text, place)).rejects.toThrow(SealBrokenError);
    },
  );
});
