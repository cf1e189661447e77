import fc from 'fast-check';
import { parseBearerToken } from './bearer-token';
import { OAuthError } from '../wire/oauth-error';

const refusalOf = (header: string | undefined): OAuthError | undefined => {
  try {
    parseBearerToken(header);
    return undefined;
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
};

describe('a bearer token', () => {
  it.each(['Bearer czZCaGRSa3F0MzpnWDFmQmF0M2JW', 'BEARER a-b._~+/c==', 'bearer x'])('is read from %s', (header) => {
    expect(parseBearerToken(header)).toBe(header.slice(7));
  });

  it('may stand behind several spaces (RFC 9110 §11.4)', () => {
    expect(parseBearerToken('Bearer  czZCaGRSa3F0')).toBe('czZCaGRSa3F0');
    expect(parseBearerToken('bearer    x')).toBe('x');
  });

  it.each([undefined, '', 'Basic czZCaGRSa3F0', 'DPoP eyJ', 'Bearertoken x'])(
    'that is not there (%s) gets the bare challenge',
    (header) => {
      expect(refusalOf(header)).toMatchObject({
        code: undefined,
        status: 401,
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    },
  );

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer   ',
    'Bearer \tx',
    'Bearer x y',
    'Bearer x, Bearer y',
    'Bearer =x',
    'Bearer x\t',
    'Bearer é',
  ])('that is malformed (%s) is invalid', (header) => {
    expect(refusalOf(header)).toMatchObject({ code: 'invalid_token', status: 401 });
  });

  it('has an end', () => {
    expect(refusalOf(`Bearer ${'x'.repeat(10_000)}`)?.code).toBe('invalid_token');
  });

  it('never fails in another way', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const header of [text, `Bearer ${text}`]) expect(refusalOf(header)?.status ?? 401).toBe(401);
      }),
    );
  });
});
