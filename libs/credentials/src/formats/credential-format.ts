import type { SignJws } from '@app/primitives/jose';
import type { JsonObject } from '@app/primitives/json';
import type { CredentialConfiguration, CredentialSigningAlgorithm, FormatName } from '@app/openid4vc';
import type { IssuedCredential } from '../presentation/issued-credential';
import type { Holder } from '../key-proof/key-proof';
import type { CertifiedPlace } from '../x509/x509-certificate';
import type { OwnStatusReference } from '../status/status-list';
import type { ExpectedPresentation } from '../presentation/expected-presentation';
import type { PresentationPolicy, PresentationResult } from '../presentation/verified-credential';
import type { DescribedFormat } from './description';

/** The claims of the person, and the `id` the portal chose for the credential. */
export interface UnsignedContent {
  readonly id?: string;
  readonly claims: JsonObject;
  /** Members next to `credentialSubject` that the data model knows, such as the `name` of an Open Badge. */
  readonly members?: JsonObject;
}

/** A configuration with what building a credential needs besides. */
export type Buildable<C extends CredentialConfiguration> = C & {
  readonly dataModel: string;
  /** JSON Schema of the claims. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Whether a subject without an `id` is the holder and gets the holder's DID. */
  readonly subject: 'holder' | 'thing';
};

/** Signs documents that are believed by the certificate of their signer alone. */
export interface SecurityObjectSigner extends CertifiedPlace {
  /** Raw bytes, to a signature of fixed length (ES256: r and s side by side). */
  sign(data: Buffer): Promise<Buffer>;
  readonly algorithm: CredentialSigningAlgorithm;
  /** DER, the signer's first, without the root. */
  readonly chain: readonly Buffer[];
  /** Of the signer's certificate. */
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** One issue of a credential. */
export interface IssueTerms {
  /** DID or https URL; the value of `iss`. */
  readonly issuer: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date | undefined;
  /** Absent for a credential that is not bound to a key. */
  readonly holder: Holder | undefined;
  /** The name by which the wallet knows the format. */
  readonly formatName: FormatName;
  /** Of a credential whose status can change. */
  readonly status?: OwnStatusReference;
  readonly sign: SignJws;
  /** Of formats that are signed as a document. */
  readonly documentSigner?: SecurityObjectSigner;
}

/** How a credential of the format is built. */
export interface BuiltFormat<C extends CredentialConfiguration> {
  /** A JWS in the name of the issuer, or a document that names none and is believed by the certificate of its signer. */
  readonly signedAs: 'jws' | 'document';
  /**
   * Refuses what cannot be built, before a wallet asks for it. Throws `ClaimsError`.
   * @param signer who signs documents now, as far as it is known
   */
  assertIssuable(content: UnsignedContent, configuration: Buildable<C>, signer?: SecurityObjectSigner): void;
  /** Builds and signs. Rejects with `ClaimsError`, and with what the signer rejects. */
  build(content: UnsignedContent, configuration: Buildable<C>, issue: IssueTerms): Promise<string>;
}

/** How a credential of the format is recognised, read and verified. */
export interface VerifiedFormat {
  /** Whether the text, a credential or a presentation, has a mark that no other format has. */
  isMarked(text: string): boolean;
  /** Reads a credential as its issuer issues it. Throws what `refusalReason` knows. */
  readIssued(text: string): IssuedCredential;
  verify(text: string, expected: ExpectedPresentation, policy: PresentationPolicy): Promise<PresentationResult>;
}

/** Everything about the credentials of one format. The methods are looked up by the `format` of what they are given. */
export type CredentialFormat<
  C extends CredentialConfiguration,
  G,
  D extends { readonly format: C['format'] },
> = DescribedFormat<C, G, D> & BuiltFormat<C> & VerifiedFormat;
