import 'reflect-metadata';
import type { CertificateInUse } from '@app/identity';
import { Settings } from '@app/config';
import * as x509 from '@peculiar/x509';
import { certificateFindings } from './certificate-check';

const now = new Date('2026-11-22T12:00:00Z');
const certificate: CertificateInUse = {
  use: 'requests',
  fingerprint: 'f',
  x5c: [],
  subject: 'CN=Example',
  dnsNames: ['credentials.example'],
  uris: [],
  notBefore: new Date('2026-01-01T00:00:00Z'),
  notAfter: new Date('2027-01-01T00:00:00Z'),
  keyId: 'k',
  algorithm: 'ES256',
  isDevelopment: false,
  sign: () => Promise.resolve(''),
};

const of = (
  clientIdPrefix: Settings['verification']['clientIdPrefix'],
  profile: Settings['profile'] = 'production',
) => ({
  profile,
  applicationUrl: 'https://credentials.example',
  haip: false,
  certificates: new Settings().certificates,
  verification: {
    clientIdPrefix,
    trustedIssuers: [],
    undeterminedStatus: 'reject',
    verifierInfoFile: '',
    shownVariant: '1.0',
  } as const,
});
const settings = of('decentralized_identifier');
const { certificates } = settings;

describe('the doctor', () => {
  it.each<[string, Partial<CertificateInUse>, string, string]>([
    ['is valid', {}, 'ok', 'is valid until 2027-01-01T00:00:00Z'],
    ['ends within a month', { notAfter: new Date('2026-12-22T12:00:00Z') }, 'warn', 'ends 2026-12-22T12:00:00Z'],
    ['has ended', { notAfter: now }, 'fail', 'ended 2026-11-22T12:00:00Z'],
    ['names another host', { dnsNames: ['old.example'] }, 'fail', 'does not name credentials.example'],
    ['is of development', { isDevelopment: true }, 'ok', 'is one of the development root'],
    ['is of development and has ended', { isDevelopment: true, notAfter: now }, 'warn', 'ended'],
    [
      'names the issuer by its URI',
      { use: 'credentials', dnsNames: [], uris: ['https://credentials.example/openid4vci'] },
      'ok',
      'is valid',
    ],
  ])('says of a certificate that it %s', (_, more, outcome, words) => {
    const [finding] = certificateFindings([{ ...certificate, ...more }], settings, now);
    expect([finding?.check, finding?.outcome]).toEqual(['certificates', outcome]);
    expect(finding?.found).toContain(words);
    expect(finding?.remedy === undefined).toBe(outcome === 'ok');
  });

  it('says what one for requests or metadata lacks of an access certificate, unless nobody asks', async () => {
    const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
    const plain = await x509.X509CertificateGenerator.createSelfSigned({ name: 'CN=Example', keys });
    const x5c = [plain.toString('base64')];
    for (const use of ['requests', 'metadata'] as const) {
      const judged = (profile: '' | 'none') => {
        const asked = { ...settings, certificates: { ...certificates, profile } };
        return certificateFindings([{ ...certificate, use, x5c }], asked, now);
      };
      const [finding] = judged('');
      const none = 'is no access certificate of the EU (ETSI TS 119 411-8): it has';
      expect(finding).toMatchObject({ outcome: 'warn', found: expect.stringContaining(none) as string });
      expect(finding?.remedy).toContain('SERVICE__CERTIFICATES__PROFILE=none');
      expect(judged('none')).toMatchObject([{ outcome: 'ok' }]);
    }
  });

  it('wants the host in one for requests, except for access certificates that are named by their hash', () => {
    const nameless = { ...certificate, dnsNames: [] };
    const judged = (prefix: 'x509_hash' | 'x509_san_dns', profile: '' | 'eudi') =>
      certificateFindings([nameless], { ...of(prefix), certificates: { ...certificates, profile } }, now)[0]?.outcome;
    expect([judged('x509_hash', 'eudi'), judged('x509_san_dns', 'eudi'), judged('x509_hash', '')]).toEqual([
      'ok',
      'fail',
      'fail',
    ]);
  });

  it('says that there is none', () => {
    expect(certificateFindings([], settings, now)).toEqual([
      { check: 'certificates', outcome: 'ok', found: 'none: nothing is signed under a certificate' },
    ]);
  });

  it.each(['x509_hash', 'x509_san_dns'] as const)('misses one when requests are named by %s', (prefix) => {
    const ofCredentials: CertificateInUse = { ...certificate, use: 'credentials' };
    for (const inUse of [[], [ofCredentials]]) {
      expect(certificateFindings(inUse, of(prefix), now).at(-1)).toEqual({
        check: 'certificates',
        outcome: 'fail',
        found: `none for requests, which SERVICE__VERIFICATION__CLIENT_ID_PREFIX=${prefix} needs`,
        remedy: expect.stringContaining('sealwright certificates request --use requests') as unknown,
      });
    }
    for (const [inUse, fine] of [
      [[certificate], of(prefix)],
      [[], of(prefix, 'development')],
    ] as const) {
      expect(certificateFindings(inUse, fine, now)).toEqual([expect.objectContaining({ outcome: 'ok' })]);
    }
  });

  it('misses one for the mdocs that are offered', () => {
    const found = (inUse: readonly CertificateInUse[]) =>
      certificateFindings(inUse, settings, now, new Set(['dc+sd-jwt', 'mso_mdoc']));
    expect(found([])).toEqual([
      {
        check: 'certificates',
        outcome: 'fail',
        found: 'none for documents, which an offered mdoc needs',
        remedy: expect.stringContaining('request --use documents --subject "CN=..., C=..."') as unknown,
      },
    ]);
    expect(found([{ ...certificate, use: 'documents' }])).toMatchObject([{ outcome: 'ok' }]);
    expect(certificateFindings([], settings, now, new Set(['dc+sd-jwt']))).toMatchObject([{ outcome: 'ok' }]);
  });

  it('misses those that SERVICE__HAIP wants, each with its use', () => {
    const strict = { ...of('x509_hash'), haip: true };
    const missed = (inUse: readonly CertificateInUse[]) =>
      certificateFindings(inUse, strict, now).flatMap(({ outcome, found }) => (outcome === 'fail' ? [found] : []));
    const words = (use: string) => `none for ${use}, which SERVICE__HAIP needs`;
    expect(missed([])).toEqual([words('credentials'), words('requests')]);
    expect(missed([certificate])).toEqual([words('credentials')]);
    expect(certificateFindings([], { ...strict, profile: 'development' }, now)).toMatchObject([{ outcome: 'ok' }]);
  });
});
