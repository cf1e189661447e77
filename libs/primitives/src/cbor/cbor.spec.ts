import { generateKeyPairSync, sign } from 'node:crypto';
import { parsePublicJwk } from '../jose/index';
import {
  CborError,
  type CborValue,
  coseAlgorithmsOf,
  coseKeyOf,
  decodeCbor,
  encodeCbor,
  isCoseSignedBy,
  jwkOfCoseKey,
  readCoseSign1,
  signCose,
  Tagged,
} from './index';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

// RFC 8949 appendix A
const vectors: readonly [string, CborValue][] = [
  ['00', 0],
  ['17', 23],
  ['1818', 24],
  ['1903e8', 1000],
  ['1a000f4240', 1000000],
  ['1b000000e8d4a51000', 1000000000000],
  ['1bffffffffffffffff', 18446744073709551615n],
  ['3bffffffffffffffff', -18446744073709551616n],
  ['20', -1],
  ['3903e7', -1000],
  ['fb3ff199999999999a', 1.1],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['f7', undefined],
  ['c074323031332d30332d32315432303a30343a30305a', new Tagged(0, '2013-03-21T20:04:00Z')],
  ['d818456449455446', new Tagged(24, hex('6449455446'))],
  ['4401020304', hex('01020304')],
  ['62c3bc', 'ü'],
  ['8301820203820405', [1, [2, 3], [4, 5]]],
  [
    'a26161016162820203',
    new Map<string, CborValue>([
      ['a', 1],
      ['b', [2, 3]],
    ]),
  ],
];

describe('CBOR', () => {
  it.each(vectors)('reads and writes %s', (bytes, value) => {
    expect(decodeCbor(hex(bytes))).toEqual(value);
    expect(encodeCbor(value).toString('hex')).toBe(bytes);
  });

  it.each<[string, number]>([
    ['f90000', 0],
    ['f93c00', 1],
    ['f97bff', 65504],
    ['f90001', 5.960464477539063e-8],
    ['f9c400', -4],
    ['fa47c35000', 100000],
    ['f97c00', Infinity],
  ])('reads the float %s', (bytes, value) => {
    expect(decodeCbor(hex(bytes))).toBe(value);
  });

  it('reads heads that are longer than needed', () => {
    expect(decodeCbor(hex('b900011a00000001a0'))).toEqual(new Map([[1, new Map()]]));
  });

  it('tells a name like __proto__ from what objects inherit', () => {
    expect(decodeCbor(hex('a1695f5f70726f746f5f5f01'))).toEqual(new Map([['__proto__', 1]]));
  });

  it.each([
    ['nothing', ''],
    ['what ends too early', '1903'],
    ['text cut off', '6261'],
    ['something after it', '0000'],
    ['a key twice', 'a201000100'],
    ['a key twice with another head', 'a2616100780161 00'.replace(' ', '')],
    ['a list as key', 'a18000'],
    ['an indefinite list', '9fff'],
    ['an indefinite text', '7f6161ff'],
    ['a reserved head', '1c'],
    ['a length of 2^40', '5b0000010000000000'],
    ['a list of 2^40', '9b0000010000000000'],
    ['a map of 2^32', 'ba ff ff ff ff'.replaceAll(' ', '')],
    ['a length of 2^64', '5bffffffffffffffff'],
    ['text that is not UTF-8', '61ff'],
    ['a simple value that means nothing', 'e0'],
    ['100,000 levels', `${'81'.repeat(100_000)}00`],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeCbor(hex(bytes))).toThrow(CborError);
  });
});

describe('COSE_Sign1', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = parsePublicJwk(pair.publicKey.export({ format: 'jwk' }));
  const signNow = (data: Buffer): Promise<Buffer> =>
    Promise.resolve(sign('sha256', data, { key: pair.privateKey, dsaEncoding: 'ieee-p1363' }));
  const payload = Buffer.from('payload');
  const signed = (alg: CborValue, unprotected = new Map<number, CborValue>()) =>
    signCose({ protectedHeader: new Map([[1, alg]]), unprotectedHeader: unprotected }, payload, signNow);

  it.each([-7, -9])('is verified with ES256 by the number %d', async (alg) => {
    const sign1 = readCoseSign1(decodeCbor(encodeCbor(await signed(alg))));
    expect(isCoseSignedBy(sign1, jwk, payload, coseAlgorithmsOf('ES256'))).toBe(true);
    expect(isCoseSignedBy(sign1, jwk, Buffer.from('other'), coseAlgorithmsOf('ES256'))).toBe(false);
  });

  it.each<CborValue>([0, -35, -8, -257, 'ES256', undefined])('is not verified with the algorithm %p', async (alg) => {
    const sign1 = readCoseSign1(await signed(alg));
    expect(() => isCoseSignedBy(sign1, jwk, payload, [-7, -9, -35, -8])).toThrow(CborError);
  });

  it('has its algorithm in the protected header', async () => {
    const [, ...rest] = await signed(-7);
    const sign1 = readCoseSign1([encodeCbor(new Map()), new Map([[1, -7]]), ...rest.slice(1)]);
    expect(() => isCoseSignedBy(sign1, jwk, payload, [-7])).toThrow(CborError);
  });

  it('is refused with another number of parts, with crit, and with a tag', async () => {
    const parts = await signed(-7);
    const critical = encodeCbor(
      new Map<number, CborValue>([
        [1, -7],
        [2, [1]],
      ]),
    );
    for (const value of [parts.slice(1), [...parts, null], [critical, ...parts.slice(1)], new Tagged(18, parts), 7]) {
      expect(() => readCoseSign1(value)).toThrow(CborError);
    }
  });
});

describe('COSE_Key', () => {
  it.each(['P-256', 'P-384'])('has the members of a JWK on %s', (namedCurve) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve });
    const jwk = parsePublicJwk(publicKey.export({ format: 'jwk' }));
    expect(jwkOfCoseKey(decodeCbor(encodeCbor(coseKeyOf(jwk))))).toEqual(jwk);
  });

  it('has the members of a JWK of Ed25519', () => {
    const jwk = parsePublicJwk(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }));
    expect(jwkOfCoseKey(coseKeyOf(jwk))).toEqual(jwk);
  });

  it('is refused with a private part, a short coordinate or another curve', () => {
    const jwk = parsePublicJwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }));
    const key = coseKeyOf(jwk);
    for (const wrong of [
      new Map([...key, [-4, Buffer.alloc(32)]]),
      new Map([...key, [-2, Buffer.alloc(31)]]),
      new Map([...key, [-1, 3]]),
      1,
    ]) {
      expect(() => jwkOfCoseKey(wrong as CborValue)).toThrow(CborError);
    }
  });
});
