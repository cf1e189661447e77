import { subjectOf } from '@app/credentials';
import type { X509Certificate } from 'node:crypto';

/**
 * What an anchor may vouch for: issuers of credentials, signers of status lists, providers of wallets, attesters of
 * keys, issuers of ISO 18013-5 documents, and in the EU access certificates (ETSI TS 119 411-8) and the registrars
 * that sign registration certificates (TS 119 475).
 */
export const trustPurposes = [
  'issuer',
  'status',
  'wallet-provider',
  'key-attester',
  'document',
  'access',
  'registrar',
] as const;
export type TrustPurpose = (typeof trustPurposes)[number];

/** What is said of one or more anchors. */
export interface Vouching {
  readonly name: string;
  readonly purposes: readonly TrustPurpose[];
  /** vct, doctype or W3C types; empty = all. */
  readonly types: readonly string[];
  /** Of an authority for documents: it also signs them itself, with no document signer below it. */
  readonly signsDocuments?: boolean;
  /** When it vouches for nothing any more, though its certificate may last longer. */
  readonly until?: Date;
  /** URI of the list of trusted entities that names the anchor. */
  readonly list?: string;
  /** The entity of that list, by its place. */
  readonly entity?: string;
}

/** A certificate authority that this service trusts, and for what. */
export interface TrustAnchor extends Vouching {
  readonly certificate: X509Certificate;
  /** On one line, see `subjectOf`. */
  readonly subject: string;
  /** SHA-256 of the DER, lower-case hex. */
  readonly fingerprint: string;
}

export function trustAnchor(certificate: X509Certificate, vouching: Vouching): TrustAnchor {
  return {
    ...vouching,
    certificate,
    subject: subjectOf(certificate),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}

/** When an anchor ends: with its certificate, or before. */
export function endOf({ certificate, until }: TrustAnchor): Date {
  const end = new Date(certificate.validTo);
  return until && until < end ? until : end;
}

/** A certificate that is not a certificate authority can vouch for no other. */
export function isAuthority(certificate: X509Certificate): boolean {
  return certificate.ca;
}
