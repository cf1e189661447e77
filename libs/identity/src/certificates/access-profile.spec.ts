import { certify, type CertificateOptions, der, oid, sequence } from '@app/credentials/fixtures/certificates';
import { CertificateKeys, KeyRing } from '@app/keys';
import { emptyTable, root as rootKeys } from '@app/keys/fixtures/key-table';
import { createPublicKey } from 'node:crypto';
import { type AccessChanges, accessOptions } from '../../fixtures/access-certificates';
import { readAccessProfile } from './access-profile';
import { CertificateInstallation } from './certificate-installation';
import { OwnCertificates } from './own-certificates';
import { ownNames } from './own-names';

const now = new Date('2026-11-22T12:00:00Z');
const inHours = (hours: number): Date => new Date(now.getTime() + hours * 3_600_000);
const times = { notBefore: inHours(-1), notAfter: inHours(24 * 300) };
const authority = certify({ ...times, name: 'Access authority', isAuthority: true });

type Options = Partial<CertificateOptions>;

function read(changes: AccessChanges = {}, options: Options = {}) {
  const { certificate } = certify({ ...times, ...accessOptions(changes), issuer: authority, ...options });
  return readAccessProfile(certificate);
}

const natural = { policies: [1] } as const;
const person = { place: { country: 'DE' }, party: { serialNumber: 'TINDE-1234', pseudonym: 'Baker' } };
const alternatives = (...names: readonly Buffer[]) => ({ uris: [], further: withNames(sequence(...names)) });
const withNames = (names: Buffer) => ({ ...accessOptions().further, '551d11': names });

describe('an access certificate', () => {
  it.each<[string, AccessChanges, Options]>([
    ['of a legal person', {}, {}],
    ['of a natural person', natural, person],
    ['of a legal person, qualified', { policies: [4], isQualified: true, qcType: 2 }, {}],
    ['of a natural person, qualified', { policies: [3], isQualified: true, qcType: 1 }, person],
    ['with an OCSP responder', { revocation: 'ocsp' }, {}],
    ['that lasts a day, without revocation', { revocation: 'none' }, { notAfter: inHours(23) }],
    ['with an e-mail address', {}, alternatives(der(0x81, Buffer.from('help@example.com')))],
    [
      'with a telephone number',
      {},
      alternatives(der(0xa0, Buffer.concat([oid('550414'), der(0xa0, der(0x13, Buffer.from('+4930')))]))),
    ],
    ['of a company by its LEI', {}, { party: { organization: 'Example', identifier: 'LEIXG-5493001KJTIIGC8Y1R12' } }],
    ['by a scheme of its country', {}, { party: { organization: 'Example', identifier: 'GO:DE-0815' } }],
  ])('is one %s', (_, changes, options) => {
    expect(read(changes, options)).toEqual({ faults: [], flaws: [] });
  });

  it.each<[string, AccessChanges, Options, string]>([
    ['without a policy', { policies: [] }, {}, 'it has none of the certificate policies'],
    ['with another policy', { policies: [9] }, {}, 'it has none of the certificate policies'],
    [
      'with policies of a natural and a legal person',
      { policies: [1, 2] },
      person,
      'it has certificate policies for a natural and for a legal person',
    ],
    ['without a practice statement', { hasStatement: false }, {}, '(cPSuri)'],
    [
      'without an identifier',
      {},
      { party: { organization: 'Example' } },
      'its subject has no organizationIdentifier, or several, as that of a legal person',
    ],
    ['without organisation and country', {}, { place: {}, party: { identifier: 'VATDE-1' } }, 'has no O, no C,'],
    ['without a name', {}, { name: '' }, 'has no CN'],
    ['with another form of identifier', {}, { party: { organization: 'E', identifier: 'DE123' } }, 'EN 319 412-1'],
    [
      'of a person by the number of a company',
      natural,
      { party: { serialNumber: 'VATDE-1', pseudonym: 'B' } },
      'TINDE',
    ],
    [
      'of a person without a name',
      natural,
      { party: { serialNumber: 'TINDE-1' } },
      'neither a given name and a surname nor a pseudonym',
    ],
    ['without a contact', {}, { uris: [], dnsNames: ['credentials.example'] }, 'have no contact'],
    ['that does not say that it is qualified', { policies: [4], qcType: 2 }, {}, 'it does not say QcCompliance'],
    ['of a seal for signatures', { policies: [4], isQualified: true, qcType: 1 }, {}, 'its QcType is not eseal'],
    ['without revocation', { revocation: 'none' }, {}, 'no revocation list (CRL) and no OCSP responder'],
  ])('is none %s', (_, changes, options, words) => {
    expect(read(changes, options).faults).toEqual([expect.stringContaining(words)]);
  });

  it('has flaws that some wallets object to', () => {
    const greek = { keyUsage: 0x80, party: { organization: 'E', identifier: 'VATGR-1' } };
    expect(read({}, greek)).toEqual({
      faults: [],
      flaws: ['its key usage has no nonRepudiation', 'its identifier says GR, where Greece is EL'],
    });
  });
});

describe('a certificate for requests or metadata', () => {
  async function opened(profile?: 'eudi' | 'none') {
    const store = emptyTable().replica();
    const ring = await KeyRing.open(store, rootKeys);
    const keys = await CertificateKeys.open(store, rootKeys);
    const installation = new CertificateInstallation(ring, keys, ownNames('https://credentials.example'), profile);
    const own = new OwnCertificates(keys, ring);
    const install = async (use: 'requests' | 'metadata', options: Options) => {
      const { publicJwk } = await installation.keyFor(use, 'ES256');
      const publicKey = createPublicKey({ key: { ...publicJwk }, format: 'jwk' });
      const leaf = certify({ ...times, name: 'Example', ...options, issuer: authority, publicKey });
      return installation.install(leaf.certificate.toString(), now);
    };
    return { install, own };
  }
  const plain = { dnsNames: ['credentials.example'], keyUsage: 0x80 };

  it('has to be an access certificate where the settings say so, with every fault in the message', async () => {
    const { install, own } = await opened('eudi');
    for (const use of ['requests', 'metadata'] as const) {
      const refused = install(use, plain);
      for (const words of ['certificate policies 0.4.0.194118.1.1', 'no organizationIdentifier, no O, no C', 'CRL']) {
        await expect(refused).rejects.toThrow(words);
      }
      await expect(refused).rejects.toThrow('SERVICE__CERTIFICATES__PROFILE');
    }
    expect(own.inUse(now)).toEqual([]);
  });

  it('need not name the host when it is one, and says who the party is', async () => {
    const { install, own } = await opened('eudi');
    expect(await install('requests', accessOptions())).toMatchObject({ use: 'requests', warnings: [] });
    expect(own.party('requests', now)).toBe('VATDE-123456789');
    expect(own.party('metadata', now)).toBeUndefined();
    expect(await install('metadata', accessOptions())).toMatchObject({ use: 'metadata', warnings: [] });
    expect(own.party('metadata', now)).toBe('VATDE-123456789');
  });

  it('is installed with a warning where they do not, and without one where nobody asks', async () => {
    const { warnings } = await (await opened()).install('requests', plain);
    expect(warnings).toEqual([
      expect.stringContaining('it is no access certificate of the EU (ETSI TS 119 411-8): it has none of'),
      'its key usage has no nonRepudiation',
    ]);
    expect(await (await opened('none')).install('requests', plain)).toMatchObject({ warnings: [] });
    await expect((await opened()).install('requests', accessOptions())).rejects.toThrow('the DNS name');
  });
});
