import { buildJwtVcJson, buildSdJwtVc, type Holder } from '@app/credentials';
import { type SignJws } from '@app/jose';
import { type JsonObject } from '@app/json';
import type { IssuableConfiguration } from '@app/templates';
import { randomUUID } from 'node:crypto';

const openBadgesContext = 'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json';

/** The claims of the person, and the `id` the portal chose for the credential. */
export interface UnsignedContent {
  readonly id?: string;
  readonly claims: JsonObject;
  /** Members beside `credentialSubject` that the data model knows, such as the `name` of an Open Badge. */
  readonly members?: JsonObject;
}

/** A credential that somebody else has signed; it is handed out as it is. */
export interface SignedContent {
  readonly signed: string;
}

/** What is sealed of a credential. */
export type CredentialContent = UnsignedContent | SignedContent;

/** The DID of the holder in what a portal handed in, when the subject is the holder and is named by DID. */
export function holderDidIn(content: CredentialContent, { subject }: IssuableConfiguration): string | undefined {
  if ('signed' in content || subject === 'thing') return undefined;
  const { id } = content.claims;
  return typeof id === 'string' && id.startsWith('did:') ? id : undefined;
}

export interface Issue {
  /** DID or https URL; the value of `iss`. */
  readonly issuer: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date | undefined;
  readonly holder: Holder | undefined;
  /** The label of an SD-JWT VC: older wallets know it as `vc+sd-jwt`. */
  readonly typ: 'dc+sd-jwt' | 'vc+sd-jwt';
  readonly sign: SignJws;
}

/** One signed credential in the format of its configuration. Throws `ClaimsError`. */
export function buildCredential(
  { id, claims, members }: UnsignedContent,
  configuration: IssuableConfiguration,
  issue: Issue,
): string {
  const { issuer, issuedAt, expiresAt, holder, sign } = issue;
  const common = { issuer, issuedAt, sign, ...(expiresAt && { expiresAt }), ...(holder && { holder }) };
  switch (configuration.format) {
    case 'jwt_vc_json':
      return buildJwtVcJson({
        ...common,
        types: configuration.types ?? [],
        ...(configuration.dataModel === 'open-badges-3.0' && { contexts: [openBadgesContext] }),
        subjectClaims: claims,
        subject: configuration.subject,
        ...(members && { members }),
        credentialId: id ?? `urn:uuid:${randomUUID()}`,
      });
    case 'dc+sd-jwt':
      return buildSdJwtVc({
        ...common,
        vct: configuration.vct ?? '',
        claims,
        selectivelyDisclosable: configuration.selectivelyDisclosable ?? 'top-level',
        typ: issue.typ,
        ...(id !== undefined && { extraPayload: { jti: id } }),
      });
  }
}

const day = 24 * 60 * 60 * 1000;

/**
 * Times of issue and expiry. The copies of a batch are for use at different verifiers and must not be linkable by
 * their times (OpenID4VCI 1.0 §15.5): they are cut to the UTC day, where the credential lives longer than that.
 */
export function lifeOf(
  expiresAt: string | null,
  now: Date,
  isBatch: boolean,
): { readonly issuedAt: Date; readonly expiresAt: Date | undefined } {
  const expiry = expiresAt === null ? undefined : new Date(expiresAt);
  if (!isBatch) return { issuedAt: now, expiresAt: expiry };
  const cutExpiry = expiry && startOfDay(expiry);
  return { issuedAt: startOfDay(now), expiresAt: cutExpiry && cutExpiry > now ? cutExpiry : expiry };
}

function startOfDay(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / day) * day);
}
