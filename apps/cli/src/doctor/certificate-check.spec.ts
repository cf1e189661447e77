import type { CertificateInUse } from '@app/identity';
import type { Settings } from '@app/config';
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
  verification: {
    clientIdPrefix,
    trustedIssuers: [],
    undeterminedStatus: 'reject',
    verifierInfoFile: '',
    shownVariant: '1.0',
  } as const,
});
const settings = of('decentralized_identifier');

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
