import { CompactEncrypt } from 'jose';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decryptJwe, JweTooLargeError } from './jwe';

const accepted = { keyManagement: ['ECDH-ES'], contentEncryption: ['A256GCM'] };
const recipient = newPair();

/** Through PEM, as the fixture for signing keys does. */
function newPair(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  const pem = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { privateKey: createPrivateKey(pem.privateKey), publicKey: createPublicKey(pem.publicKey) };
}

interface Changes {
  readonly enc?: string;
  readonly zip?: 'DEF';
}
function encrypted(
  { publicKey }: { readonly publicKey: KeyObject },
  { enc = 'A256GCM', zip }: Changes = {},
  text = 'the answer of a wallet',
): Promise<string> {
  const header = { alg: 'ECDH-ES', enc, ...(zip && { zip }) };
  return new CompactEncrypt(new TextEncoder().encode(text)).setProtectedHeader(header).encrypt(publicKey);
}

describe('decryptJwe', () => {
  it('gives the plaintext to the recipient', async () => {
    expect(await decryptJwe(await encrypted(recipient), recipient.privateKey, accepted)).toBe('the answer of a wallet');
  });

  it('gives nothing for another key, another algorithm or a changed text', async () => {
    expect(await decryptJwe(await encrypted(newPair()), recipient.privateKey, accepted)).toBeUndefined();
    expect(
      await decryptJwe(await encrypted(recipient, { enc: 'A128GCM' }), recipient.privateKey, accepted),
    ).toBeUndefined();
    expect(await decryptJwe(`${await encrypted(recipient)}x`, recipient.privateKey, accepted)).toBeUndefined();
    expect(await decryptJwe('no.jwe', recipient.privateKey, accepted)).toBeUndefined();
  });

  it('inflates a compressed text up to a limit, and none without one', async () => {
    const [jwe, bomb] = [
      await encrypted(recipient, { zip: 'DEF' }, 'x'.repeat(1000)),
      await encrypted(recipient, { zip: 'DEF' }, 'x'.repeat(1001)),
    ];
    const inflating = { ...accepted, mostInflatedBytes: 1000 };
    expect(await decryptJwe(jwe, recipient.privateKey, inflating)).toHaveLength(1000);
    await expect(decryptJwe(bomb, recipient.privateKey, inflating)).rejects.toThrow(JweTooLargeError);
    expect(await decryptJwe(jwe, recipient.privateKey, accepted)).toBeUndefined();
  });
});
