import vectors from '../../fixtures/jose-vectors.json';
import { equalJwks, parsePublicJwk, PublicJwkError, thumbprint } from './public-jwk';

const p256 = vectors.jws.jwk;

function reasonOf(value: unknown): string {
  try {
    parsePublicJwk(value);
    return 'accepted';
  } catch (error) {
    if (error instanceof PublicJwkError) return error.reason;
    throw error;
  }
}

describe('public JWK', () => {
  it('keeps the members that define the key and drops the others', () => {
    expect(parsePublicJwk({ ...p256, kid: 'a', alg: 'ES256', use: 'sig', x5c: [] })).toEqual(p256);
    expect(parsePublicJwk({ ...vectors.ed25519.jwk, y: 'ignored' })).toEqual(vectors.ed25519.jwk);
  });

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])('refuses the private member %s', (member) => {
    expect(reasonOf({ ...p256, [member]: null })).toBe('private-key');
  });

  it.each([
    ['RSA', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }],
    ['a symmetric key without k', { kty: 'oct' }],
    ['secp256k1', { ...p256, crv: 'secp256k1' }],
    ['P-521', { ...p256, crv: 'P-521' }],
    ['X25519', { ...vectors.ed25519.jwk, crv: 'X25519' }],
    ['an Ed25519 curve in an EC key', { ...p256, crv: 'Ed25519' }],
    ['no kty', { crv: 'P-256' }],
  ])('refuses %s', (_, value) => {
    expect(reasonOf(value)).toBe('unsupported-key');
  });

  it.each([
    ['a missing y', { kty: 'EC', crv: 'P-256', x: p256.x }],
    ['a short coordinate', { ...p256, x: 'AQAB' }],
    ['a coordinate with leftover bits', { ...p256, x: `${p256.x.slice(0, -1)}V` }],
    ['a coordinate that is no string', { ...p256, x: 1 }],
    ['a string', JSON.stringify(p256)],
    ['an array', [p256]],
    ['null', null],
  ])('refuses %s', (_, value) => {
    expect(reasonOf(value)).toBe('malformed');
  });

  it('has the thumbprint of RFC 8037 appendix A.3', () => {
    expect(thumbprint(parsePublicJwk(vectors.ed25519.jwk))).toBe(vectors.ed25519.thumbprint);
  });

  it('is equal to the same key only', () => {
    const key = parsePublicJwk(p256);
    expect(equalJwks(key, parsePublicJwk({ y: p256.y, x: p256.x, crv: 'P-256', kty: 'EC', kid: 'b' }))).toBe(true);
    expect(equalJwks(key, parsePublicJwk({ ...p256, y: p256.x }))).toBe(false);
  });
});
