/** What certificates of this service are for: credentials with their status lists, OpenID4VP requests, and ISO 18013-5 documents. */
export const certificateUses = ['credentials', 'requests', 'documents'] as const;
export type CertificateUse = (typeof certificateUses)[number];

/** The chains of the development profile for signing keys, PEM by thumbprint. */
export type DevelopmentChains = ReadonlyMap<string, string>;
