/**
 * What certificates of this service are for: credentials with their status lists, OpenID4VP requests, ISO 18013-5 documents, and
 * the metadata of the issuer, which have that for credentials unless they have one of their own.
 */
export const certificateUses = ['credentials', 'requests', 'documents', 'metadata'] as const;
export type CertificateUse = (typeof certificateUses)[number];

/** Uses under whose certificate wallets know who asks or offers: in the EU they are access certificates (ETSI TS 119 411-8). */
export type AccessUse = Extract<CertificateUse, 'requests' | 'metadata'>;

/** The chains of the development profile for signing keys, PEM by thumbprint. */
export type DevelopmentChains = ReadonlyMap<string, string>;
