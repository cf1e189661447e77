import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

const publicKeyEncoding = { type: 'spki', format: 'der' } as const;
const privateKeyEncoding = { type: 'pkcs8', format: 'der' } as const;

/**
 * A new private key on a curve; its public half follows from it. The key takes the way through DER: in Node 20 a key
 * object fresh from the generator may freeze the process when it is exported as JWK while the garbage is collected.
 */
export function newPrivateKey(curve: 'P-256' | 'Ed25519'): KeyObject {
  const { privateKey } =
    curve === 'P-256'
      ? generateKeyPairSync('ec', { namedCurve: curve, publicKeyEncoding, privateKeyEncoding })
      : generateKeyPairSync('ed25519', { publicKeyEncoding, privateKeyEncoding });
  return createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' });
}
