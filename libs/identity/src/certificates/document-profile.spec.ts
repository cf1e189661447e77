import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { CertificateKeys, KeyRing } from '@app/keys';
import { emptyTable, root as rootKeys } from '@app/keys/fixtures/key-table';
import {
  documentSignerFor,
  documentSignerUsage,
  iacaRoot,
  type Iaca,
  type SignerChanges,
} from '../../fixtures/document-certificates';
import { CertificateInstallation } from './certificate-installation';
import { certificationRequest } from './certification-request';
import { OwnCertificates } from './own-certificates';
import { ownNames, spkiOf } from './own-names';

const now = new Date('2026-11-22T12:00:00Z');
const { KeyUsageFlags } = x509;

let root: Iaca;
let withState: Iaca;
let middle: Iaca;
let foreign: Iaca;
beforeAll(async () => {
  [root, withState, foreign] = await Promise.all([
    iacaRoot(now),
    iacaRoot(now, 'CN=Practice IACA, ST=DE-BE, C=DE'),
    iacaRoot(now, 'CN=Practice IACA, C=FR'),
  ]);
  const { keys } = await iacaRoot(now);
  const publicKey = Buffer.from(await crypto.subtle.exportKey('spki', keys.publicKey));
  const certificate = await documentSignerFor(publicKey, root, now, {
    subject: 'CN=Between, C=DE',
    extendedKeyUsage: undefined,
    keyUsage: new x509.KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    more: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  middle = { certificate, keys };
});

async function opened() {
  const store = emptyTable().replica();
  const ring = await KeyRing.open(store, rootKeys);
  const keys = await CertificateKeys.open(store, rootKeys);
  const installation = new CertificateInstallation(ring, keys, ownNames('https://credentials.example'));
  return { installation, own: new OwnCertificates(keys, ring) };
}

type Service = Awaited<ReturnType<typeof opened>>;

interface Given {
  readonly changes?: SignerChanges;
  readonly issuer?: Iaca;
  /** What follows the document signer in the file. */
  readonly above?: readonly Iaca[];
}

async function install({ installation }: Service, { changes, issuer = root, above = [issuer] }: Given = {}) {
  const key = await installation.keyFor('documents', 'ES256');
  const leaf = await documentSignerFor(spkiOf(key), issuer, now, changes);
  const pem = [leaf, ...above.map(({ certificate }) => certificate)].map((one) => `${one.toString('pem')}\n`).join('');
  return installation.install(pem, now);
}

describe('the certificate of a document signer', () => {
  it('is installed without its root, needs no name of this service, and signs from then on', async () => {
    const service = await opened();
    expect(service.own.documentSigner('ES256', now)).toBeUndefined();
    const { kid, warnings, isNew } = await install(service);
    expect([isNew, warnings]).toEqual([true, []]);
    const signer = service.own.documentSigner('ES256', now);
    expect(signer).toMatchObject({ keyId: kid, country: 'DE', isDevelopment: false });
    expect(signer?.chain).toHaveLength(1);
    const [ofRoot] = [root.certificate.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId ?? ''];
    expect(signer?.authorityKeyIds).toEqual([Buffer.from(ofRoot, 'hex').toString('base64url')]);
    expect(service.own.documentSigner('EdDSA', now)).toBeUndefined();
    expect(service.own.current('requests', now)).toBeUndefined();
  });

  it('is followed by the next one, whose key is another', async () => {
    const service = await opened();
    const first = await install(service);
    const second = await install(service);
    expect(second.kid).not.toBe(first.kid);
    expect(service.own.documentSigner('ES256', now)?.keyId).toBe(second.kid);
  });

  it.each<[string, () => Given, string]>([
    ['no root behind it', () => ({ above: [] }), 'no root behind the certificate'],
    ['a root of another name behind it', () => ({ above: [foreign] }), 'a wrong order'],
    [
      'a certificate between it and the root',
      () => ({ issuer: middle, above: [middle, root] }),
      'path length has to be 0',
    ],
    ['no country', () => ({ changes: { subject: 'CN=Signer' } }), 'a subject without a country'],
    ['another country than its root', () => ({ issuer: foreign }), 'the country DE under a root of FR'],
    ['no state although its root has one', () => ({ issuer: withState }), 'without the state or province (ST) DE-BE'],
    [
      'no extended key usage',
      () => ({ changes: { extendedKeyUsage: undefined } }),
      'no extended key usage 1.0.18013.5.1.2',
    ],
    [
      'the one of a reader',
      () => ({ changes: { extendedKeyUsage: new x509.ExtendedKeyUsageExtension(['1.0.18013.5.1.6'], true) } }),
      'no extended key usage 1.0.18013.5.1.2',
    ],
    ['no key usage', () => ({ changes: { keyUsage: undefined } }), 'no key usage'],
    [
      'a key usage without signatures',
      () => ({ changes: { keyUsage: new x509.KeyUsagesExtension(KeyUsageFlags.keyAgreement, true) } }),
      'a key usage without digitalSignature',
    ],
    ['no authority key identifier', () => ({ changes: { authorityKey: undefined } }), 'no authority key identifier'],
    [
      'the key identifier of another root',
      () => ({ changes: { authorityKey: foreign.keys.publicKey } }),
      /* OpenSSL compares them, too */ 'certificate 1 is not issued by certificate 2',
    ],
    [
      'the right to certify others',
      () => ({ changes: { more: [new x509.BasicConstraintsExtension(true, 0, true)] } }),
      'a certificate of an authority',
    ],
  ])('is refused with %s', async (_, given, words) => {
    const service = await opened();
    await expect(install(service, given())).rejects.toThrow(words);
    expect(service.own.documentSigner('ES256', now)).toBeUndefined();
  });

  it('may have the state of its root', async () => {
    const service = await opened();
    await install(service, { issuer: withState, changes: { subject: 'CN=Signer, ST=DE-BE, C=DE' } });
    expect(service.own.documentSigner('ES256', now)).toMatchObject({ stateOrProvince: 'DE-BE' });
  });

  it.each<[string, SignerChanges, string]>([
    ['for too long', { days: 458 }, 'it is valid for 458 days, and not for 457 at most'],
    ['without a name', { subject: 'C=DE' }, 'its subject has no name (CN)'],
    [
      'with an extended key usage that is not critical',
      { extendedKeyUsage: new x509.ExtendedKeyUsageExtension([documentSignerUsage]) },
      'its extended key usage is not critical',
    ],
    [
      'with another extended key usage',
      { extendedKeyUsage: new x509.ExtendedKeyUsageExtension([documentSignerUsage, '1.3.6.1.5.5.7.3.1'], true) },
      'it has other extended key usages',
    ],
    [
      'with a key usage that is not critical',
      { keyUsage: new x509.KeyUsagesExtension(KeyUsageFlags.digitalSignature) },
      'its key usage is not critical',
    ],
    [
      'with another key usage',
      { keyUsage: new x509.KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation, true) },
      'it has other key usages beside digitalSignature',
    ],
  ])('is installed %s, with a warning', async (_, changes, words) => {
    const service = await opened();
    const { warnings } = await install(service, { changes });
    expect(warnings).toEqual([expect.stringContaining(words)]);
  });

  it('is installed without the names of its authority, with a warning for each', async () => {
    const { warnings } = await install(await opened(), { changes: { more: [] } });
    expect(warnings).toEqual([
      expect.stringContaining('issuer alternative'),
      expect.stringContaining('revocation list'),
    ]);
  });
});

describe('a request for the certificate of a document signer', () => {
  const names = { dns: [], uris: [], isDocumentSigner: true };

  it('asks for the profile, without names of this service', async () => {
    const { installation } = await opened();
    const key = await installation.keyFor('documents', 'ES256');
    const pem = await certificationRequest(key, { ...names, subject: 'CN=Example, ST=DE-BE, C=DE' });
    const request = new x509.Pkcs10CertificateRequest(pem);
    expect(await request.verify()).toBe(true);
    expect(request.subject).toBe('CN=Example, ST=DE-BE, C=DE');
    expect(request.extensions.map(({ type, critical }) => [type, critical])).toEqual([
      ['2.5.29.15', true],
      ['2.5.29.37', true],
    ]);
    // PrintableString, as ISO 18013-5 has the country.
    expect(Buffer.from(request.rawData).includes(Buffer.from('0603550406' + '1302' + '4445', 'hex'))).toBe(true);
  });

  it.each([
    ['CN=Example', 'a subject without a country'],
    ['CN=Example, C=de', 'two capital letters'],
    ['C=DE', 'a subject without a name'],
  ])('is refused for %s', async (subject, words) => {
    const { installation } = await opened();
    const key = await installation.keyFor('documents', 'ES256');
    await expect(certificationRequest(key, { ...names, subject })).rejects.toThrow(words);
  });
});
