import { signingKey } from '@app/primitives/fixtures/signing-key';
import { type Authority, certify, signBy, x5c } from '../../fixtures/certificates';
import { type KeyAttestationPolicy, verifyKeyAttestation } from './key-attestation';
import { KeyProofError } from './key-proof-error';

const now = new Date('2026-11-20T12:00:00Z');
const seconds = now.getTime() / 1000;
const root = certify({ name: 'attesters', isAuthority: true, keyUsage: 0x04 });
const attester = certify({ name: 'attester', issuer: root, isAuthority: false, keyUsage: 0x80 });
const stranger = certify({ name: 'attesters', isAuthority: true });
const [key, other, more] = [signingKey('ES256').jwk, signingKey('EdDSA').jwk, signingKey('ES256').jwk];

const policy: KeyAttestationPolicy = {
  anchors: [{ certificate: root.certificate, name: 'Wallets of Example' }],
  algorithms: ['ES256'],
  required: {},
  maxKeys: 2,
  isProof: false,
  now,
};
const high = ['iso_18045_high'];
const claims = { iat: seconds - 5, exp: seconds + 300, attested_keys: [key], key_storage: high };

/** @param header, payload members to add or replace; `undefined` leaves one out */
function attestation({ header = {}, payload = {}, by = attester }: Changes = {}): string {
  const merged = (base: object, change: object) =>
    JSON.parse(JSON.stringify({ ...base, ...change })) as object as never;
  return signBy(by)(merged({ typ: 'key-attestation+jwt', x5c: x5c(by) }, header), merged(claims, payload));
}
interface Changes {
  readonly header?: object;
  readonly payload?: object;
  readonly by?: Authority;
}
const verify = (changes: Changes = {}, rules: Partial<KeyAttestationPolicy> = {}) =>
  verifyKeyAttestation(attestation(changes), { ...policy, ...rules });

function reasonOf(action: () => unknown): string {
  try {
    action();
    return 'verified';
  } catch (error) {
    if (error instanceof KeyProofError) return error.reason;
    throw error;
  }
}

describe('a key attestation', () => {
  it('vouches for keys, in the name of the anchor above its attester', () => {
    const found = verify({ payload: { attested_keys: [key, other], nonce: 'n', status: { status_list: {} } } });
    expect(found).toMatchObject({
      keys: [{ jwk: key }, { jwk: other }],
      nonce: 'n',
      attestedBy: { attester: 'Wallets of Example', keyStorage: high },
      status: { status_list: {} },
    });
    expect(found.attestedBy.certificateThumbprint).toMatch(/^[\w-]{43}$/);
    expect(found.attestedBy).not.toHaveProperty('userAuthentication');
  });

  it('suffices when it shares one value with each that is demanded', () => {
    const payload = { key_storage: ['vendor', ...high], user_authentication: ['iso_18045_moderate'] };
    const required = { keyStorage: ['iso_18045_moderate', ...high], userAuthentication: ['iso_18045_moderate'] };
    expect(reasonOf(() => verify({ payload }, { required }))).toBe('verified');
  });

  it('may go without an end where it is the proof, and then has the nonce', () => {
    const payload = { exp: undefined, nonce: 'n' };
    expect(reasonOf(() => verify({ payload }, { isProof: true }))).toBe('verified');
    expect(reasonOf(() => verify({ payload }))).toBe('attestation-expired');
    expect(reasonOf(() => verify({}, { isProof: true }))).toBe('missing-nonce');
    expect(reasonOf(() => verify({ payload: { nonce: '' } }, { isProof: true }))).toBe('missing-nonce');
  });

  const elsewhere = certify({ name: 'attester', issuer: stranger, isAuthority: false });
  const expired = certify({ name: 'attester', issuer: root, isAuthority: false, notAfter: new Date('2026-11-01') });
  const selfSigned = certify({ name: 'attester' });
  it.each<[string, Changes, Partial<KeyAttestationPolicy>, string]>([
    ['of another type', { header: { typ: 'JWT' } }, {}, 'attestation-malformed'],
    ['of the type of a proof', { header: { typ: 'openid4vci-proof+jwt' } }, {}, 'attestation-malformed'],
    ['with HS256', { header: { alg: 'HS256' } }, {}, 'unsupported-algorithm'],
    ['without signature algorithm', { header: { alg: 'none' } }, {}, 'unsupported-algorithm'],
    ['without certificates', { header: { x5c: undefined } }, {}, 'attestation-untrusted'],
    ['of an attester below an unknown authority', { by: elsewhere }, {}, 'attestation-untrusted'],
    ['of a self-signed attester', { by: selfSigned }, {}, 'attestation-untrusted'],
    ['of an attester whose certificate has expired', { by: expired }, {}, 'attestation-untrusted'],
    ['while no attester is trusted', {}, { anchors: [] }, 'attestation-untrusted'],
    [
      'under the certificate of another',
      { header: { x5c: x5c(certify({ name: 'a', issuer: root })) } },
      {},
      'attestation-signature',
    ],
    ['that has expired', { payload: { exp: seconds - 61 } }, {}, 'attestation-expired'],
    ['whose end is no number', { payload: { exp: '2099' } }, {}, 'attestation-expired'],
    ['without iat', { payload: { iat: undefined } }, {}, 'attestation-expired'],
    ['from the future', { payload: { iat: seconds + 61 } }, {}, 'attestation-expired'],
    ['that is not valid yet', { payload: { nbf: seconds + 61 } }, {}, 'attestation-expired'],
    ['of no key', { payload: { attested_keys: [] } }, {}, 'attestation-keys'],
    ['without keys', { payload: { attested_keys: undefined } }, {}, 'attestation-keys'],
    ['of more keys than a batch', { payload: { attested_keys: [key, other, more] } }, {}, 'attestation-keys'],
    ['of an RSA key', { payload: { attested_keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }] } }, {}, 'attestation-keys'],
    [
      'of a point that is not on its curve',
      { payload: { attested_keys: [{ ...key, x: more.x }] } },
      {},
      'attestation-keys',
    ],
    ['of one key twice', { payload: { attested_keys: [key, { ...key, kid: 'again' }] } }, {}, 'repeated-key'],
    ['of a private key', { payload: { attested_keys: [{ ...key, d: key.x }] } }, {}, 'private-key'],
    ['of a lower level', {}, { required: { keyStorage: ['iso_18045_x'] } }, 'attestation-level'],
    ['without a level', {}, { required: { userAuthentication: high } }, 'attestation-level'],
    ['whose level is a text', { payload: { key_storage: 'high' } }, {}, 'attestation-malformed'],
    ['with pages of levels', { payload: { key_storage: Array(21).fill('a') } }, {}, 'attestation-malformed'],
  ])('%s is refused', (_, changes, rules, reason) => {
    expect(reasonOf(() => verify(changes, rules))).toBe(reason);
  });

  it.each([
    ['whose signature was changed', attestation().replace(/.{4}$/, (end) => (end === 'AAAA' ? 'BBBB' : 'AAAA'))],
    ['that is no JWT', 'attested'],
    ['that is too long', `${attestation()}${'A'.repeat(20_000)}`],
  ])('%s is refused', (_, jwt) => {
    expect(reasonOf(() => verifyKeyAttestation(jwt, policy))).toMatch(/^attestation-(signature|malformed)$/);
  });
});
