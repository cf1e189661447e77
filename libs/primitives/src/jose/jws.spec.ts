import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import type { JsonObject } from '../json/index';
import vectors from '../../fixtures/jose-vectors.json';
import { encode, signingKey, type SigningAlgorithm } from '../../fixtures/signing-key';
import { decodeJws, JWS_ALGORITHMS, type JwsAlgorithm, JwsError, verifyJws } from './jws';
import { parsePublicJwk, type PublicJwk } from './public-jwk';

function outcomeOf(token: string, key: PublicJwk, algorithms: readonly JwsAlgorithm[] = JWS_ALGORITHMS): string {
  try {
    verifyJws(decodeJws(token), key, algorithms);
    return 'verified';
  } catch (error) {
    if (error instanceof JwsError) return error.reason;
    throw error;
  }
}

const keys = { ES256: signingKey('ES256'), ES384: signingKey('ES384'), EdDSA: signingKey('EdDSA') };
const algorithms: SigningAlgorithm[] = ['ES256', 'ES384', 'EdDSA'];

describe('JWS', () => {
  it('verifies the ES256 example of RFC 7515', () => {
    const jws = decodeJws(vectors.jws.token);
    expect(jws.header).toEqual({ alg: 'ES256' });
    expect(jws.payload).toEqual(vectors.jws.payload);
    expect(() => {
      verifyJws(jws, parsePublicJwk(vectors.jws.jwk), ['ES256']);
    }).not.toThrow();
  });

  it.each(['EdDSA', 'Ed25519'] as const)('verifies the Ed25519 signature of RFC 8037 as %s', (alg) => {
    const { signingInput, signature, jwk } = vectors.ed25519;
    const jws = { header: { alg }, payload: {}, signingInput, signature: Buffer.from(signature, 'base64url') };
    expect(() => {
      verifyJws(jws, parsePublicJwk(jwk), [alg]);
    }).not.toThrow();
  });

  it.each(algorithms)('verifies what a key for %s signed, and with no other key', (alg) => {
    const token = keys[alg].sign({}, { a: 1 });
    expect(outcomeOf(token, keys[alg].jwk)).toBe('verified');
    expect(outcomeOf(token, signingKey(alg).jwk)).toBe('bad-signature');
  });

  it('binds every algorithm to one curve', () => {
    for (const keyAlg of algorithms) {
      for (const headerAlg of algorithms.filter((alg) => alg !== keyAlg)) {
        const token = keys[keyAlg].sign({ alg: headerAlg }, {});
        expect(outcomeOf(token, keys[keyAlg].jwk)).toBe('key-mismatch');
      }
    }
  });

  it.each<JsonObject>([
    { alg: 'none' },
    { alg: 'HS256' },
    { alg: 'RS256' },
    { alg: 'ES256K' },
    { alg: 'es256' },
    { alg: ['ES256'] },
    { alg: 'toString' },
    { alg: '__proto__' },
  ])('refuses the header %j', (header) => {
    expect(outcomeOf(keys.ES256.sign(header, {}), keys.ES256.jwk)).toBe('unsupported-algorithm');
  });

  it('refuses an HMAC under the public key', () => {
    const input = `${encode({ alg: 'HS256' })}.${encode({})}`;
    const mac = createHmac('sha256', JSON.stringify(keys.ES256.jwk)).update(input).digest('base64url');
    expect(outcomeOf(`${input}.${mac}`, keys.ES256.jwk)).toBe('unsupported-algorithm');
  });

  it('refuses a supported algorithm that the caller does not list', () => {
    expect(outcomeOf(keys.EdDSA.sign({}, {}), keys.EdDSA.jwk, ['ES256'])).toBe('unsupported-algorithm');
  });

  it.each<[string, Buffer]>([
    ['empty', Buffer.alloc(0)],
    ['of zeros (r = s = 0)', Buffer.alloc(64)],
    ['in DER', Buffer.from('3006020101020101', 'hex')],
    ['one byte short', Buffer.alloc(63, 1)],
    ['one byte long', Buffer.alloc(65, 1)],
  ])('refuses a signature that is %s', (_, signature) => {
    const input = `${encode({ alg: 'ES256' })}.${encode({})}`;
    expect(outcomeOf(`${input}.${signature.toString('base64url')}`, keys.ES256.jwk)).toBe('bad-signature');
  });

  it('refuses a valid signature that is padded to another length', () => {
    const { signature, signingInput } = decodeJws(keys.ES256.sign({}, {}));
    const longer = Buffer.concat([Buffer.alloc(1), signature.subarray(0, 32), Buffer.alloc(1), signature.subarray(32)]);
    expect(outcomeOf(`${signingInput}.${longer.toString('base64url')}`, keys.ES256.jwk)).toBe('bad-signature');
  });

  it('refuses every token in which one bit was turned', () => {
    const token = keys.ES256.sign({ typ: 'JWT' }, { sub: 'someone', n: 1 });
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.nat(6), (at, bit) => {
        const turned = String.fromCharCode(token.charCodeAt(at) ^ (1 << bit));
        expect(outcomeOf(token.slice(0, at) + turned + token.slice(at + 1), keys.ES256.jwk)).not.toBe('verified');
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['two parts', 'e30.e30'],
    ['four parts', `${keys.ES256.sign({}, {})}.e30`],
    ['padding', `${keys.ES256.sign({}, {})}==`],
    ['a header that is no object', `${Buffer.from('[]').toString('base64url')}.e30.AA`],
    ['a payload that is no object', `e30.${Buffer.from('"x"').toString('base64url')}.AA`],
    ['a repeated header member', `${Buffer.from('{"alg":"ES256","alg":"none"}').toString('base64url')}.e30.AA`],
    ['a repeated claim', `e30.${Buffer.from('{"aud":"a","aud":"b"}').toString('base64url')}.AA`],
    ['nothing', ''],
  ])('refuses %s', (_, token) => {
    expect(outcomeOf(token, keys.ES256.jwk)).toBe('malformed');
  });

  it('refuses every crit header', () => {
    expect(outcomeOf(keys.ES256.sign({ crit: ['b64'], b64: false }, {}), keys.ES256.jwk)).toBe('critical-header');
    expect(outcomeOf(keys.ES256.sign({ crit: [] }, {}), keys.ES256.jwk)).toBe('critical-header');
  });

  it('refuses a token longer than the limit', () => {
    const token = keys.ES256.sign({}, { pad: 'x'.repeat(100) });
    expect(() => decodeJws(token, { maxLength: token.length })).not.toThrow();
    expect(() => decodeJws(token, { maxLength: token.length - 1 })).toThrow(JwsError);
  });
});

describe('unsound public keys', () => {
  const x = (hex: string): PublicJwk => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x: Buffer.from(hex, 'hex').toString('base64url'),
  });
  const ff = 'ff'.repeat(30);

  // y in little endian; the last byte carries the sign of x.
  it.each([
    ['order 1', `01${'00'.repeat(31)}`],
    ['order 1 with a sign', `01${'00'.repeat(30)}80`],
    ['order 2', `ec${ff}7f`],
    ['order 4', '00'.repeat(32)],
    ['order 4 with a sign', `${'00'.repeat(31)}80`],
    ['order 8', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
    ['order 8 with a sign', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85'],
    ['order 8, the other', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['order 8, the other with a sign', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa'],
    ['a second encoding of 0', `ed${ff}7f`],
    ['a second encoding of 1', `ee${ff}7f`],
    ['a second encoding of 18 with a sign', `ff${ff}ff`],
  ])('of Ed25519 are refused: %s', (_, hex) => {
    expect(outcomeOf(keys.EdDSA.sign({}, {}), x(hex))).toBe('invalid-key');
  });

  it('include the one under which a forger could sign anything', () => {
    // R = the neutral point, S = 0 satisfies S*B = R + h*A for A = the neutral point and every message.
    const forged = `01${'00'.repeat(63)}`;
    const token = `${encode({ alg: 'EdDSA' })}.${encode({ any: 'message' })}`;
    const signature = Buffer.from(forged, 'hex').toString('base64url');
    expect(outcomeOf(`${token}.${signature}`, x(`01${'00'.repeat(31)}`))).toBe('invalid-key');
  });

  it('of Ed25519 that are no points verify nothing', () => {
    expect(outcomeOf(keys.EdDSA.sign({}, {}), x(`02${'00'.repeat(31)}`))).toBe('bad-signature');
  });

  it('of P-256 that are no points are refused', () => {
    const { jwk } = keys.ES256;
    if (jwk.kty !== 'EC') throw new Error('not an EC key');
    expect(outcomeOf(keys.ES256.sign({}, {}), { ...jwk, y: jwk.x })).toBe('invalid-key');
    const zero = Buffer.alloc(32).toString('base64url');
    expect(outcomeOf(keys.ES256.sign({}, {}), { ...jwk, x: zero, y: zero })).toBe('invalid-key');
  });
});
