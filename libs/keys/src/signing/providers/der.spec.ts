import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { publicHalf, rawSignature } from './der';

const repeated = (byte: string, times: number): string => byte.repeat(times);
const integer = (hex: string): string => `02${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`;
const sequence = (...parts: string[]): string => {
  const content = parts.join('');
  return `30${(content.length / 2).toString(16).padStart(2, '0')}${content}`;
};
const rawOf = (hex: string): string | undefined => rawSignature(Buffer.from(hex, 'hex'))?.toString('hex');

const plain = repeated('11', 32);
const high = `80${repeated('22', 31)}`;

describe('a signature in DER', () => {
  it.each([
    ['two full numbers', plain, plain, plain + plain],
    ['a high bit in r', `00${high}`, plain, high + plain],
    ['a high bit in s', plain, `00${high}`, plain + high],
    ['a short r', repeated('33', 31), plain, `00${repeated('33', 31)}${plain}`],
    ['a short s whose high bit is set', plain, `00${repeated('99', 30)}`, `${plain}0000${repeated('99', 30)}`],
    ['the smallest numbers', '01', '01', `${repeated('00', 31)}01${repeated('00', 31)}01`],
  ])('with %s has 64 bytes', (_, r, s, raw) => {
    expect(rawOf(sequence(integer(r), integer(s)))).toBe(raw);
  });

  it.each([
    ['nothing', ''],
    ['63 bytes', repeated('01', 63)],
    ['a raw signature', plain + plain],
    ['another tag', sequence(integer(plain), integer(plain)).replace(/^30/, '31')],
    ['a bit string', sequence(integer(plain).replace(/^02/, '03'), integer(plain))],
    ['one number', sequence(integer(plain))],
    ['three numbers', sequence(integer(plain), integer(plain), integer('01'))],
    ['a byte behind it', `${sequence(integer(plain), integer(plain))}00`],
    ['a byte in it behind s', sequence(integer(plain), integer(plain), '00')],
    ['a negative r', sequence(integer(high), integer(plain))],
    ['a negative s', sequence(integer(plain), integer(high))],
    ['a zero', sequence(integer('00'), integer(plain))],
    ['an empty number', sequence(integer(''), integer(plain))],
    ['a zero byte that need not be there', sequence(integer(`00${plain}`), integer(plain))],
    ['33 digits', sequence(integer(`01${plain}`), integer(plain))],
    ['34 bytes', sequence(integer(`00${high}11`), integer(plain))],
    ['another length', sequence(integer(plain), integer(plain)).replace(/^3044/, '3045')],
    ['a length in the long form', `3081${sequence(integer(plain), integer(plain)).slice(2)}`],
    ['an end before its length', sequence(integer(plain), integer(plain)).slice(0, -2)],
    ['an s that ends before its length', sequence(integer(plain), `0220${repeated('11', 31)}`)],
  ])('is none with %s', (_, hex) => {
    expect(rawOf(hex)).toBeUndefined();
  });

  it('verifies as the raw one, for many keys', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (let each = 0; each < 300; each++) {
      const data = createHash('sha256').update(String(each)).digest();
      const raw = rawSignature(sign('sha256', data, privateKey));
      expect(raw).toHaveLength(64);
      expect(verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw ?? Buffer.alloc(0))).toBe(true);
    }
  });
});

describe('a public key', () => {
  it.each([
    ['ES256', 'ec', 'P-256', ['kty', 'crv', 'x', 'y']],
    ['EdDSA', 'ed25519', undefined, ['kty', 'crv', 'x']],
  ] as const)('of %s is read from DER and PEM', (algorithm, kind, namedCurve, members) => {
    const { publicKey } = generateKeyPairSync(kind as 'ec', { namedCurve: namedCurve ?? '' });
    const jwk = publicKey.export({ format: 'jwk' });
    const der = publicKey.export({ format: 'der', type: 'spki' });
    const expected = { algorithm, publicJwk: Object.fromEntries(members.map((name) => [name, jwk[name]])) };
    expect(publicHalf({ key: der, format: 'der', type: 'spki' })).toEqual(expected);
    expect(publicHalf(publicKey.export({ format: 'pem', type: 'spki' }))).toEqual(expected);
    expect(publicHalf({ key: jwk, format: 'jwk' })).toEqual(expected);
  });

  it('is none on another curve, beside its curve, or of another kind', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey;
    expect(publicHalf(other.export({ format: 'pem', type: 'spki' }))).toBeUndefined();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    expect(publicHalf(rsa.export({ format: 'pem', type: 'spki' }))).toBeUndefined();
    const x = Buffer.alloc(32, 1).toString('base64url');
    expect(publicHalf({ key: { kty: 'EC', crv: 'P-256', x, y: x }, format: 'jwk' })).toBeUndefined();
    expect(publicHalf('no key')).toBeUndefined();
  });
});
