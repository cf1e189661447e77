import { createCipheriv, createHash, diffieHellman, type KeyObject, randomBytes } from 'node:crypto';

/** ECDH-ES (RFC 7518 §4.6) with AES-GCM, for libraries that leave the arithmetic to their embedder. */
export interface KeyAgreement {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly enc: 'A128GCM' | 'A256GCM';
  readonly apu: Uint8Array;
  readonly apv: Uint8Array;
}

export function encryptByAgreement(agreement: KeyAgreement, data: Uint8Array, aad: Uint8Array) {
  const { privateKey, publicKey, enc } = agreement;
  const key = derivedKey(diffieHellman({ privateKey, publicKey }), agreement);
  const iv = randomBytes(12);
  const cipher = createCipheriv(enc === 'A128GCM' ? 'aes-128-gcm' : 'aes-256-gcm', key, iv);
  cipher.setAAD(aad);
  const encrypted = Buffer.concat([cipher.update(data), cipher.final()]);
  return { encrypted, iv, tag: cipher.getAuthTag() };
}

/** One round of the Concat KDF is enough for 256 bits. */
function derivedKey(secret: Buffer, { enc, apu, apv }: KeyAgreement): Buffer {
  const bytes = enc === 'A128GCM' ? 16 : 32;
  const withLength = (part: Uint8Array): Buffer => Buffer.concat([number(part.length), part]);
  const info = [Buffer.from(enc), apu, apv].map(withLength);
  const input = Buffer.concat([number(1), secret, ...info, number(bytes * 8)]);
  return createHash('sha256').update(input).digest().subarray(0, bytes);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
