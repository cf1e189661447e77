const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Decodes base58 with the Bitcoin alphabet. The effort grows with the square of the length: callers limit it. */
export function decodeBase58(text: string): Buffer | undefined {
  const bytes: number[] = []; // little endian
  for (const character of text) {
    let carry = ALPHABET.indexOf(character);
    if (carry < 0) return undefined;
    for (const [index, byte] of bytes.entries()) {
      carry += byte * 58;
      bytes[index] = carry & 0xff;
      carry >>= 8;
    }
    while (carry > 0) {
      bytes.push(carry & 0xff);
      carry >>= 8;
    }
  }
  // Each leading `1` stands for a leading zero byte, which the number itself cannot carry.
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(bytes.reverse())]);
}
