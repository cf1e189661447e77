import { signingKey } from '@app/primitives/fixtures/signing-key';
import type { JsonObject } from '@app/primitives/json';
import { OAuthError } from '@app/openid4vc';
import { readClientAssertion, verifyClientAssertion } from './client-assertion';

const now = new Date('2026-11-20T12:00:00Z');
const seconds = now.getTime() / 1000;
const audience = 'https://issuer.example/openid4vci';
const [key, former] = [signingKey('ES256'), signingKey('EdDSA')];
const keys = [{ jwk: former.jwk, keyId: 'former' }, { jwk: key.jwk }];
const expected = { clientId: 'client', audience, keys, now };
const claims = { iss: 'client', sub: 'client', aud: audience, jti: 'one', exp: seconds + 60 };

/** A member set to `undefined` is left out. */
const merged = (base: object, change: object): JsonObject =>
  JSON.parse(JSON.stringify({ ...base, ...change })) as JsonObject;
const assertion = (payload: object = {}, header: object = {}, by = key): string =>
  by.sign(merged({ typ: 'JWT' }, header), merged(claims, payload));

function refusalOf(jwt: string): string {
  try {
    verifyClientAssertion(readClientAssertion(jwt), expected);
    return 'accepted';
  } catch (error) {
    if (error instanceof OAuthError) return `${error.status} ${String(error.code)} ${error.reason}`;
    throw error;
  }
}

describe('the assertion of a client', () => {
  it('is remembered for as long as it would be accepted', () => {
    expect(verifyClientAssertion(readClientAssertion(assertion()), expected)).toEqual({
      tokenId: 'one',
      acceptedUntil: new Date((seconds + 120) * 1000),
    });
  });

  it.each<[string, string]>([
    ['without typ', assertion({}, { typ: undefined })],
    ['signed with the key that it names', assertion({}, { kid: 'former' }, former)],
    ['that names a key by an id of its own', assertion({}, { kid: 'unknown' })],
  ])('%s is accepted', (_, jwt) => {
    expect(refusalOf(jwt)).toBe('accepted');
  });

  it.each<[string, string]>([
    ['for the token endpoint', assertion({ aud: `${audience}/token` })],
    ['whose aud is an array', assertion({ aud: [audience] })],
    ['of another issuer', assertion({ iss: 'other' })],
    ['about another client', assertion({ sub: 'other' })],
    ['without jti', assertion({ jti: undefined })],
    ['without exp', assertion({ exp: undefined })],
    ['that has expired', assertion({ exp: seconds - 61 })],
    ['that is good for an hour', assertion({ exp: seconds + 3600 })],
    ['that is not valid yet', assertion({ nbf: seconds + 61 })],
    ['from the future', assertion({ iat: seconds + 61 })],
    ['by another key', assertion({}, {}, signingKey('ES256'))],
    ['by another key than it names', assertion({}, { kid: 'former' })],
    ['without signature algorithm', assertion({}, { alg: 'none' })],
    ['of the type of another proof', assertion({}, { typ: 'dpop+jwt' })],
    ['that is no JWT', 'assertion'],
  ])('%s is refused', (_, jwt) => {
    expect(refusalOf(jwt)).toBe('401 invalid_client client-assertion');
  });
});
