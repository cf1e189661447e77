import fc from 'fast-check';
import { inexactNumbers, isExactNumber } from './exact-numbers';

describe('numbers in a JSON text', () => {
  it('are exact when JSON.stringify wrote them, but for integers beyond 2^53 - 1', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json = JSON.stringify(value);
        const others = inexactNumbers(json).map((pointer) => read(value, pointer));
        expect(others.filter((one) => !Number.isInteger(one) || Number.isSafeInteger(one))).toEqual([]);
      }),
    );
  });

  it('are found wherever they stand', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string(), (value, name) => {
        const json = `[${JSON.stringify(value)},{${JSON.stringify(name)}:[1e-999]},-1e-999]`;
        const place = name.replaceAll('~', '~0').replaceAll('/', '~1');
        expect(inexactNumbers(json).slice(-2)).toEqual([`/1/${place}/0`, '/2']);
      }),
    );
  });

  it('are exact or not whatever zeros and powers they are written with', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(20), (value, zeros) => {
        fc.pre(value !== 0 && (!Number.isInteger(value) || Number.isSafeInteger(value)));
        const [mantissa = '', power = '0'] = String(value).split('e');
        const padded = `${mantissa.includes('.') ? mantissa : `${mantissa}.`}${'0'.repeat(zeros + 1)}`;
        expect(isExactNumber(`${padded}e${power}`)).toBe(true);
        expect(isExactNumber(`${padded}${'0'.repeat(20)}1e${power}`)).toBe(false);
      }),
    );
  });
});

function read(value: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>(
    (inside, name) => (inside as Record<string, unknown>)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    value,
  );
}
