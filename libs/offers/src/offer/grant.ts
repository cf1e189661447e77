/** The OAuth grants by which a wallet comes to a token. */
export type GrantKind = 'pre-authorized_code' | 'authorization_code';

/** What access tokens, nonces and notification ids name a grant by. */
export interface GrantName {
  readonly kind: GrantKind;
  /** SHA-256 of a secret of the resource that made the grant, so that the name finds it and reveals nothing. */
  readonly hash: Buffer;
}

/** One credential of a grant; without `credentialId` no data was submitted for it, and no wallet waits for it. */
export interface GrantedCredential {
  readonly configurationId: string;
  readonly credentialId?: string;
}

/** What a wallet was granted when it got its token. Stored in the stream of the resource that made the grant. */
export interface Granted {
  readonly configurationIds: readonly string[];
  /** Whether the token response named credential identifiers. */
  readonly identifiersGiven: boolean;
}

/** What the bearer of an access token may be issued, and from which data. To whom it is issued, key proofs say. */
export type Grant = GrantTerms & (OfferedData | AuthorizedData);

interface GrantTerms extends Granted {
  /** A credential keeps its place: notification ids name it. */
  readonly credentials: readonly GrantedCredential[];
  /** The database's clock. */
  readonly now: Date;
}

interface OfferedData {
  readonly offerId: string;
  /**
   * Submitted for this grant, or perhaps later (deferred), or the constant claims of a template, for which a credential is
   * prepared on demand.
   */
  readonly data: 'submitted' | 'deferred' | 'constant';
}

/** A wallet has asked by itself: each configuration says where its data comes from. */
export interface AuthorizedData {
  readonly authorizationId: string;
  /** An offer that promised the credentials without any data. */
  readonly acceptedOfferId?: string;
  readonly data: 'authorization';
}

/** Whose credentials a grant gives. */
export function originOf(grant: Grant): { readonly offerId: string } | { readonly authorizationId: string } {
  return grant.data === 'authorization' ? { authorizationId: grant.authorizationId } : { offerId: grant.offerId };
}

/** The credentials of an authorization that has no offer. Their ids are derived, so that nothing has to be stored before they are. */
export function credentialsOfAuthorization(
  authorizationId: string,
  configurationIds: readonly string[],
): readonly GrantedCredential[] {
  return configurationIds.map((configurationId, index) => ({
    configurationId,
    credentialId: `${authorizationId}.${index + 1}`,
  }));
}
