import { createECDH, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import type { SigningAlgorithm } from '@app/keys';

export interface FakeKey {
  readonly algorithm: SigningAlgorithm;
  readonly publicKey: KeyObject;
  readonly publicJwk: JsonWebKey;
  readonly privateKey: KeyObject;
  /** 64 bytes. @param input for ES256 its SHA-256 */
  readonly sign: (input: Buffer) => Buffer;
}

export function fakeKey(algorithm: SigningAlgorithm): FakeKey {
  const { privateKey, publicKey } =
    algorithm === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  const signing = algorithm === 'ES256' ? digestSigner(privateKey) : (input: Buffer) => sign(null, input, privateKey);
  return {
    algorithm,
    publicKey,
    privateKey,
    publicJwk: { kty, crv, x, ...(y !== undefined && { y }) } as JsonWebKey,
    sign: signing,
  };
}

/** The keys of a service, by name: their versions, from 1 on. */
export type FakeKeys = Map<string, FakeKey[]>;

const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

/**
 * ECDSA of P-256 over what is hashed already, for which node:crypto has nothing: FIPS 186-5 §6.4.1. All signatures have one nonce, which would
 * give a real key away: it takes a hundredth of the time, and benchmarks measure the service.
 */
function digestSigner(key: KeyObject): (digest: Buffer) => Buffer {
  const secret = numberOf(Buffer.from(String(key.export({ format: 'jwk' }).d), 'base64url'));
  const nonce = createECDH('prime256v1');
  const r = numberOf(nonce.generateKeys().subarray(1, 33)) % order;
  const factor = inverse(numberOf(nonce.getPrivateKey()));
  return (digest) => {
    if (digest.length !== 32) throw new Error('not a SHA-256');
    return Buffer.concat([bytesOf(r), bytesOf((factor * (numberOf(digest) + r * secret)) % order)]);
  };
}

/** The order is a prime number. */
function inverse(value: bigint): bigint {
  let result = 1n;
  for (let base = value, left = order - 2n; left > 0n; left >>= 1n, base = (base * base) % order)
    if (left & 1n) result = (result * base) % order;
  return result;
}

const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);
const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

/** A raw signature as a SEQUENCE of two INTEGERs. */
export function derOf(raw: Buffer): Buffer {
  const integers = [raw.subarray(0, 32), raw.subarray(32)].map((number) => {
    const digits = number.subarray(number.findIndex((byte) => byte !== 0));
    const content = Number(digits[0]) > 127 ? Buffer.concat([Buffer.alloc(1), digits]) : digits;
    return Buffer.concat([Buffer.from([2, content.length]), content]);
  });
  const content = Buffer.concat(integers);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}
