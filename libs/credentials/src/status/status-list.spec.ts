import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { decodeStatusList, encodeStatusList, STATUS_BITS, statusAt } from './status-list';

describe('a status list', () => {
  // Token Status List §4.1, the examples with 1 and 2 bits.
  it.each([
    [1, [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1], 'eNrbuRgAAhcBXQ'],
    [2, [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3], 'eNo76fITAAPfAgc'],
  ] as const)('is encoded as in the example with %d bits', (bits, statuses, lst) => {
    expect(encodeStatusList(bits, statuses.length, statuses.entries())).toEqual({ bits, lst });
  });

  it('gives back every status, and nothing beyond its end', () => {
    const list = fc
      .constantFrom(...STATUS_BITS)
      .chain((bits) => fc.tuple(fc.constant(bits), fc.array(fc.nat(2 ** bits - 1), { minLength: 1, maxLength: 100 })));
    fc.assert(
      fc.property(list, ([bits, statuses]) => {
        const decoded = decodeStatusList(encodeStatusList(bits, statuses.length, statuses.entries()));
        if (decoded === undefined) throw new Error('the list is not readable');
        expect(statuses.map((_, index) => statusAt(decoded, index))).toEqual(statuses);
        expect(statusAt(decoded, Math.ceil((statuses.length * bits) / 8) * (8 / bits))).toBeUndefined();
        expect(statusAt(decoded, Number.MAX_SAFE_INTEGER)).toBeUndefined();
      }),
    );
  });

  it.each([
    [8, 0],
    [-1, 0],
    [0.5, 0],
    [0, 2],
    [0, -1],
    [0, 0.5],
  ])('cannot hold entry %d with status %d', (index, status) => {
    expect(() => encodeStatusList(1, 8, [[index, status]])).toThrow(RangeError);
  });

  it.each<[string, unknown]>([
    ['3 bits', { bits: 3, lst: 'eNrbuRgAAhcBXQ' }],
    ['bits as text', { bits: '1', lst: 'eNrbuRgAAhcBXQ' }],
    ['no list', { bits: 1 }],
    ['garbage', { bits: 1, lst: 'AAAA' }],
    ['padding', { bits: 1, lst: 'eNrbuRgAAhcBXQ==' }],
    ['a cut list', { bits: 1, lst: 'eNrbuRgAAhcB' }],
    ['raw deflate', { bits: 1, lst: 'A-4A' }],
    ['17 MiB of zeros', { bits: 1, lst: deflateSync(Buffer.alloc(17 * 1024 * 1024)).toString('base64url') }],
    ['64 MiB of zeros', { bits: 8, lst: deflateSync(Buffer.alloc(64 * 1024 * 1024)).toString('base64url') }],
    ['no object', null],
  ])('is refused with %s', (_, claim) => {
    expect(decodeStatusList(claim)).toBeUndefined();
  });
});
