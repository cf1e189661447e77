import { type Authority, certify, signBy, x5c } from '@app/credentials/fixtures/certificates';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import type { JsonObject } from '@app/primitives/json';
import { OAuthError } from '@app/openid4vc';
import { verifyClientAttestation } from './client-attestation';

const now = new Date('2026-11-20T12:00:00Z');
const seconds = now.getTime() / 1000;
const root = certify({ name: 'wallets', isAuthority: true });
const provider = certify({ name: 'provider', issuer: root, isAuthority: false });
const stranger = certify({ name: 'strangers', isAuthority: true });
const { jwk } = signingKey('ES256');
const anchors = [{ certificate: root.certificate, name: 'Wallets of Example' }];
const claims = { iss: 'https://provider.example', sub: 'wallet', iat: seconds, exp: seconds + 300, cnf: { jwk } };

interface Changes {
  readonly header?: object;
  readonly payload?: object;
  readonly by?: Authority;
}
/** A member set to `undefined` is left out. */
const merged = (base: object, change: object = {}): JsonObject =>
  JSON.parse(JSON.stringify({ ...base, ...change })) as JsonObject;
const attestation = ({ header, payload, by = provider }: Changes = {}): string =>
  signBy(by)(merged({ typ: 'oauth-client-attestation+jwt', x5c: x5c(by) }, header), merged(claims, payload));

function refusalOf(action: () => unknown): string {
  try {
    action();
    return 'accepted';
  } catch (error) {
    if (error instanceof OAuthError) return `${error.status} ${String(error.code)} ${error.reason}`;
    throw error;
  }
}
const refusal = (changes: Changes, trusted = anchors) =>
  refusalOf(() => verifyClientAttestation(attestation(changes), trusted, now));

describe('a wallet attestation', () => {
  it('names the client, the key of the instance and the wallet', () => {
    const status = { status_list: { uri: 'https://provider.example/1', idx: 1 } };
    const payload = { wallet_name: 'Wallet', status };
    expect(verifyClientAttestation(attestation({ payload }), anchors, now)).toEqual({
      clientId: 'wallet',
      instanceKey: jwk,
      walletName: 'Wallet',
      anchor: anchors[0],
      issuer: 'https://provider.example',
      status,
    });
  });

  it.each<[string, Changes]>([
    ['without iss, as in later drafts', { payload: { iss: undefined } }],
    ['that ended within the last minute, by a clock that is behind', { payload: { exp: seconds - 59 } }],
    ['with a clock that is ahead by less than a minute', { payload: { iat: seconds + 59, nbf: seconds + 59 } }],
    ['with its anchor in x5c', { header: { x5c: x5c(provider, root) } }],
    ['with members that are not known', { payload: { other: 1 } }],
  ])('%s is accepted', (_, changes) => {
    expect(refusal(changes)).toBe('accepted');
  });

  it.each(['x'.repeat(101), 'a\0', 'a\nb', '\u202ea', 1])('does not name the wallet %j', (wallet_name) => {
    const read = verifyClientAttestation(attestation({ payload: { wallet_name } }), anchors, now);
    expect(read).not.toHaveProperty('walletName');
  });

  it('names the provider that an anchor is named by, when that is a URL', () => {
    const named = (name: string) => [{ certificate: root.certificate, name }];
    expect(refusal({}, named('https://provider.example'))).toBe('accepted');
    expect(refusal({ payload: { iss: undefined } }, named('https://provider.example'))).toBe('accepted');
    expect(refusal({}, named('https://other.example'))).toContain('wallet-attestation-untrusted');
  });

  it('has expired', () => {
    expect(refusal({ payload: { exp: seconds - 61 } })).toBe('400 use_fresh_attestation use_fresh_attestation');
  });

  const elsewhere = certify({ name: 'provider', issuer: stranger, isAuthority: false });
  const expired = certify({ name: 'provider', issuer: root, isAuthority: false, notAfter: new Date('2026-11-01') });
  const rsa = { kty: 'RSA', n: 'AQAB', e: 'AQAB' };
  it.each<[string, Changes, string]>([
    ['without sub', { payload: { sub: undefined } }, 'malformed'],
    ['with an empty sub', { payload: { sub: '' } }, 'malformed'],
    ['without exp', { payload: { exp: undefined } }, 'malformed'],
    ['without cnf', { payload: { cnf: undefined } }, 'key'],
    ['with a private key in cnf', { payload: { cnf: { jwk: { ...jwk, d: jwk.x } } } }, 'key'],
    ['with an RSA key in cnf', { payload: { cnf: { jwk: rsa } } }, 'key'],
    ['of another type', { header: { typ: 'JWT' } }, 'malformed'],
    ['without signature algorithm', { header: { alg: 'none' } }, 'malformed'],
    ['with HS256', { header: { alg: 'HS256' } }, 'malformed'],
    ['without certificates', { header: { x5c: undefined } }, 'untrusted'],
    ['below an unknown anchor', { by: elsewhere }, 'untrusted'],
    ['with a self-signed certificate', { by: certify({ name: 'provider' }) }, 'untrusted'],
    ['with an expired certificate', { by: expired }, 'untrusted'],
    ['under the certificate of another', { header: { x5c: x5c(certify({ name: 'a', issuer: root })) } }, 'signature'],
    ['with an iss that is no text', { payload: { iss: 1 } }, 'untrusted'],
    ['that is not valid yet', { payload: { nbf: seconds + 61 } }, 'time'],
    ['from the future', { payload: { iat: seconds + 61 } }, 'time'],
    ['that is good for a year', { payload: { exp: seconds + 365 * 86_400 } }, 'time'],
  ])('%s is refused', (_, changes, reason) => {
    expect(refusal(changes)).toBe(`400 invalid_client_attestation wallet-attestation-${reason}`);
  });

  it('is refused while no provider is trusted, and when it is no JWT', () => {
    expect(refusal({}, [])).toContain('wallet-attestation-untrusted');
    expect(refusalOf(() => verifyClientAttestation('attested', anchors, now))).toContain('invalid_client_attestation');
  });
});
