import fc from 'fast-check';
import { OAuthError } from '../wire/oauth-error';
import recorded from '../recorded/token-requests.json';
import { PRE_AUTHORIZED_CODE_GRANT } from './grants/pre-authorized-code';
import { parseTokenRequest } from './token-request';
import { renderNonceResponse, renderTokenResponse } from './token-response';

const valid: Record<string, string> = { grant_type: PRE_AUTHORIZED_CODE_GRANT, 'pre-authorized_code': 'code-1' };
const parse = (parameters: Record<string, string>) => parseTokenRequest(new URLSearchParams(parameters));
const refusal = (attempt: () => unknown): unknown => {
  try {
    attempt();
  } catch (error) {
    return error instanceof OAuthError ? `${error.code ?? ''}: ${error.description}` : error;
  }
  return 'no refusal';
};
const item = { type: 'openid_credential', credential_configuration_id: 'a' };

describe('the recorded token requests', () => {
  const preAuthorized = recorded.requests.filter(({ form }) => form.includes('pre-authorized_code'));

  it.each(preAuthorized)('$source is understood', ({ source, form }) => {
    expect(parseTokenRequest(new URLSearchParams(form))).toEqual({
      grant: 'pre-authorized_code',
      preAuthorizedCode: 'SplxlOBeZQQYbYS6WxSbIA',
      transactionCode: '493536',
      ...(source.includes('draft 13') ? {} : { requestedConfigurationIds: ['UniversityDegreeCredential'] }),
    });
  });

  it.each(recorded.requests.filter((request) => !preAuthorized.includes(request)))(
    '$source is understood',
    ({ form }) => {
      expect(parseTokenRequest(new URLSearchParams(form))).toMatchObject({ grant: 'authorization_code' });
    },
  );
});

describe('a token request', () => {
  it('needs no more than grant type and code', () => {
    expect(parse(valid)).toEqual({ grant: 'pre-authorized_code', preAuthorizedCode: 'code-1' });
  });

  it('takes user_pin for the transaction code, and both when they agree', () => {
    expect(parse({ ...valid, user_pin: '1234' })).toMatchObject({ transactionCode: '1234' });
    expect(parse({ ...valid, user_pin: '1234', tx_code: '1234' })).toMatchObject({ transactionCode: '1234' });
    expect(refusal(() => parse({ ...valid, user_pin: '1234', tx_code: '4321' }))).toMatch(/^invalid_request: .*differ/);
  });

  it('may name a client and carry what we do not know', () => {
    expect(parse({ ...valid, client_id: 'wallet-1', client_assertion: 'x' }).clientId).toBe('wallet-1');
  });

  it('treats an empty parameter as omitted', () => {
    expect(parse({ ...valid, tx_code: '', client_id: '' })).toEqual(parse(valid));
    expect(refusal(() => parse({ ...valid, 'pre-authorized_code': '' }))).toMatch(/^invalid_request: .*missing/);
  });

  it.each<[string, [string, string][], RegExp]>([
    ['no grant type', [['pre-authorized_code', 'x']], /^invalid_request: grant_type is missing/],
    ['no code', [['grant_type', PRE_AUTHORIZED_CODE_GRANT]], /^invalid_request: pre-authorized_code is missing/],
    ['an unknown grant', [['grant_type', 'password']], /^unsupported_grant_type: .*'password'/],
    ['a grant of odd characters', [['grant_type', '"\\\n\0\u{1f600}']], /^unsupported_grant_type: [\x20-\x7e]+$/],
    ['a repeated parameter', [...Object.entries(valid), ['grant_type', 'x']], /^invalid_request: .*more than once/],
    ['a parameter repeated empty', [...Object.entries(valid), ['x', ''], ['x', '']], /^invalid_request: .*'x' appears/],
    ['an endless code', [...Object.entries(valid), ['client_id', 'x'.repeat(3000)]], /^invalid_request: .*longer/],
    [
      'an endless transaction code',
      [...Object.entries(valid), ['tx_code', '1'.repeat(129)]],
      /^invalid_request: .*128/,
    ],
    ['a NUL in the client', [...Object.entries(valid), ['client_id', 'a\0b']], /^invalid_request: client_id holds/],
  ])('is refused with %s', (_name, parameters, expected) => {
    expect(refusal(() => parseTokenRequest(parameters))).toMatch(expected);
  });
});

describe('authorization_details of a token request', () => {
  const details = (value: unknown) =>
    parse({ ...valid, authorization_details: typeof value === 'string' ? value : JSON.stringify(value) });

  it('name configurations, each once', () => {
    const other = { ...item, credential_configuration_id: 'b', locations: ['https://x'], claims: [] };
    expect(details([item, other, item]).requestedConfigurationIds).toEqual(['a', 'b']);
  });

  it.each<[string, unknown]>([
    ['no JSON', '[{'],
    ['a list in 4,000 lists', '['.repeat(4_000) + ']'.repeat(4_000)],
    ['an object', item],
    ['an empty array', []],
    ['null', [null]],
    ['another type', [{ ...item, type: 'payment' }]],
    ['no type', [{ credential_configuration_id: 'a' }]],
    ['no configuration', [{ type: 'openid_credential' }]],
    ['a number for the configuration', [{ ...item, credential_configuration_id: 1 }]],
    ['an object for the configuration', [{ ...item, credential_configuration_id: { a: 1 } }]],
    ['U+0000 in the configuration', [{ ...item, credential_configuration_id: 'a\0' }]],
    ['half a character in the configuration', [{ ...item, credential_configuration_id: 'a\ud800' }]],
    ['a format with the configuration', [{ ...item, format: 'vc+sd-jwt' }]],
    ['a format instead of a configuration', [{ type: 'openid_credential', format: 'vc+sd-jwt', vct: 'x' }]],
  ])('are refused with %s', (_name, value) => {
    expect(refusal(() => details(value))).toMatch(/^invalid_authorization_details: /);
  });
});

describe('whatever is sent to the token endpoint', () => {
  it('is understood or refused with an OAuth error', () => {
    const names = fc.constantFrom(
      'grant_type',
      'pre-authorized_code',
      'tx_code',
      'user_pin',
      'authorization_details',
      'x',
    );
    const values = fc.oneof(
      fc.constant(PRE_AUTHORIZED_CODE_GRANT),
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .array(fc.record({ type: fc.constant('openid_credential'), credential_configuration_id: fc.anything() }))
        .map((items) => JSON.stringify(items)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values), { maxLength: 5 }), (parameters) => {
        expect(['object', 'string']).toContain(typeof outcome(() => parseTokenRequest(parameters)));
      }),
    );
  });
});

function outcome(attempt: () => unknown): unknown {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return error.description;
  }
}

describe('a token response', () => {
  const granted = { accessToken: 'at', tokenType: 'Bearer', expiresIn: 300, nonce: 'n', nonceExpiresIn: 300 } as const;

  it('always brings a nonce for drafts 13 and 14, and no identifiers unasked', () => {
    expect(renderTokenResponse(granted)).toEqual({
      access_token: 'at',
      token_type: 'Bearer',
      expires_in: 300,
      c_nonce: 'n',
      c_nonce_expires_in: 300,
    });
  });

  it('names identifiers when authorization_details were used', () => {
    expect(renderTokenResponse({ ...granted, authorizedConfigurationIds: ['a', 'b'] })).toMatchObject({
      authorization_details: [
        { type: 'openid_credential', credential_configuration_id: 'a', credential_identifiers: ['a'] },
        { type: 'openid_credential', credential_configuration_id: 'b', credential_identifiers: ['b'] },
      ],
    });
  });
});

describe('a nonce response', () => {
  it('is the nonce', () => {
    expect(renderNonceResponse('n')).toEqual({ c_nonce: 'n' });
  });
});
