import { OAuthError } from '../wire/oauth-error';
import { parsePushedAuthorizationRequest } from './pushed-authorization-request';

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const valid = {
  client_id: 'https://wallet.example',
  response_type: 'code',
  redirect_uri: 'https://wallet.example/cb?kept=1',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  scope: 'diploma card diploma',
};
const rules = { issuer: 'https://issuer.example/openid4vci', allowLoopback: false };

function parse(
  form: Iterable<readonly [string, string]>,
  more: Partial<Parameters<typeof parsePushedAuthorizationRequest>[1]> = {},
) {
  return parsePushedAuthorizationRequest(form, { ...rules, ...more });
}

function refusalOf(form: Iterable<readonly [string, string]>, more = {}): string {
  try {
    parse(form, more);
  } catch (error) {
    if (error instanceof OAuthError) return `${error.code ?? ''}: ${error.description}`;
    throw error;
  }
  return 'taken';
}

const changed = (members: Record<string, string>) => Object.entries({ ...valid, ...members });
const without = (name: string) => Object.entries(valid).filter(([key]) => key !== name);

describe('a pushed authorization request', () => {
  it('is read, with each scope once', () => {
    expect(parse(Object.entries(valid))).toEqual({
      redirectUri: 'https://wallet.example/cb?kept=1',
      codeChallenge: challenge,
      scopes: ['diploma', 'card'],
    });
  });

  it('keeps state as it is, and takes what it does not know or need', () => {
    const state = `&"<script>${'s'.repeat(2000)}`;
    const read = parse(changed({ state, prompt: 'login', login_hint: 'x', ui_locales: 'de', nonce: 'n', vendor: 'v' }));
    expect(read.state).toBe(state);
  });

  it('takes authorization_details with or without a scope', () => {
    const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: 'diploma' }]);
    expect(parse(changed({ authorization_details: details }))).toMatchObject({ configurationIds: ['diploma'] });
    expect(parse([...without('scope'), ['authorization_details', details]])).toMatchObject({ scopes: [] });
  });

  it.each([
    ['has no response_type', without('response_type'), 'invalid_request: response_type is missing'],
    ['asks for a token', changed({ response_type: 'token' }), 'unsupported_response_type: '],
    ['asks for an ID token too', changed({ response_type: 'code id_token' }), 'unsupported_response_type: '],
    ['has no redirect_uri', without('redirect_uri'), 'invalid_request: redirect_uri is missing'],
    ['has no code_challenge', without('code_challenge'), 'invalid_request: code_challenge is missing'],
    ['has a plain challenge', changed({ code_challenge_method: 'plain' }), 'invalid_request: code_challenge_method'],
    ['has no challenge method', without('code_challenge_method'), 'invalid_request: code_challenge_method'],
    [
      'has a challenge of 42 characters',
      changed({ code_challenge: 'a'.repeat(42) }),
      'invalid_request: code_challenge',
    ],
    [
      'has a challenge of 129 characters',
      changed({ code_challenge: 'a'.repeat(129) }),
      'invalid_request: code_challenge',
    ],
    ['has a padded challenge', changed({ code_challenge: `${'a'.repeat(42)}=` }), 'invalid_request: code_challenge'],
    ['has a request_uri', changed({ request_uri: 'urn:x' }), 'invalid_request: Send the parameters themselves'],
    ['has a request object', changed({ request: 'a.b.c' }), 'invalid_request: Send the parameters themselves'],
    [
      'has two scopes',
      [...changed({}), ['scope', 'card'] as const],
      "invalid_request: The parameter 'scope' appears more",
    ],
    ['has two states', [...changed({ state: 'a' }), ['state', 'a'] as const], "invalid_request: The parameter 'state'"],
    [
      'has a state of 2,049 characters',
      changed({ state: 's'.repeat(2049) }),
      "invalid_request: The parameter 'state' is",
    ],
    ['asks for nothing', without('scope'), 'invalid_scope: Name what is asked for'],
    ['has details that are no JSON', changed({ authorization_details: '{' }), 'invalid_authorization_details: '],
    [
      'names its client in other characters',
      changed({ client_id: 'a\0' }),
      'invalid_request: client_id holds characters',
    ],
    ['is for a foreign resource', changed({ resource: 'https://other.example' }), 'invalid_target: '],
    ['has a malformed thumbprint', changed({ dpop_jkt: 'short' }), 'invalid_request: dpop_jkt'],
  ])('is refused when it %s', (_what, form, refusal) => {
    expect(refusalOf(form)).toContain(refusal);
  });
});

describe('the redirect_uri of a client that is not registered', () => {
  it.each(['https://wallet.example/cb', 'https://wallet.example:8443/cb?x=1', 'com.example.wallet:/cb'])(
    'can be %s',
    (redirect_uri) => {
      expect(refusalOf(changed({ redirect_uri }))).toBe('taken');
    },
  );

  it.each([
    'https://wallet.example/cb#part',
    'https://wallet.example/cb#',
    'https://user@wallet.example/cb',
    'http://wallet.example/cb',
    'http://localhost/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:https://wallet.example/1',
    'file:///etc/passwd',
    'wallet:/cb',
    '/cb',
    'https://wallet.example/\ncb',
  ])('cannot be %s', (redirect_uri) => {
    expect(refusalOf(changed({ redirect_uri }))).toMatch(/^invalid_request: redirect_uri/);
  });

  it('can be this machine in development', () => {
    const allowLoopback = true;
    expect(refusalOf(changed({ redirect_uri: 'http://127.0.0.1:4000/cb' }), { allowLoopback })).toBe('taken');
    expect(refusalOf(changed({ redirect_uri: 'http://127.0.0.1.example/cb' }), { allowLoopback })).toContain(
      'redirect_uri',
    );
  });
});

describe('the redirect_uri of a registered client', () => {
  const registered = ['https://wallet.example/cb'];

  it('is taken character by character', () => {
    expect(refusalOf(changed({ redirect_uri: 'https://wallet.example/cb' }), { registered })).toBe('taken');
  });

  it.each(['cb/', 'cb/more', 'cb?x=1', 'CB', 'c'])('cannot be %s', (path) => {
    expect(refusalOf(changed({ redirect_uri: `https://wallet.example/${path}` }), { registered })).toContain(
      'not one of those registered',
    );
  });
});
