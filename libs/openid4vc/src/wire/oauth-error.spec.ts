import fc from 'fast-check';
import { OAuthError, type OAuthErrorCode, renderOAuthErrorBody, sanitiseDescription } from './oauth-error';

const allowed = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/;

describe('an error description', () => {
  it('holds only the characters of RFC 6749, whatever goes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        const safe = sanitiseDescription(text);
        expect(safe).toMatch(allowed);
        expect(safe.length).toBeLessThanOrEqual(400);
      }),
    );
  });

  it('stays readable', () => {
    expect(sanitiseDescription('a "quoted"\n\tback\\slash, é and \u{1f600}')).toBe("a 'quoted' back/slash, ? and ?");
  });

  it('is the same in body, challenge and message', () => {
    const error = new OAuthError('invalid_token', 'the token "x" is over');
    expect(error.message).toBe("the token 'x' is over");
    expect(renderOAuthErrorBody(error)).toEqual({ error: 'invalid_token', error_description: "the token 'x' is over" });
    expect(error.headers['WWW-Authenticate']).toBe(
      `Bearer error="invalid_token", error_description="the token 'x' is over"`,
    );
  });
});

describe('an OAuth error', () => {
  it.each<[OAuthErrorCode, number]>([
    ['invalid_request', 400],
    ['invalid_grant', 400],
    ['invalid_client', 401],
    ['invalid_token', 401],
    ['insufficient_scope', 403],
    ['invalid_proof', 400],
    ['credential_request_denied', 400],
    ['server_error', 500],
    ['temporarily_unavailable', 503],
  ])('%s has the status %d and is not stored', (code, status) => {
    const error = new OAuthError(code, 'why');
    expect(error.status).toBe(status);
    expect(error.headers['Cache-Control']).toBe('no-store');
  });

  it('challenges a request without token and returns nothing else', () => {
    const error = OAuthError.missingToken();
    expect(error).toMatchObject({ code: undefined, status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
    expect(renderOAuthErrorBody(error)).toBeUndefined();
  });

  it('challenges only where a token is at fault', () => {
    expect(new OAuthError('invalid_proof', 'why').headers).not.toHaveProperty('WWW-Authenticate');
    expect(new OAuthError('insufficient_scope', 'why').headers['WWW-Authenticate']).toMatch(/^Bearer error="insuff/);
  });

  it('takes a fresh nonce into its body and keeps the rest', () => {
    const refused = new OAuthError('invalid_proof', 'why', { status: 400, nonceWanted: true }).withNonce('n-1', 300);
    expect(renderOAuthErrorBody(refused)).toEqual({
      error: 'invalid_proof',
      error_description: 'why',
      c_nonce: 'n-1',
      c_nonce_expires_in: 300,
    });
    expect(refused.headers['Cache-Control']).toBe('no-store');
  });
});
