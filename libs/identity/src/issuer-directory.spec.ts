import type { Settings } from '@app/config';
import { didJwk } from '@app/credentials';
import { type Authority, certify, type CertificateOptions, x5c } from '@app/credentials/fixtures/certificates';
import { parsePublicJwk, thumbprint } from '@app/primitives/jose';
import { CertificateKeys, KeyRing } from '@app/keys';
import { emptyTable, root as rootKeys } from '@app/keys/fixtures/key-table';
import { walletUrls } from '@app/openid4vc';
import type { OutboundClient } from '@app/outbound';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { documentSignerFor, iacaRoot } from '../fixtures/document-certificates';
import { CertificateInstallation } from './certificates/certificate-installation';
import { OwnCertificates } from './certificates/own-certificates';
import { ownNames, spkiOf } from './certificates/own-names';
import { IssuerDirectory } from './issuer-directory';
import { trustAnchor } from './trust/trust-anchor';
import type { TrustAnchors } from './trust/trust-anchors';

const urls = walletUrls('https://service.example');
const publicJwk = parsePublicJwk({
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
});
const revoked = parsePublicJwk({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' });
const other = 'did:web:other.example';
const now = new Date('2026-11-20T12:00:00Z');

const noAnchors = { find: () => [] } as unknown as TrustAnchors;
const noCertificates = { documentSigners: () => [], isRevoked: () => false } as unknown as OwnCertificates;

function directory(asked: string[] = [], certificates = noCertificates, anchors = noAnchors) {
  const settings = {
    applicationUrl: 'https://service.example',
    outbound: { allowPrivateHosts: [] },
  } as unknown as Settings;
  const get = (url: string) => {
    asked.push(url);
    return Promise.reject(new Error('no network'));
  };
  const published = [{ kid: 'k', algorithm: 'ES256', publicJwk }];
  const keys = {
    publicKeys: () => published,
    publicKey: (kid: string) => {
      // As another replica's latest key is found: by looking again.
      if (kid === 'latest') published.push({ kid, algorithm: 'ES256', publicJwk });
      return Promise.resolve(published.find((key) => key.kid === kid));
    },
    isRevoked: (kid: string) => kid === thumbprint(revoked),
  } as unknown as KeyRing;
  return new IssuerDirectory(settings, { get } as unknown as OutboundClient, keys, urls, anchors, certificates);
}

describe('the directory of issuers', () => {
  it('finds its own keys without the network, and those of others through it', async () => {
    const asked: string[] = [];
    const issuerKeys = directory(asked);
    await expect(issuerKeys.find({ kid: 'k' }, urls.issuer, now)).resolves.toMatchObject({ jwk: publicJwk });
    await expect(issuerKeys.find({ kid: `${urls.did}#k` }, urls.did, now)).resolves.toMatchObject({ jwk: publicJwk });
    expect(asked).toEqual([]);
    await expect(issuerKeys.find({ kid: `${other}#k` }, other, now)).rejects.toThrow('could not be fetched');
    expect(asked).toEqual(['https://other.example/.well-known/did.json']);
  });

  it('finds a key of its own that another replica has just made', async () => {
    const issuerKeys = directory();
    await issuerKeys.find({ kid: 'k' }, urls.issuer, now);
    await expect(issuerKeys.find({ kid: 'latest' }, urls.issuer, now)).resolves.toMatchObject({ jwk: publicJwk });
    await expect(issuerKeys.find({ kid: 'never' }, urls.issuer, now)).rejects.toThrow('publishes no such key');
  });

  it('says who has certified its own key, in credentials that name the certificates', async () => {
    const publicKey = createPublicKey({ key: { ...publicJwk }, format: 'jwk' });
    const root = certify({ name: 'root', isAuthority: true });
    const middle = certify({ name: 'middle', issuer: root, isAuthority: true, subjectKeyId: Buffer.from('middle') });
    const leaf = (changes: Partial<CertificateOptions> = {}) =>
      certify({ name: 'leaf', issuer: middle, publicKey, authorityKeyId: Buffer.from('middle'), ...changes });
    const authorities = async (...chain: Authority[]): Promise<readonly string[]> =>
      (await directory().find({ kid: 'k', x5c: x5c(...chain) }, urls.issuer, now)).authorityKeyIds;
    const middleId = Buffer.from('middle').toString('base64url');
    expect([await authorities(leaf()), await authorities(leaf(), middle)]).toEqual([[middleId], [middleId]]);
    const ended = { notAfter: new Date('2026-06-01T00:00:00Z') };
    const others = [leaf(ended), leaf({ publicKey: root.key.publicKey }), leaf({ signer: root.key.privateKey })];
    for (const other of others) expect(await authorities(other, middle)).toEqual([]);
    const { authorityKeyIds } = await directory().find({ kid: 'k' }, urls.issuer, now);
    expect(authorityKeyIds).toEqual([]);

    const foreign = leaf({ publicKey: root.key.publicKey });
    const did = didJwk(parsePublicJwk(root.key.publicKey.export({ format: 'jwk' })));
    const ofOther = await directory().find({ kid: `${did}#0`, x5c: x5c(foreign, middle) }, did, now);
    expect(ofOther.authorityKeyIds).toEqual([]);
  });

  it('takes nothing from a key it has revoked, not even under its did:jwk', async () => {
    const issuerKeys = directory();
    const header = { kid: `${didJwk(revoked)}#0` };
    await expect(issuerKeys.find(header, didJwk(revoked), now)).rejects.toThrow('the key has been revoked');
  });

  it('takes documents of its own signers without an authority, and of nobody else under their root', async () => {
    const store = emptyTable().replica();
    const [ring, keys] = [await KeyRing.open(store, rootKeys), await CertificateKeys.open(store, rootKeys)];
    const installation = new CertificateInstallation(ring, keys, ownNames('https://service.example'));
    const own = new OwnCertificates(keys, ring);
    const issuerKeys = directory([], own);
    expect(issuerKeys.mayTrustDocuments('card')).toBe(false);

    const iaca = await iacaRoot(now);
    const key = await installation.keyFor('documents', 'ES256');
    const leaf = await documentSignerFor(spkiOf(key), iaca, now);
    await installation.install(leaf.toString('pem') + '\n' + iaca.certificate.toString('pem'), now);
    const found = issuerKeys.findDocumentSigner([Buffer.from(leaf.rawData)], 'card', now);
    expect(found).toMatchObject({ jwk: key.publicJwk, issuer: 'C=DE, CN=Practice IACA', country: 'DE' });
    expect(found.authorityKeyIds).toHaveLength(1);
    expect([found.anchor, issuerKeys.mayTrustDocuments('card')]).toEqual([undefined, true]);

    const sibling = await documentSignerFor(spkiOf(await installation.keyFor('documents', 'ES256')), iaca, now);
    const find = (der: ArrayBuffer, at = now, directory = issuerKeys) =>
      directory.findDocumentSigner([Buffer.from(der)], 'card', at);
    expect(() => find(sibling.rawData)).toThrow('leads to no trust anchor');
    expect(() => find(leaf.rawData, new Date('2030-01-01T00:00:00Z'))).toThrow('leads to no trust anchor');

    const root = trustAnchor(new X509Certificate(Buffer.from(iaca.certificate.rawData)), {
      name: 'root',
      purposes: ['document'],
      types: [],
    });
    const withRoot = directory([], own, { find: () => [root] } as unknown as TrustAnchors);
    expect(find(leaf.rawData, now, withRoot)).toMatchObject({ anchor: { name: 'root' } });
    await keys.revoke(key.kid);
    expect(() => find(leaf.rawData)).toThrow('leads to no trust anchor');
    expect(() => find(leaf.rawData, now, withRoot)).toThrow('the key has been revoked');
  });
});
