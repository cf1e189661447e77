import { hash } from 'node:crypto';

/** As many as NIST SP 800-38G asks of a Feistel network over a small domain. */
const rounds = 10;

/**
 * A permutation of the entries of a list, so that entries are unpredictable and none has to be looked up: a Feistel network
 * over the bits of the place.
 * @param key 32 secret bytes, the list's own
 * @param size of the list, a power of two
 * @returns the entry that is handed out at a place
 */
export function entryOrder(key: Buffer, size: number): (place: number) => number {
  const bits = Math.log2(size);
  if (!Number.isInteger(bits) || bits > 30) throw new RangeError(`a list of ${size} entries`);
  const lowBits = bits >> 1;
  const lowMask = 2 ** lowBits - 1;
  const highMask = 2 ** (bits - lowBits) - 1;
  const input = Buffer.alloc(key.length + 5);
  key.copy(input);
  const noise = (round: number, half: number): number => {
    input.writeUInt8(round, key.length);
    input.writeUInt32BE(half, key.length + 1);
    return hash('sha256', input, 'buffer').readUInt32BE(0);
  };
  return (place) => {
    if (!Number.isInteger(place) || place < 0 || place >= size) throw new RangeError(`place ${place} of ${size}`);
    let high = place >>> lowBits;
    let low = place & lowMask;
    for (let round = 0; round < rounds; round += 2) {
      high ^= noise(round, low) & highMask;
      low ^= noise(round + 1, high) & lowMask;
    }
    return ((high << lowBits) | low) >>> 0;
  };
}
