import fc from 'fast-check';
import { OAuthError } from './oauth-error';
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

  it('brings metadata of older drafts', () => {
    const wallet_metadata = JSON.stringify({ client_id_schemes_supported: ['did'] });
    expect(parse({ wallet_metadata })).toEqual({ walletMetadata: { clientIdPrefixes: ['did'] } });
  });

  it.each<[string, Record<string, string>, string]>([
    ['a nonce of 1,025 bytes', { wallet_nonce: 'x'.repeat(1_025) }, 'longer than 1024 bytes'],
    ['a nonce of 513 two-byte letters', { wallet_nonce: 'é'.repeat(513) }, 'longer than 1024 bytes'],
    ['broken metadata', { wallet_metadata: '{' }, 'not JSON'],
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
