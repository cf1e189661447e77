import { signingKey } from '@app/primitives/fixtures/signing-key';
import type { JsonObject } from '@app/primitives/json';
import { OAuthError } from '@app/openid4vc';
import { verifyAttestationProof } from './attestation-proof';

const now = new Date('2026-11-20T12:00:00Z');
const seconds = now.getTime() / 1000;
const audience = 'https://issuer.example/openid4vci';
const key = signingKey('ES256');
const expected = { instanceKey: key.jwk, clientId: 'wallet', audience, now };
const claims = { iss: 'wallet', aud: audience, jti: 'one', iat: seconds };

/** A member set to `undefined` is left out. */
const merged = (base: object, change: object): JsonObject =>
  JSON.parse(JSON.stringify({ ...base, ...change })) as JsonObject;
const proof = (payload: object = {}, header: object = {}, by = key): string =>
  by.sign(merged({ typ: 'oauth-client-attestation-pop+jwt' }, header), merged(claims, payload));

function refusalOf(jwt: string): string {
  try {
    verifyAttestationProof(jwt, expected);
    return 'accepted';
  } catch (error) {
    if (error instanceof OAuthError) return `${error.status} ${String(error.code)} ${error.reason}`;
    throw error;
  }
}

describe('the proof of possession of a wallet attestation', () => {
  it('is remembered for as long as it would be accepted, and may hold a challenge', () => {
    expect(verifyAttestationProof(proof({ challenge: 'c' }), expected)).toEqual({
      tokenId: 'one',
      acceptedUntil: new Date((seconds + 360) * 1000),
      challenge: 'c',
    });
  });

  it.each<[string, object]>([
    ['without iss, as in later drafts', { iss: undefined }],
    ['whose aud is an array of one', { aud: [audience] }],
    ['of five minutes ago', { iat: seconds - 300 }],
    ['of a clock that is a little ahead', { iat: seconds + 8, nbf: seconds + 8, exp: seconds + 60 }],
  ])('%s is accepted', (_, payload) => {
    expect(refusalOf(proof(payload))).toBe('accepted');
  });

  it.each<[string, string]>([
    ['by another key', proof({}, {}, signingKey('ES256'))],
    ['with another algorithm', proof({}, { alg: 'ES384' })],
    ['without signature algorithm', proof({}, { alg: 'none' })],
    ['whose signature was changed', proof().replace(/.{4}$/, (end) => (end === 'AAAA' ? 'BBBB' : 'AAAA'))],
    ['of another type', proof({}, { typ: 'JWT' })],
    ['for another server', proof({ aud: 'https://other.example' })],
    ['for two servers', proof({ aud: [audience, 'https://other.example'] })],
    ['for the token endpoint', proof({ aud: `${audience}/token` })],
    ['of another client', proof({ iss: 'other' })],
    ['without iat', proof({ iat: undefined })],
    ['of an hour ago', proof({ iat: seconds - 3600 })],
    ['from the future', proof({ iat: seconds + 61 })],
    ['that is not valid yet', proof({ nbf: seconds + 61 })],
    ['that has expired', proof({ exp: seconds - 61 })],
    ['without jti', proof({ jti: undefined })],
    ['with pages of jti', proof({ jti: 'x'.repeat(513) })],
    ['that is no JWT', 'proof'],
  ])('%s is refused', (_, jwt) => {
    expect(refusalOf(jwt)).toBe('400 invalid_client_attestation attestation-proof');
  });
});
