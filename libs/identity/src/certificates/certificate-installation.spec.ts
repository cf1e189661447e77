import { type Authority, certify, type CertificateOptions } from '@app/credentials/fixtures/certificates';
import { CertificateKeys, KeyRing } from '@app/keys';
import { emptyTable, root as rootKeys } from '@app/keys/fixtures/key-table';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CertificateInstallation } from './certificate-installation';
import { OwnCertificates } from './own-certificates';
import { ownNames } from './own-names';

const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number): Date => new Date(now.getTime() + days * 86_400_000);
const times = { notBefore: inDays(-1), notAfter: inDays(300) };

const root = certify({ ...times, name: 'Practice root', isAuthority: true });
const middle = certify({ ...times, name: 'Practice authority', issuer: root, isAuthority: true });
const endEntity = certify({ ...times, name: 'Practice authority', issuer: root });
const another = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const brokenPem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

async function opened() {
  const store = emptyTable().replica();
  const ring = await KeyRing.open(store, rootKeys);
  const keys = await CertificateKeys.open(store, rootKeys);
  const installation = new CertificateInstallation(ring, keys, ownNames('https://credentials.example'));
  return { ring, keys, installation, own: new OwnCertificates(keys, ring) };
}

function leafFor(publicKey: KeyObject, more: Partial<CertificateOptions> = {}): Authority {
  const names = { dnsNames: ['credentials.example'], keyUsage: 0x80 };
  return certify({ ...times, ...names, name: 'Practice service', issuer: middle, publicKey, ...more });
}

async function waiting({ installation }: Awaited<ReturnType<typeof opened>>, use: 'requests' | 'credentials') {
  const { publicJwk } = await installation.keyFor(use, 'ES256');
  return createPublicKey({ key: { ...publicJwk }, format: 'jwk' });
}

const pem = (...chain: readonly (Authority | string)[]): string =>
  chain.map((each) => (typeof each === 'string' ? each : each.certificate.toString())).join('');

const privatePem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('a chain is refused', () => {
  it.each<[string, (key: KeyObject) => readonly (Authority | string)[], string]>([
    ['without a certificate', () => ['-----BEGIN CERTIFICATE REQUEST-----'], 'no certificate'],
    ['with a broken certificate', () => [brokenPem], 'a malformed certificate'],
    ['for a key of others', () => [leafFor(another.publicKey), middle], 'a key that is not of this service'],
    ['with the leaf last', (key) => [middle, leafFor(key)], 'a certificate of an authority'],
    ['with the leaf second', (key) => [leafFor(another.publicKey), leafFor(key)], 'a wrong order'],
    ['in another order', (key) => [leafFor(key), root, middle], 'certificate 1 is not issued by certificate 2'],
    ['with a forged signature', (key) => [leafFor(key, { signer: another.privateKey }), middle], 'a wrong order'],
    [
      'below a certificate that is no authority',
      (key) => [leafFor(key, { issuer: endEntity }), endEntity],
      'no authority',
    ],
    ['that is self-signed', () => [certify({ ...times, name: 'Practice service' })], 'a self-signed certificate'],
    ['that has expired', (key) => [leafFor(key, { notAfter: inDays(-1) }), middle], 'an expired certificate'],
    ['that is not valid yet', (key) => [leafFor(key, { notBefore: inDays(2) }), middle], 'not valid yet'],
    ['that is not for signatures', (key) => [leafFor(key, { keyUsage: 0x08 }), middle], 'without digitalSignature'],
    ['of an authority', (key) => [leafFor(key, { isAuthority: true }), middle], 'basicConstraints CA'],
    ['in another name', (key) => [leafFor(key, { dnsNames: ['other.example'] }), middle], 'without the DNS name'],
    ['with a wildcard', (key) => [leafFor(key, { dnsNames: ['*.example'] }), middle], 'without the DNS name'],
    ['with a critical extension', (key) => [leafFor(key, { unknownCritical: true }), middle], 'a critical extension'],
    ['with six certificates', (key) => [leafFor(key), ...Array<Authority>(5).fill(middle)], 'more than 5'],
  ])('%s', async (_, chainOf, words) => {
    const service = await opened();
    const chain = pem(...chainOf(await waiting(service, 'requests')));
    await expect(service.installation.install(chain, now)).rejects.toThrow(words);
    expect(service.own.current('requests', now)).toBeUndefined();
  });

  it('for a key that has another one', async () => {
    const service = await opened();
    const key = await waiting(service, 'requests');
    const first = pem(leafFor(key), middle);
    expect(await service.installation.install(first, now)).toMatchObject({ use: 'requests', isNew: true });
    expect(await service.installation.install(first, now)).toMatchObject({ use: 'requests', isNew: false });
    const next = pem(leafFor(key, { notAfter: inDays(299) }), middle);
    await expect(service.installation.install(next, now)).rejects.toThrow('another certificate for a key that has one');
  });

  it('of another authority for the same certificate', async () => {
    const service = await opened();
    const key = await waiting(service, 'requests');
    const leaf = leafFor(key);
    await service.installation.install(pem(leaf), now);
    const chain = pem(leaf, root);
    await expect(service.installation.install(chain, now)).rejects.toThrow('a wrong order');
  });

  it('for credentials in the name of another issuer', async () => {
    const service = await opened();
    const key = await waiting(service, 'credentials');
    const names = { dnsNames: ['other.example'], uris: ['https://credentials.example/other'] };
    const chain = pem(leafFor(key, names), middle);
    await expect(service.installation.install(chain, now)).rejects.toThrow(
      'without the URI https://credentials.example/openid4vci or the DNS name credentials.example',
    );
  });
});

describe('a chain that is installed', () => {
  it('may have an empty subject, as the names that count are the alternative ones', async () => {
    const service = await opened();
    const leaf = leafFor(await waiting(service, 'requests'), { name: '' });
    expect(await service.installation.install(pem(leaf, middle), now)).toMatchObject({ subject: '', isNew: true });
  });
});

describe('the identifier of the party', () => {
  const idOf = async (
    party: NonNullable<CertificateOptions['party']>,
    use: 'requests' | 'credentials' = 'requests',
  ) => {
    const service = await opened();
    await service.installation.install(pem(leafFor(await waiting(service, use), { party }), middle), now);
    return (['requests', 'metadata'] as const).map((each) => service.own.party(each, now));
  };

  it('is the organizationIdentifier of a legal person, else the serialNumber, in the certificate in use', async () => {
    const legal = { organization: 'Example, Ltd', identifier: 'VATDE-123456789', serialNumber: '1' };
    expect(await idOf(legal)).toEqual(['VATDE-123456789', undefined]);
    expect(await idOf({ serialNumber: 'TINFR-1234' })).toEqual(['TINFR-1234', undefined]);
    expect(await idOf({ organization: 'Example + organizationIdentifier=VATDE-1' })).toEqual([undefined, undefined]);
    expect(await idOf(legal, 'credentials')).toEqual([undefined, 'VATDE-123456789']);
  });
});

describe('a chain that was installed without the certificates between', () => {
  it.each(['requests', 'credentials'] as const)('is completed for %s', async (use) => {
    const service = await opened();
    const leaf = leafFor(await waiting(service, use));
    await service.installation.install(pem(leaf), now);
    const installed = await service.installation.install(pem(leaf, middle), now);
    expect(installed).toMatchObject({ use, isNew: true });
    const signer = service.own.current(use, now);
    expect(signer).toMatchObject({ fingerprint: installed.fingerprint, keyId: installed.kid });
    expect(signer?.x5c).toHaveLength(2);
  });

  it('is completed from files, and stays in its place among other certificates', async () => {
    const { installation, own } = await opened();
    const key = privatePem(another.privateKey);
    const leaf = leafFor(another.publicKey);
    await installation.installWithKey('requests', key, pem(leaf), now);
    expect(await installation.installWithKey('requests', key, pem(leaf, middle), now)).toMatchObject({ isNew: true });
    expect(own.current('requests', now)?.x5c).toHaveLength(2);
  });
});

describe('a certificate with its key', () => {
  it('is taken once, and does not come back when its key was revoked', async () => {
    const { installation, own, keys } = await opened();
    const chain = pem(leafFor(another.publicKey), middle);
    const key = privatePem(another.privateKey);
    expect(await installation.installWithKey('requests', key, chain, now)).toMatchObject({ isNew: true });
    expect(await installation.installWithKey('requests', key, chain, now)).toMatchObject({ isNew: false });
    const signer = own.current('requests', now);
    expect(signer?.x5c).toHaveLength(2);
    await keys.revoke(signer?.keyId ?? '');
    await installation.installWithKey('requests', key, chain, now);
    expect(own.current('requests', now)).toBeUndefined();
  });

  it('is refused for a key that has another one', async () => {
    const { installation } = await opened();
    const key = privatePem(another.privateKey);
    await installation.installWithKey('requests', key, pem(leafFor(another.publicKey), middle), now);
    const renewed = pem(leafFor(another.publicKey, { notAfter: inDays(299) }), middle);
    await expect(installation.installWithKey('requests', key, renewed, now)).rejects.toThrow('a key that has one');
  });

  it('lets the service start again after it has ended, or after its public URL has changed', async () => {
    const { ring, keys, installation } = await opened();
    const chain = pem(leafFor(another.publicKey), middle);
    const key = privatePem(another.privateKey);
    await installation.installWithKey('requests', key, chain, now);
    await expect(installation.installWithKey('requests', key, chain, inDays(400))).resolves.toMatchObject({
      isNew: false,
    });
    const moved = new CertificateInstallation(ring, keys, ownNames('https://moved.example'));
    await expect(moved.installWithKey('requests', key, chain, now)).resolves.toMatchObject({ isNew: false });
  });

  it.each([
    ['of another pair', privatePem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), 'for another key'],
    ['on P-384', privatePem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey), 'no private key on P-256'],
    ['that is public', another.publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'no private key'],
    ['that is no key', 'secret', 'no private key'],
  ])('is refused with a key %s', async (_, key, words) => {
    const { installation } = await opened();
    const chain = pem(leafFor(another.publicKey), middle);
    const refused = installation.installWithKey('requests', key, chain, now);
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.not.toThrow('secret');
  });
});
