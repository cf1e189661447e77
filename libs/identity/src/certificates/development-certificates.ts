import {
  type CertifiableKey,
  type CertificateKey,
  type CertificateKeys,
  type CertificateKind,
  type KeyRing,
  signingAlgorithms,
} from '@app/keys';
import { certificationOf } from './certified-signer';
import type { CertificateUse, DevelopmentChains } from './certificate-use';
import { ownNames, spkiOf } from './own-names';
import { chainIn } from '../pem';

const DAY = 24 * 60 * 60 * 1000;
const rootDays = 3650;
const leafDays = 398;
/** A certificate that ends sooner is replaced at the start. */
const renewedDays = 30;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
const rootName = 'CN=Sealwright development root';
/** Of no country: the one that ISO 18013-5 has in its examples. */
const country = 'C=UT';
const iacaName = `CN=Sealwright development IACA, ${country}`;
/** What document signers of ISO 18013-5 are marked with (annex B). */
export const DOCUMENT_SIGNER = '1.0.18013.5.1.2';

type Keys = Pick<CertificateKeys, 'all' | 'addCertified'>;

type Certified = Pick<CertifiableKey, 'publicJwk'>;

/** What a leaf is for, and the names it has. */
interface Leaf {
  readonly use: CertificateUse;
  readonly names: readonly { readonly type: 'dns' | 'url'; readonly value: string }[];
}

/**
 * Makes what the development profile has in place of certificates of an authority: a root, and under it certificates for
 * requests and for the keys of credentials; a root for documents, and a document signer. What exists and lasts is left as it is.
 * @returns the chains of the keys of credentials; they are not stored, for nobody asks for them again
 */
export async function makeDevelopmentCertificates(
  keys: Keys,
  ring: Pick<KeyRing, 'findActive' | 'chainOf'>,
  applicationUrl: string,
  now: Date,
): Promise<DevelopmentChains> {
  const { host, issuer } = ownNames(applicationUrl);
  const later = new Date(now.getTime() + renewedDays * DAY);
  if (!developmentRoot(keys.all(), later)) {
    await keys.addCertified('development-root', (key) => selfSigned(rootName, key, now));
  }
  const root = developmentRoot(keys.all(), later);
  // Without it, this process could not read back what was stored a moment ago.
  if (!root) throw new Error('The development root is missing.');
  const dns = { type: 'dns', value: host } as const;
  // The last one signs, so one for this host before it does not help.
  const present = keys.all().findLast(({ kind }) => kind === 'development-requests');
  const certified = certificationOf(present?.chain ?? '');
  if (certified === undefined || certified.notAfter <= later || !certified.dnsNames.includes(host)) {
    const leaf: Leaf = { use: 'requests', names: [dns] };
    await keys.addCertified('development-requests', (key) => signedBy(root, key, leaf, now));
  }
  await makeDocumentSigner(keys, issuer, now);
  const leaf: Leaf = { use: 'credentials', names: [dns, { type: 'url', value: issuer }] };
  const chains = new Map<string, string>();
  for (const algorithm of signingAlgorithms) {
    const key = ring.findActive(algorithm, 'credentials');
    if (!key || ring.chainOf(key.kid) !== undefined) continue;
    chains.set(key.kid, await signedBy(root, key, leaf, now));
  }
  return chains;
}

async function makeDocumentSigner(keys: Keys, issuer: string, now: Date): Promise<void> {
  const later = new Date(now.getTime() + renewedDays * DAY);
  const alternative = { type: 'url', value: issuer } as const;
  if (!developmentIaca(keys.all(), later)) {
    await keys.addCertified('development-iaca', (key) => selfSigned(iacaName, key, now, [alternative]));
  }
  const root = developmentIaca(keys.all(), later);
  if (!root) throw new Error('The development root for documents is missing.');
  const present = keys.all().findLast(({ kind }) => kind === 'development-documents');
  const certified = certificationOf(present?.chain ?? '');
  if (certified && later < certified.notAfter) return;
  const leaf: Leaf = { use: 'documents', names: [alternative] };
  await keys.addCertified('development-documents', (key) => signedBy(root, key, leaf, now));
}

/** The root that signs and is published: the oldest that has not expired. */
export function developmentRoot(keys: readonly CertificateKey[], now: Date): CertificateKey | undefined {
  return lasting(keys, 'development-root', now);
}

/** The same for documents: of the country that nobody lives in. */
export function developmentIaca(keys: readonly CertificateKey[], now: Date): CertificateKey | undefined {
  return lasting(keys, 'development-iaca', now);
}

function lasting(keys: readonly CertificateKey[], wanted: CertificateKind, now: Date): CertificateKey | undefined {
  return keys.find(({ kind, chain = '' }) => {
    const [certificate] = kind === wanted ? chainIn(chain) : [];
    return certificate !== undefined && now < new Date(certificate.validTo);
  });
}

async function selfSigned(
  name: string,
  key: CertifiableKey,
  now: Date,
  alternatives: Leaf['names'] = [],
): Promise<string> {
  const x509 = await library();
  const keys = await key.cryptoKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    ...validity(now, rootDays),
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(alternatives.length === 0 ? [] : [new x509.IssuerAlternativeNameExtension([...alternatives])]),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

async function signedBy(root: CertifiableKey, key: Certified, { use, names }: Leaf, now: Date): Promise<string> {
  const x509 = await library();
  const publicKey = new x509.PublicKey(spkiOf(key));
  const rootKeys = await root.cryptoKeys();
  const isDocument = use === 'documents';
  const profile = isDocument
    ? [new x509.ExtendedKeyUsageExtension([DOCUMENT_SIGNER], true), new x509.IssuerAlternativeNameExtension([...names])]
    : [
        new x509.BasicConstraintsExtension(false, undefined, true),
        // Wallets compare it with the host of addresses as text, so that it works for an IP address, too.
        new x509.SubjectAlternativeNameExtension([...names]),
      ];
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=Sealwright development ${use}${isDocument ? `, ${country}` : ''}`,
    issuer: isDocument ? iacaName : rootName,
    publicKey,
    signingKey: rootKeys.privateKey,
    ...validity(now, leafDays),
    signingAlgorithm,
    extensions: [
      ...profile,
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** From a day ago on: the clocks of phones differ. */
function validity(now: Date, days: number): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(now.getTime() - DAY), notAfter: new Date(now.getTime() + days * DAY) };
}

/** Loaded when it is needed: most processes never make a certificate. */
async function library(): Promise<typeof import('@peculiar/x509')> {
  return import('@peculiar/x509');
}
