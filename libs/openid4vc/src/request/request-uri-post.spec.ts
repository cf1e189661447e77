import fc from 'fast-check';
import { OAuthError } from '../wire/oauth-error';
import { parseRequestUriPost } from './request-uri-post';

const parse = (form: Record<string, string>) => parseRequestUriPost(new URLSearchParams(form));
const refusal = (attempt: () => unknown): unknown => {
  try {
    attempt();
  } catch (error) {
    return error instanceof OAuthError ? `${error.status} ${error.code ?? ''}: ${error.description}` : error;
  }
  return 'no refusal';
};

type Json = Record<string, unknown>;
const x = 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU';
const p256 = { kty: 'EC', crv: 'P-256', x, y: x, kid: 'e1', use: 'enc' };
const algs = 'request_object_encryption_alg_values_supported';
const encs = 'request_object_encryption_enc_values_supported';
/** A wallet that asks for an encrypted request object, with some of its metadata changed. */
const asking = (changes: Json): Record<string, string> => ({
  wallet_metadata: JSON.stringify({
    ...{ jwks: { keys: [p256] }, [algs]: ['ECDH-ES+A256KW', 'ECDH-ES'], [encs]: ['A256GCM'] },
    ...changes,
  }),
});

describe('a POST at the request URI', () => {
  it('may say nothing, or what we do not know', () => {
    expect(parse({})).toEqual({});
    expect(parse({ something: 'else', wallet_nonce: '' })).toEqual({});
  });

  it('brings a nonce that is kept as it is', () => {
    const walletNonce = ' qPm xiNFCR3+QTm19POc8u/=é ';
    expect(parse({ wallet_nonce: walletNonce })).toEqual({ walletNonce });
    expect(parse({ wallet_nonce: 'x'.repeat(1_024) }).walletNonce).toHaveLength(1_024);
  });

  it('brings metadata of 1.0', () => {
    const wallet_metadata = JSON.stringify({
      vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'] }, mso_mdoc: {} },
      client_id_prefixes_supported: ['decentralized_identifier', 'x509_hash'],
      client_id_schemes_supported: ['did'],
      request_object_signing_alg_values_supported: ['ES256'],
      jwks: { keys: [] },
    });
    expect(parse({ wallet_metadata })).toEqual({
      walletMetadata: {
        requestObjectAlgorithms: ['ES256'],
        clientIdPrefixes: ['decentralized_identifier', 'x509_hash'],
        formats: ['dc+sd-jwt', 'mso_mdoc'],
      },
    });
  });

  it.each<[string, Json, object]>([
    ['its algorithms', {}, { kid: 'e1', alg: 'ECDH-ES+A256KW', enc: 'A256GCM' }],
    ['no algorithms', { [algs]: undefined, [encs]: null }, { kid: 'e1', alg: 'ECDH-ES', enc: 'A128GCM' }],
    [
      'algorithms we do not know, too',
      { [algs]: ['RSA-OAEP', 'ECDH-ES'], [encs]: ['XC20P', 'A128CBC-HS256'] },
      { alg: 'ECDH-ES', enc: 'A128CBC-HS256' },
    ],
    [
      'a key of one algorithm',
      { jwks: { keys: [{ ...p256, alg: 'ECDH-ES+A128KW' }] }, [algs]: undefined },
      { alg: 'ECDH-ES+A128KW' },
    ],
    [
      'a key without a kid or use',
      { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x, y: x }] } },
      { alg: 'ECDH-ES+A256KW' },
    ],
    [
      'keys for other uses before',
      {
        jwks: {
          keys: [
            { ...p256, use: 'sig' },
            { ...p256, key_ops: ['sign'] },
            { kty: 'RSA', n: 'AQAB', e: 'AQAB' },
            { ...p256, kid: 'mine' },
          ],
        },
      },
      { kid: 'mine' },
    ],
    ['two keys, the first of which counts', { jwks: { keys: [{ ...p256, kid: 'one' }, p256] } }, { kid: 'one' }],
    [
      'a key on P-384',
      { jwks: { keys: [{ ...p256, crv: 'P-384', x: `${x}${x.slice(0, 21)}`, y: `${x}${x.slice(0, 21)}` }] } },
      {},
    ],
  ])('asks for an encrypted request object with %s', (_what, changes, expected) => {
    const { encryption } = parse(asking(changes)).walletMetadata ?? {};
    expect(encryption).toMatchObject({ jwk: { kty: 'EC' }, ...expected });
  });

  it.each<[string, Json]>([
    ['no jwks', { jwks: undefined }],
    ['no keys and no algorithms', { jwks: { keys: [] }, [algs]: undefined }],
    ['keys to verify signatures only', { jwks: { keys: [{ ...p256, use: 'sig' }] }, [algs]: undefined }],
  ])('does not ask for encryption with %s', (_what, changes) => {
    expect(parse(asking(changes)).walletMetadata).toEqual({});
  });

  it.each<[string, Json, string]>([
    ['a private key', { jwks: { keys: [{ ...p256, d: x }] } }, 'jwks must have public keys only'],
    ['a private key for signatures', { jwks: { keys: [p256, { ...p256, use: 'sig', d: x }] } }, 'public keys only'],
    ['a symmetric key', { jwks: { keys: [{ kty: 'oct', k: x }] } }, 'public keys only'],
    ['no key for encryption', { jwks: { keys: [{ ...p256, use: 'sig' }] } }, 'jwks has no key .* P-256 or P-384'],
    ['no key at all', { jwks: { keys: [] } }, 'jwks has no key'],
    ['RSA alone', { jwks: { keys: [{ kty: 'RSA', use: 'enc', n: 'AQAB', e: 'AQAB' }] } }, 'jwks has no key'],
    ['a key on another curve', { jwks: { keys: [{ ...p256, crv: 'secp256k1' }] } }, 'jwks has no key'],
    ['half a key', { jwks: { keys: [{ ...p256, y: undefined }] } }, 'jwks has no key'],
    ['a key of an unknown algorithm', { jwks: { keys: [{ ...p256, alg: 'RSA1_5' }] } }, 'one of ECDH-ES\\+A256KW'],
    ['a kid that is a number', { jwks: { keys: [{ ...p256, kid: 1 }] } }, 'jwks has no key'],
    ['unknown algorithms', { [algs]: ['RSA-OAEP-256'] }, `${algs} must have one of ECDH-ES, `],
    ['no algorithms in the list', { [algs]: [] }, `${algs} must have one of`],
    ['algorithms that are no list', { [algs]: 'ECDH-ES' }, `${algs} must be an array`],
    ['unknown content encryption', { [encs]: ['XC20P'] }, `${encs} must have one of A128GCM, `],
    ['keys that are no set', { jwks: [p256] }, 'jwks must be a JWK set'],
    ['a key that is no object', { jwks: { keys: ['x'] } }, 'jwks must be a JWK set'],
    ['101 keys', { jwks: { keys: Array.from({ length: 101 }, () => p256) } }, 'jwks must be a JWK set'],
  ])('that asks for encryption is refused with %s', (_fault, changes, reason) => {
    expect(refusal(() => parse(asking(changes)))).toMatch(new RegExp(`^400 invalid_request: .*${reason}`));
  });

  it('brings metadata of older drafts', () => {
    const wallet_metadata = JSON.stringify({ client_id_schemes_supported: ['did'] });
    expect(parse({ wallet_metadata })).toEqual({ walletMetadata: { clientIdPrefixes: ['did'] } });
  });

  it.each<[string, Record<string, string>, string]>([
    ['a nonce of 1,025 bytes', { wallet_nonce: 'x'.repeat(1_025) }, 'longer than 1024 bytes'],
    ['a nonce of 513 two-byte letters', { wallet_nonce: 'é'.repeat(513) }, 'longer than 1024 bytes'],
    ['broken metadata', { wallet_metadata: '{' }, 'not JSON'],
    ['metadata that names a member twice', { wallet_metadata: '{"jwks":1,"jwks":2}' }, 'name of an earlier one'],
    ['metadata that is no object', { wallet_metadata: '[]' }, 'must be a JSON object'],
    ['huge metadata', { wallet_metadata: 'x'.repeat(65_537) }, 'longer than 65536'],
    ['formats in a list', { wallet_metadata: '{"vp_formats_supported":[]}' }, 'vp_formats_supported'],
    [
      'prefixes in an object',
      { wallet_metadata: '{"client_id_prefixes_supported":{}}' },
      'client_id_prefixes_supported',
    ],
  ])('is refused with %s', (_fault, form, reason) => {
    expect(refusal(() => parse(form))).toEqual(expect.stringMatching(`^400 invalid_request: .*${reason}`));
  });

  it('is refused with a parameter that appears twice', () => {
    const form = 'wallet_nonce=a&wallet_nonce=b';
    expect(refusal(() => parseRequestUriPost(new URLSearchParams(form)))).toMatch(/^400 invalid_request: .*once/u);
  });

  it('never fails otherwise', () => {
    const name = fc.constantFrom('wallet_metadata', 'wallet_nonce', '__proto__');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.oneof(fc.string(), fc.json())), { maxLength: 3 }), (form) => {
        expect(refusal(() => parseRequestUriPost(form))).toMatch(/^400 invalid_request: |^no refusal$/u);
      }),
    );
  });
});
