import { CompactEncrypt } from 'jose';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decryptJwe } from './jwe';

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

function encrypted({ publicKey }: { readonly publicKey: KeyObject }, enc = 'A256GCM'): Promise<string> {
  const plaintext = new TextEncoder().encode('the answer of a wallet');
  return new CompactEncrypt(plaintext).setProtectedHeader({ alg: 'ECDH-ES', enc }).encrypt(publicKey);
}

describe('decryptJwe', () => {
  it('gives the plaintext to the recipient', async () => {
    expect(await decryptJwe(await encrypted(recipient), recipient.privateKey, accepted)).toBe('the answer of a wallet');
  });

  it('gives nothing for another key, another algorithm or a changed text', async () => {
    expect(await decryptJwe(await encrypted(newPair()), recipient.privateKey, accepted)).toBeUndefined();
    expect(await decryptJwe(await encrypted(recipient, 'A128GCM'), recipient.privateKey, accepted)).toBeUndefined();
    expect(await decryptJwe(`${await encrypted(recipient)}x`, recipient.privateKey, accepted)).toBeUndefined();
    expect(await decryptJwe('no.jwe', recipient.privateKey, accepted)).toBeUndefined();
  });
});
