import fc from 'fast-check';
import { decodeBase64Url, encodeBase64Url } from './strict-base64url';

describe('strict base64url', () => {
  it('returns the bytes it encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it.each([
    ['padding', 'QQ=='],
    ['leftover bits', 'QR'],
    ['a length that no bytes have', 'QUJDR'],
    ['the standard alphabet', '-_+/'],
    ['white space', 'QU JD'],
    ['a line end', 'QUJD\n'],
    ['a foreign character', 'QUJ.'],
    ['a character beyond ASCII', 'QUJé'],
  ])('refuses %s', (_, text) => {
    expect(decodeBase64Url(text)).toBeUndefined();
  });

  it('accepts only one encoding of the same bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('A', 'Q', 'g', 'w', '_', '-', '+', '/', '=', ' ') }), (text) => {
        const bytes = decodeBase64Url(text);
        if (bytes !== undefined) expect(encodeBase64Url(bytes)).toBe(text);
      }),
    );
  });
});
