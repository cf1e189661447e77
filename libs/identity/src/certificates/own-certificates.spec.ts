import { CertificateKeys, KeyRing } from '@app/keys';
import { emptyTable, root } from '@app/keys/fixtures/key-table';
import { Logger } from '@nestjs/common';
import { decodeProtectedHeader, importX509, jwtVerify } from 'jose';
import * as x509 from '@peculiar/x509';
import { verify, X509Certificate } from 'node:crypto';
import { developmentIaca, developmentRoot, makeDevelopmentCertificates } from './development-certificates';
import { OwnCertificates } from './own-certificates';

const url = 'http://192.168.1.20:3033';
const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number): Date => new Date(now.getTime() + days * 24 * 60 * 60 * 1000);

async function opened(table: ReturnType<typeof emptyTable>) {
  const store = table.replica();
  return { ring: await KeyRing.open(store, root), keys: await CertificateKeys.open(store, root) };
}

async function development(table = emptyTable()) {
  const { keys, ring } = await opened(table);
  const chains = await makeDevelopmentCertificates(keys, ring, url, now);
  return { table, keys, ring, own: new OwnCertificates(keys, ring, chains) };
}

function currentOf(own: OwnCertificates, at = now) {
  const signer = own.current('requests', at);
  if (!signer) throw new Error('There is no certificate.');
  return signer;
}

describe('a document signer of the development profile', () => {
  const signerOf = (own: OwnCertificates, at = now) => {
    const signer = own.documentSigner('ES256', at);
    if (!signer) throw new Error('There is no document signer.');
    return signer;
  };

  it('has the profile of ISO 18013-5 annex B, under a root of its own that is left out of the chain', async () => {
    const { own, keys } = await development();
    const signer = signerOf(own);
    const leaf = new x509.X509Certificate(signer.chain[0] ?? Buffer.of());
    const root = new X509Certificate(developmentIaca(keys.all(), now)?.chain ?? '');
    expect(signer.chain).toHaveLength(1);
    expect(new X509Certificate(signer.chain[0] ?? '').verify(root.publicKey)).toBe(true);
    expect(root.subject).toBe('CN=Sealwright development IACA\nC=UT');
    const usage = leaf.getExtension(x509.ExtendedKeyUsageExtension);
    const keyUsage = leaf.getExtension(x509.KeyUsagesExtension);
    expect([usage?.critical, usage?.usages]).toEqual([true, ['1.0.18013.5.1.2']]);
    expect([keyUsage?.critical, keyUsage?.usages]).toEqual([true, x509.KeyUsageFlags.digitalSignature]);
    expect(leaf.getExtension(x509.BasicConstraintsExtension)).toBeNull();
    expect(signer).toMatchObject({ country: 'UT', isDevelopment: true, authorityKeyIds: [expect.any(String)] });
    expect(Number(signer.notAfter) - Number(signer.notBefore)).toBeLessThan(457 * 86_400_000);
  });

  it('signs what COSE verifies, and is read once for each reading of the keys', async () => {
    const { own, keys } = await development();
    const signer = signerOf(own);
    const data = Buffer.from('to be signed');
    const { publicKey } = new X509Certificate(signer.chain[0] ?? '');
    expect(verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, await signer.sign(data))).toBe(true);
    expect(signerOf(own)).toBe(signer);
    await keys.refresh();
    expect(signerOf(own)).not.toBe(signer);
    expect(signerOf(own).keyId).toBe(signer.keyId);
  });

  it('is replaced a month before it ends, signs nothing after, and counts for nothing in production', async () => {
    const { table, own, ring, keys } = await development();
    const first = signerOf(own).keyId;
    expect(signerOf((await development(table)).own).keyId).toBe(first);
    await makeDevelopmentCertificates(keys, ring, url, inDays(369));
    expect(signerOf(own, inDays(369)).keyId).not.toBe(first);
    expect(own.documentSigner('ES256', inDays(1200))).toBeUndefined();
    expect(own.inUse(inDays(1200)).map(({ use }) => use)).toContain('documents');
    expect(new OwnCertificates(keys, ring).documentSigner('ES256', now)).toBeUndefined();
  });
});

describe('certificates of the development profile', () => {
  it('lead from the public host to a root of their own, and sign what another library verifies', async () => {
    const { own, keys } = await development();
    const signer = currentOf(own);
    const anchor = new X509Certificate(developmentRoot(keys.all(), now)?.chain ?? '');
    const [sent = ''] = signer.x5c;
    const leaf = new X509Certificate(Buffer.from(sent, 'base64'));
    expect(signer.x5c).toHaveLength(1);
    expect(leaf.checkIssued(anchor) && leaf.verify(anchor.publicKey)).toBe(true);
    expect(signer.dnsNames).toEqual(['192.168.1.20']);
    expect(signer.fingerprint).toBe(Buffer.from(leaf.fingerprint256.replaceAll(':', ''), 'hex').toString('base64url'));
    const token = await signer.sign({ typ: 'oauth-authz-req+jwt' }, { iss: 'somebody' });
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'oauth-authz-req+jwt', x5c: signer.x5c });
    await expect(jwtVerify(token, await importX509(leaf.toString(), 'ES256'))).resolves.toBeDefined();
  });

  it('outlive a restart, and are replaced a month before they end', async () => {
    const { table, own } = await development();
    const first = currentOf(own).fingerprint;
    const again = await development(table);
    expect(currentOf(again.own).fingerprint).toBe(first);
    await makeDevelopmentCertificates(again.keys, again.ring, url, inDays(369));
    const second = currentOf(again.own, inDays(369));
    expect(second.fingerprint).not.toBe(first);
    expect((await again.own.find('requests', first))?.fingerprint).toBe(first);
    expect(table.rows.filter(({ id }) => id.startsWith('certificate:development-root'))).toHaveLength(1);
  });

  it('are made again for another public host', async () => {
    const { keys, ring, own } = await development();
    await makeDevelopmentCertificates(keys, ring, 'http://10.0.0.7:3033', inDays(1));
    expect(currentOf(own, inDays(1)).dnsNames).toEqual(['10.0.0.7']);
    await makeDevelopmentCertificates(keys, ring, url, inDays(2));
    expect(currentOf(own, inDays(2)).dnsNames).toEqual(['192.168.1.20']);
  });

  it('share one root when two replicas start on an empty database', async () => {
    const table = emptyTable();
    const [one, other] = await Promise.all([development(table), development(table)]);
    await one.keys.refresh();
    await other.keys.refresh();
    expect(developmentRoot(one.keys.all(), now)?.kid).toBe(developmentRoot(other.keys.all(), now)?.kid);
    expect(currentOf(one.own).fingerprint).toBe(currentOf(other.own).fingerprint);
  });

  it('count for nothing in production', async () => {
    const { keys, ring, own } = await development();
    const { fingerprint } = currentOf(own);
    const production = new OwnCertificates(keys, ring);
    expect(production.current('requests', now)).toBeUndefined();
    await expect(production.find('requests', fingerprint)).resolves.toBeUndefined();
  });

  it('sign no more when they have expired, and are still found', async () => {
    const { own } = await development();
    const { fingerprint, notAfter } = currentOf(own);
    expect(own.current('requests', notAfter)).toBeUndefined();
    expect((await own.find('requests', fingerprint))?.fingerprint).toBe(fingerprint);
  });

  it('are found when another replica has just made them', async () => {
    const table = emptyTable();
    const other = await opened(table);
    const own = new OwnCertificates(other.keys, other.ring, new Map());
    const { fingerprint } = currentOf((await development(table)).own);
    expect(own.current('requests', now)).toBeUndefined();
    expect((await own.find('requests', fingerprint))?.fingerprint).toBe(fingerprint);
  });

  it('count for nothing when their chain was changed in the database', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { table, keys, own } = await development();
    const row = table.rows.find(({ id }) => id.startsWith('certificate:development-requests'));
    if (row) row.chain = developmentRoot(keys.all(), now)?.chain ?? null;
    await keys.refresh();
    expect(own.current('requests', now)).toBeUndefined();
    expect(error.mock.calls).toEqual([[{ event: 'keys.row-altered', keyId: 'certificate:development-requests:1' }]]);
    error.mockRestore();
  });
});
