import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
  sign,
  verify,
} from 'node:crypto';

const dsaEncoding = 'ieee-p1363';

/** Keys for Credo by node:crypto. */
export class KeysInMemory {
  backend = 'memory';
  #keys = new Map();

  isOperationSupported(_, { operation }) {
    return ['createKey', 'sign', 'verify', 'randomBytes'].includes(operation);
  }

  async createKey(_, { type: { kty, crv } }) {
    const encoding = {
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    };
    const pair =
      kty === 'EC'
        ? generateKeyPairSync('ec', { namedCurve: crv, ...encoding })
        : generateKeyPairSync('ed25519', encoding);
    const key = createPrivateKey({ key: pair.privateKey, format: 'der', type: 'pkcs8' });
    const keyId = randomUUID();
    const publicJwk = { ...createPublicKey(key).export({ format: 'jwk' }), kid: keyId };
    this.#keys.set(keyId, { key, publicJwk });
    return { keyId, publicJwk };
  }

  async getPublicKey(_, keyId) {
    return this.#keys.get(keyId)?.publicJwk ?? null;
  }

  async sign(_, { keyId, algorithm, data }) {
    const { key } = this.#keys.get(keyId);
    return { signature: sign(digestOf(algorithm), data, { key, dsaEncoding }) };
  }

  async verify(_, { key: { publicJwk }, algorithm, data, signature }) {
    const key = createPublicKey({ key: publicJwk, format: 'jwk' });
    return verify(digestOf(algorithm), data, { key, dsaEncoding }, signature)
      ? { verified: true, publicJwk }
      : { verified: false };
  }

  randomBytes(_, { length }) {
    return randomBytes(length);
  }
}

function digestOf(algorithm) {
  return algorithm === 'ES256' ? 'sha256' : null;
}
