const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Base58 in the Bitcoin alphabet, as did:key wants it after the multibase letter `z`. */
export function base58(bytes: Uint8Array): string {
  let number = BigInt(`0x00${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (number > 0n) {
    text = alphabet.charAt(Number(number % 58n)) + text;
    number /= 58n;
  }
  // Leading zero bytes have no digits in the number; each is written as the zero digit.
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
}

/** The bytes behind base58 text; undefined when a character is foreign to the alphabet. */
export function fromBase58(text: string): Buffer | undefined {
  let number = 0n;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit === -1) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const hex = number === 0n ? '' : number.toString(16);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Buffer.from('00'.repeat(zeros) + (hex.length % 2 === 0 ? hex : `0${hex}`), 'hex');
}
