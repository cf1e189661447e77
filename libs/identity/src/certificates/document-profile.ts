import { attributeOf, placeOf } from '@app/credentials';
import { demandOfCertificate } from '../certificate-fault';
import type { CheckedChain } from './chain-check';

/** What document signers of ISO 18013-5 are marked with (annex B). */
export const DOCUMENT_SIGNER = '1.0.18013.5.1.2';
const longestDays = 457;
const DAY = 24 * 60 * 60 * 1000;

/**
 * Checks a chain that is in order otherwise against the profile of ISO 18013-5 annex B. Throws `CertificateFault` for what
 * makes readers refuse documents.
 * @returns in words, what some readers may object to
 */
export async function checkDocumentProfile({ certificates, root }: CheckedChain): Promise<readonly string[]> {
  const [leaf, between] = certificates;
  demandOfCertificate(
    leaf !== undefined && root !== undefined,
    'no root behind the certificate of the document signer',
    'put the IACA root at the end of the file: what is signed is compared with it, and it is left out afterwards',
  );
  demandOfCertificate(
    between === undefined,
    'a certificate between the document signer and the root, whose path length has to be 0',
    'have the document signer issued by the IACA root itself',
  );
  const names = placeOf(leaf.subject);
  const above = placeOf(root.subject);
  demandOfCertificate(
    names.country !== undefined && /^[A-Z]{2}$/.test(names.country),
    'a subject without a country (C) of two capital letters',
    'request it again with --subject "CN=..., C=..."',
  );
  demandOfCertificate(
    names.country === above.country,
    `the country ${names.country} under a root of ${above.country ?? 'none'}`,
    'have it issued with the country (C) of the root',
  );
  demandOfCertificate(
    above.stateOrProvince === undefined || names.stateOrProvince === above.stateOrProvince,
    `a subject without the state or province (ST) ${above.stateOrProvince ?? ''} of its root`,
    'have it issued with the ST of the root',
  );
  const x509 = await import('@peculiar/x509');
  const read = new x509.X509Certificate(leaf.raw);
  const usage = read.getExtension(x509.ExtendedKeyUsageExtension);
  demandOfCertificate(
    usage?.usages.some((each) => String(each) === DOCUMENT_SIGNER) === true,
    `no extended key usage ${DOCUMENT_SIGNER}`,
    'have it issued as the certificate of an ISO 18013-5 document signer',
  );
  const keyUsage = read.getExtension(x509.KeyUsagesExtension);
  demandOfCertificate(
    keyUsage !== null,
    'no key usage',
    'have it issued with the critical key usage digitalSignature, and no other',
  );
  // That it is the one of the root was compared with the rest of the chain.
  demandOfCertificate(
    read.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId !== undefined,
    'no authority key identifier',
    'have it issued with the key identifier of the root',
  );
  const days = Math.round((Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)) / DAY);
  const { IssuerAlternativeNameExtension: AlternativeName, CRLDistributionPointsExtension: RevocationList } = x509;
  const flaws: readonly (readonly [boolean, string])[] = [
    [days > longestDays, `it is valid for ${days} days, and not for ${longestDays} at most`],
    [attributeOf(leaf.subject, 'CN') === undefined, 'its subject has no name (CN)'],
    [!usage.critical, 'its extended key usage is not critical'],
    [usage.usages.length > 1, `it has other extended key usages beside ${DOCUMENT_SIGNER}`],
    [!keyUsage.critical, 'its key usage is not critical'],
    [keyUsage.usages !== x509.KeyUsageFlags.digitalSignature, 'it has other key usages beside digitalSignature'],
    [read.getExtension(AlternativeName) === null, 'it has no issuer alternative name (email or URI)'],
    [read.getExtension(RevocationList) === null, 'it names no revocation list (cRLDistributionPoints)'],
  ];
  return flaws.flatMap(([isThere, words]) => (isThere ? [words] : []));
}
