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
