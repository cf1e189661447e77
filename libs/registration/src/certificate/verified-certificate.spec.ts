import { certify, signBy, x5c } from '@app/credentials/fixtures/certificates';
import { certifiedKey, type CertifiedKeyKind } from '@app/primitives/fixtures/certified-key';
import type { JsonObject } from '@app/primitives/json';
import { CertificateFault } from '@app/identity';
import { issuerAt, party, Registrar, verifierAt } from '../../fixtures/registrar';
import { faultOfTimes } from './registration-certificate';
import { faultOfParty, type OwnIdentifiers, verifiedCertificate } from './verified-certificate';

const now = new Date('2026-11-28T12:00:00Z');
const seconds = now.getTime() / 1000;
const day = 24 * 3600;
const registrar = new Registrar();
const other = new Registrar('other');
const signed = (more: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
  registrar.certificate(verifierAt(seconds, more), header);

/** What keeps a certificate from being used, in words; '' when nothing does. */
function faultOf(given: string, own: OwnIdentifiers = { requests: party }, anchors = [registrar.anchor]): string {
  try {
    const certificate = verifiedCertificate(given, anchors, now);
    return (faultOfTimes(certificate, now) ?? faultOfParty(certificate, own))?.found ?? '';
  } catch (error) {
    if (error instanceof CertificateFault) return error.found;
    throw error;
  }
}

describe('a registration certificate', () => {
  it('is used as it is, in base64url, with blanks around it, and with its signing time in the header', () => {
    expect(faultOf(signed())).toBe('');
    expect(faultOf(Buffer.from(signed()).toString('base64url'))).toBe('');
    expect(faultOf(`\n${signed()}\n`)).toBe('');
    expect(faultOf(signed({ iat: undefined }, { iat: seconds - day }))).toBe('');
  });

  it.each<[string, string, string]>([
    ['of another typ', signed({}, { typ: 'JWT' }), 'the typ "JWT"'],
    ['without a signature', signed({}, { alg: 'none' }), 'the alg "none"'],
    ['signed with a secret', signed({}, { alg: 'HS256' }), 'the alg "HS256"'],
    ['without the certificates of its signer', signed({}, { x5c: undefined }), 'no x5c header'],
    ['with the chain of another signer', signed({}, { x5c: x5c(leafBelow(registrar)) }), 'signature does not verify'],
    ['of a signer whose certificate is not for signatures', signedByEncryptor(), 'is not for signatures'],
    ['of another authority', other.certificate(verifierAt(seconds)), 'leads to no trust anchor'],
    ['that has expired', signed({ exp: seconds - 1, iat: seconds - day }), 'an end at 2026-11-28T11:59:59'],
    ['of thirteen months', signed({ exp: seconds + 395 * day }), 'a life of more than 12 months'],
    ['of tomorrow', signed({ iat: seconds + day }), 'an iat that is to come'],
    ['without an end', signed({ exp: undefined }), 'neither exp nor status'],
    ['without iat', signed({ iat: undefined }), 'no iat'],
    ['without a party', signed({ sub: undefined }), 'no sub'],
    ['without entitlements', signed({ entitlements: [] }), 'no entitlements'],
    ['of another party', signed({ sub: 'VATDE-987654321' }), 'another party, VATDE-987654321'],
    ['that was cut', signed().slice(0, -21), 'no registration certificate: the '],
    ['whose payload was changed', signed().replace(/\.[^.]/, '.f'), 'no registration certificate'],
    ['that is none', 'secret words', 'no registration certificate: the token does not have three parts'],
  ])('is not used %s', (_, given, found) => {
    expect(faultOf(given)).toContain(found);
    expect(faultOf(given)).not.toContain('secret');
  });

  it('is not used while the own certificate names nobody: what cannot be compared is a fault', () => {
    expect(faultOf(signed(), {})).toBe('no access certificate for requests that names a party');
    expect(faultOf(registrar.certificate(issuerAt(seconds, 'urn:card')), { requests: party })).toBe(
      'no access certificate for metadata that names a party',
    );
    expect(faultOf(registrar.certificate(issuerAt(seconds, 'urn:card')), { metadata: party })).toBe('');
  });

  it('of an intermediary is compared with the intermediary alone', () => {
    const intermediated = signed({ sub: 'VATDE-1', intermediary: { sub: party, sname: 'Example broker' } });
    expect(faultOf(intermediated)).toBe('');
    expect(faultOf(intermediated, { requests: 'VATDE-1' })).toContain(`another party, ${party}`);
    expect(faultOf(signed({ intermediary: { sname: 'Example broker' } }))).toBe('an intermediary without sub');
  });

  it('is read in its earlier form, with the party as an object', () => {
    const earlier = signed({ sub: { id: party, legal_name: 'Example Library GmbH' }, sub_ln: undefined });
    expect(faultOf(earlier)).toBe('');
    expect(verifiedCertificate(earlier, [registrar.anchor], now)).toMatchObject({ legalName: 'Example Library GmbH' });
  });

  it('says what is missing when no registrar is trusted', () => {
    expect(() => verifiedCertificate(signed(), [], now)).toThrow('a trust anchor with the purpose registrar');
  });

  it.each<[string, CertifiedKeyKind]>([
    ['PS256', 'rsa'],
    ['RS512', 'rsa'],
    ['ES512', 'p521'],
  ])('may be signed by %s, as some registrars do', (alg, kind) => {
    const key = certifiedKey(kind);
    const leaf = certify({ name: 'signer', issuer: registrar.root, isAuthority: false, keyUsage: 0x80, key });
    const given = key.sign(alg, { typ: 'rc-wrp+jwt', x5c: x5c(leaf) }, verifierAt(seconds) as JsonObject);
    expect(faultOf(given)).toBe('');
    expect(faultOf(`${given.slice(0, -8)}AAAAAAAA`)).toContain('signature does not verify');
  });

  it('may be given under its end, with status alone', () => {
    expect(faultOf(signed({ exp: undefined, status: { status_list: { idx: 1, uri: 'https://r.example/1' } } }))).toBe(
      '',
    );
  });
});

/** By a certificate of the authority that may encrypt keys alone. */
function signedByEncryptor(): string {
  const leaf = certify({ name: 'encryptor', issuer: registrar.root, isAuthority: false, keyUsage: 0x20 });
  return signBy(leaf)({ typ: 'rc-wrp+jwt', x5c: x5c(leaf) }, verifierAt(seconds) as JsonObject);
}

/** Another certificate below the same authority. */
function leafBelow({ root }: Registrar) {
  const leaf = certify({ name: 'leaf', issuer: root, isAuthority: false, keyUsage: 0x80 });
  signBy(leaf)({} as JsonObject, {});
  return leaf;
}
