import type { JwsAlgorithm, PublicJwk } from '@app/primitives/jose';
import type { JsonObject } from '@app/primitives/json';
import type { CredentialFormatId } from '@app/openid4vc';
import type { DidDocument, VerificationRelationship } from '../issuers/did-document';
import type { IssuerKeys } from '../issuers/issuer-keys';
import type { CheckedResult } from '../presentation-check';
import type { AcceptedStatus, StatusChecker } from '../status/status-check';
import type { TypeInheritance } from './type-inheritance';

/** Whether credentials of these types (vct, or the types of `vc`) are accepted from an issuer (DID or URL). */
export type IsTrusted = (issuer: string, types: readonly string[]) => Trust;
export type Trust = 'trusted' | 'accepted-in-development' | 'untrusted';

/** What is the same for every presentation. */
export type PresentationPolicy = {
  readonly issuerKeys: Pick<IssuerKeys, 'find' | 'isCertified' | 'mayTrustDocuments' | 'findDocumentSigner'>;
  readonly statuses: StatusChecker;
  readonly inheritance: TypeInheritance;
  readonly dids: {
    resolve(did: string): Promise<DidDocument>;
    resolveKey(didUrl: string, relationship: VerificationRelationship): Promise<PublicJwk>;
  };
  readonly isTrusted: IsTrusted;
  readonly algorithms: readonly JwsAlgorithm[];
};

/** As what type a credential is accepted: its own, one that its issuer also names, or one that its type extends. */
export interface AcceptedType {
  readonly type: string;
  readonly by: 'own' | 'aka_vcts' | 'extends';
}

/** The key that presented the credential; `did` when the credential or the presentation names it so. */
export type PresentedHolder = { readonly thumbprint: string; readonly did?: string };

/** A trust anchor as a result shows it. */
export type PresentedAnchor = {
  readonly name: string;
  /** On one line, such as `CN=PID root, O=Example`. */
  readonly subject: string;
  /** SHA-256 of the DER, lower-case hex. */
  readonly fingerprint: string;
};

export type VerifiedCredential = {
  readonly format: CredentialFormatId;
  /** DID or URL; of a document the subject of the anchor that vouches for its signer. */
  readonly issuer: string;
  readonly types: readonly string[];
  /** The type of the query that it answers, and who says that it is one; absent when that is its own. */
  readonly acceptedAs?: AcceptedType;
  /** What a query is matched against: the processed SD-JWT payload, the `vc` object, or the data elements of a document by name space. */
  readonly claims: JsonObject;
  /** Absent when the presentation is not bound to a holder. */
  readonly holder?: PresentedHolder;
  /** The transaction data that the holder confirmed with it, as it was sent. */
  readonly confirmed?: readonly string[];
  readonly issuedAt?: Date;
  readonly expiresAt?: Date;
  readonly status: AcceptedStatus;
  readonly trust: Exclude<Trust, 'untrusted'>;
  /** Whose certificate vouches for the issuer; absent when the issuer is trusted by its name. */
  readonly trustAnchor?: PresentedAnchor;
};

export type PresentationResult = CheckedResult<{ readonly credential: VerifiedCredential }>;
