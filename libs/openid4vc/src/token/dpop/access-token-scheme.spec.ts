import { OAuthError } from '../../wire/oauth-error';
import { parseAccessToken } from './access-token-scheme';

function refusalOf(header: string | undefined): OAuthError | undefined {
  try {
    parseAccessToken(header);
    return undefined;
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
}

describe('an access token in an Authorization header', () => {
  it.each([
    ['DPoP abc', 'DPoP'],
    ['dpop abc', 'DPoP'],
    ['DPOP abc', 'DPoP'],
    ['DPoP  abc', 'DPoP'],
    ['Bearer abc', 'Bearer'],
    ['bearer abc', 'Bearer'],
  ])('is read from %s', (header, scheme) => {
    expect(parseAccessToken(header)).toEqual({ scheme, token: 'abc' });
  });

  it.each([undefined, '', 'Basic abc', 'DPoPabc', 'DPoP-Bearer abc', 'abc'])(
    'that is not there (%s) gets a challenge without error code',
    (header) => {
      expect(refusalOf(header)).toMatchObject({ code: undefined, status: 401 });
    },
  );

  it.each(['DPoP', 'DPoP ', 'DPoP a b', 'DPoP a, DPoP b', 'DPoP é', `DPoP ${'x'.repeat(10_000)}`])(
    'that is malformed (%s) is invalid',
    (header) => {
      expect(refusalOf(header)).toMatchObject({ code: 'invalid_token', status: 401 });
    },
  );
});
