import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `swk_<id>_<secret>_<checksum>`: the prefix and the checksum let secret scanners find a leaked key without doubt. */
const pattern = /^(swk_([0-9A-Za-z]{8})_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new key: 256 random bits behind a random id, in letters and digits only, so that a double click selects a part. */
export function newApiKey(): { readonly id: string; readonly text: string } {
  const id = base62(randomBytes(6), 9).slice(-8);
  const body = `swk_${id}_${base62(randomBytes(32), 43)}`;
  return { id, text: `${body}_${checksumOf(body)}` };
}

/** The id in a key; undefined for a text that is no key of ours or was mistyped. Says nothing about its being known. */
export function apiKeyIdOf(text: string): string | undefined {
  const [, body = '', id, checksum] = pattern.exec(text) ?? [];
  return id !== undefined && checksumOf(body) === checksum ? id : undefined;
}

function checksumOf(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return base62(bytes, 6);
}

function base62(bytes: Buffer, length: number): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 62n) text = (digits[Number(rest % 62n)] ?? '') + text;
  return text.padStart(length, '0');
}
