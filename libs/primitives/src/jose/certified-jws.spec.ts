import { constants, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { certifiedKey, type CertifiedKeyKind } from '../../fixtures/certified-key';
import { signingKey } from '../../fixtures/signing-key';
import { CERTIFIED_JWS_ALGORITHMS, verifyCertifiedJws } from './certified-jws';
import { decodeJws, JwsError } from './jws';

function outcomeOf(token: string, key: KeyObject): string {
  try {
    verifyCertifiedJws(decodeJws(token), key);
    return 'verified';
  } catch (error) {
    if (error instanceof JwsError) return error.reason;
    throw error;
  }
}

const keys = { rsa: certifiedKey('rsa'), p521: certifiedKey('p521'), other: certifiedKey('rsa') };
const byKind: Readonly<Record<CertifiedKeyKind, readonly string[]>> = {
  rsa: ['PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'],
  p521: ['ES512'],
};

describe('a signature under the key of a certificate', () => {
  it.each(Object.entries(byKind).flatMap(([kind, algorithms]) => algorithms.map((alg) => [alg, kind] as const)))(
    'is verified by %s, under this key alone',
    (alg, kind) => {
      const { publicKey, sign } = keys[kind as CertifiedKeyKind];
      const token = sign(alg, {}, { a: 1 });
      expect(outcomeOf(token, publicKey)).toBe('verified');
      expect(outcomeOf(token.replace(/\.[^.]+\./, '.e30.'), publicKey)).toBe('bad-signature');
      expect(outcomeOf(token, keys.other.publicKey)).toBe(kind === 'rsa' ? 'bad-signature' : 'key-mismatch');
      expect(outcomeOf(token, createPublicKey({ key: { ...signingKey('ES256').jwk }, format: 'jwk' }))).toBe(
        'key-mismatch',
      );
    },
  );

  it('is verified by the algorithms of wallets as well', () => {
    for (const alg of ['ES256', 'ES384', 'EdDSA'] as const) {
      const key = signingKey(alg);
      expect(outcomeOf(key.sign({}, {}), createPublicKey({ key: { ...key.jwk }, format: 'jwk' }))).toBe('verified');
    }
  });

  it('is none by another algorithm, or one that the key is not for', () => {
    const { rsa, p521 } = keys;
    for (const alg of ['none', 'HS256', 'toString']) {
      expect(CERTIFIED_JWS_ALGORITHMS).not.toContain(alg);
      expect(outcomeOf(rsa.sign('RS256', { alg }, {}), rsa.publicKey)).not.toBe('verified');
    }
    expect(outcomeOf(rsa.sign('RS256', { alg: 'ES256' }, {}), rsa.publicKey)).toBe('key-mismatch');
    expect(outcomeOf(rsa.sign('RS256', { alg: 'ES512' }, {}), rsa.publicKey)).toBe('key-mismatch');
    expect(outcomeOf(rsa.sign('RS256', { alg: 'PS256' }, {}), rsa.publicKey)).toBe('bad-signature');
    expect(outcomeOf(p521.sign('ES512', { alg: 'RS512' }, {}), p521.publicKey)).toBe('key-mismatch');
  });

  it('is none under a key of RSA with less than 2048 bits, or with another salt', () => {
    const short = certifiedKey('rsa', 1024);
    expect(outcomeOf(short.sign('PS256', {}, {}), short.publicKey)).toBe('key-mismatch');
    const salted = keys.rsa.sign('PS256', {}, {}, { saltLength: constants.RSA_PSS_SALTLEN_MAX_SIGN });
    expect(outcomeOf(salted, keys.rsa.publicKey)).toBe('bad-signature');
  });

  it('is none under a key of which nobody here knows', () => {
    const { publicKey } = generateKeyPairSync('ec', {
      namedCurve: 'brainpoolP256r1',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    expect(outcomeOf(signingKey('ES256').sign({}, {}), createPublicKey(publicKey))).toBe('key-mismatch');
  });
});
