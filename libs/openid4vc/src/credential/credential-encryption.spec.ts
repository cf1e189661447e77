import { checkEncryptedRequest, readResponseEncryption } from './credential-encryption';
import { OAuthError } from '../wire/oauth-error';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwe = (header: unknown): string => `${encode(header)}..aXY.dGV4dA.dGFn`;
const header = { alg: 'ECDH-ES', enc: 'A256GCM', kid: 'k1' };
const coordinates = {
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};
const jwk = { kty: 'EC', crv: 'P-256', ...coordinates, alg: 'ECDH-ES', kid: 'w1', use: 'enc' };
const rules = { isRequestEncrypted: true, isRequired: false, isEarlier: false };
const asking = (changes: object = {}): object => ({
  credential_response_encryption: { jwk, enc: 'A128GCM', ...changes },
});
const read = (body: object, changes: Partial<typeof rules> = {}) =>
  readResponseEncryption(body as Record<string, unknown>, { ...rules, ...changes });

function refusalOf(action: () => unknown): Pick<OAuthError, 'code' | 'reason' | 'status'> {
  try {
    action();
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the header of an encrypted request', () => {
  it('names the key it is encrypted to', () => {
    expect(checkEncryptedRequest(jwe(header))).toBe('k1');
    expect(checkEncryptedRequest(jwe({ ...header, enc: 'A128GCM', zip: 'DEF', typ: 'JWT', epk: {} }))).toBe('k1');
  });

  it.each([
    ['RSA1_5', { ...header, alg: 'RSA1_5' }, 'jwe-not-as-asked'],
    ['RSA-OAEP-256', { ...header, alg: 'RSA-OAEP-256' }, 'jwe-not-as-asked'],
    ['a password', { ...header, alg: 'PBES2-HS256+A128KW', p2c: 1_000_000_000 }, 'jwe-not-as-asked'],
    ['a shared key', { ...header, alg: 'dir' }, 'jwe-not-as-asked'],
    ['key wrapping', { ...header, alg: 'ECDH-ES+A256KW' }, 'jwe-not-as-asked'],
    ['no algorithm', { enc: header.enc, kid: 'k1' }, 'jwe-not-as-asked'],
    ['A128CBC-HS256', { ...header, enc: 'A128CBC-HS256' }, 'jwe-not-as-asked'],
    ['another compression than DEF', { ...header, zip: 'XYZ' }, 'jwe-not-as-asked'],
    ['no kid', { alg: header.alg, enc: header.enc }, 'jwe-other-key'],
    ['a kid that is no text', { ...header, kid: 7 }, 'jwe-other-key'],
  ])('with %s is refused', (_, changed, reason) => {
    const refusal = refusalOf(() => checkEncryptedRequest(jwe(changed)));
    expect(refusal).toMatchObject({ code: 'invalid_encryption_parameters', status: 400, reason });
  });

  it.each([
    ['plain JSON', '{"credential_configuration_id":"degree"}'],
    ['a signed JWT', 'e30.e30.AA'],
    ['nothing', ''],
    ['a header that is no JSON', 'AAAA..aXY.dGV4dA.dGFn'],
    ['a header that is a list', jwe([])],
    ['a header of megabytes', jwe({ ...header, fill: 'x'.repeat(5_000) })],
  ])('that is %s says that application/jwt is for encrypted requests', (_, text) => {
    const refusal = refusalOf(() => checkEncryptedRequest(text));
    expect(refusal).toMatchObject({ code: 'invalid_credential_request', reason: 'jwe-malformed' });
  });
});

describe('the encryption of a response', () => {
  it('is to the key of the wallet, of which nothing but the point and the kid is kept', () => {
    const { x, y } = coordinates;
    expect(read(asking())).toEqual({ jwk: { kty: 'EC', crv: 'P-256', x, y }, kid: 'w1', enc: 'A128GCM' });
    const { kid: _kid, ...without } = jwk;
    expect(read(asking({ jwk: without, enc: 'A256GCM' }))).not.toHaveProperty('kid');
  });

  it('is absent where it is not asked for, also by null', () => {
    expect(read({})).toBeUndefined();
    expect(read({ credential_response_encryption: null })).toBeUndefined();
  });

  it('is compressed where that is offered and asked for, and comes without otherwise', () => {
    expect(read(asking({ zip: 'DEF' }))).toMatchObject({ zip: 'DEF' });
    for (const zip of ['XYZ', ['DEF'], null]) expect(read(asking({ zip }))).not.toHaveProperty('zip');
    expect(read(asking({ zip: 'DEF' }), { isEarlier: true })).not.toHaveProperty('zip');
  });

  it('may be asked for in clear, and with alg beside the key, by wallets of drafts 13 to 15', () => {
    const earlier = { isRequestEncrypted: false, isEarlier: true };
    const { alg, ...without } = jwk;
    expect(read(asking({ jwk: without, alg }), earlier)).toMatchObject({ enc: 'A128GCM' });
    expect(refusalOf(() => read(asking({ jwk: without, alg })))).toMatchObject({ reason: 'encryption-not-offered' });
  });

  it.each([
    ['in clear', asking(), { isRequestEncrypted: false }, 'encryption-in-clear'],
    ['not at all, though it is required', {}, { isRequired: true }, 'encryption-missing'],
    ['by a text', { credential_response_encryption: 'jwe' }, {}, 'encryption-malformed'],
    ['without a key', asking({ jwk: undefined }), {}, 'encryption-key-unusable'],
    ['with an unknown alg', asking({ jwk: { ...jwk, alg: 'UNKNOWN-ALG' } }), {}, 'encryption-not-offered'],
    ['without alg', asking({ jwk: { ...jwk, alg: undefined } }), {}, 'encryption-not-offered'],
    ['with RSA-OAEP', asking({ jwk: { ...jwk, alg: 'RSA-OAEP' } }), {}, 'encryption-not-offered'],
    ['with A128CBC-HS256', asking({ enc: 'A128CBC-HS256' }), {}, 'encryption-not-offered'],
    ['without enc', asking({ enc: undefined }), {}, 'encryption-not-offered'],
    ['with a private key', asking({ jwk: { ...jwk, d: coordinates.x } }), {}, 'encryption-key-unusable'],
    ['with a P-384 key', asking({ jwk: { ...jwk, crv: 'P-384' } }), {}, 'encryption-key-unusable'],
    ['with an Ed25519 key', asking({ jwk: { ...jwk, kty: 'OKP', crv: 'X25519' } }), {}, 'encryption-key-unusable'],
    ['with a short coordinate', asking({ jwk: { ...jwk, x: 'AQAB' } }), {}, 'encryption-key-unusable'],
    ['with a kid that is no text', asking({ jwk: { ...jwk, kid: {} } }), {}, 'encryption-key-unusable'],
  ])('that is asked for %s is refused', (_, body, changes, reason) => {
    expect(refusalOf(() => read(body, changes))).toMatchObject({ code: 'invalid_encryption_parameters', reason });
  });
});
