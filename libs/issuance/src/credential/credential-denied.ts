import type { Denial, DenialReason } from '@app/offers';
import { OAuthError, Quoting } from '@app/openid4vc';
import type { IssuableConfiguration } from '@app/templates';

/** What a wallet may be told: RFC 6749 §5.2 says what an error_description may consist of. */
export const denialText = /^[\x20\x21\x23-\x5B\x5D-\x7E]{1,300}$/;

/**
 * The refusal of a credential that the wallet was promised. The portal has to learn of it, as hardly any other request
 * would succeed: it is caught where `denials` are recorded with the grant; the wallet gets the first.
 */
export class CredentialDenied extends OAuthError {
  /** @param text instead of the usual words for the first reason */
  constructor(
    readonly denials: readonly [Denial, ...Denial[]],
    text = descriptions[denials[0].reason],
  ) {
    const { reason } = denials[0];
    // What a portal has written for a person is no word of ours.
    super('credential_request_denied', new Quoting(text, descriptions[reason]), { reason });
  }

  /** @param text as above */
  static of({ id }: Pick<IssuableConfiguration, 'id'>, reason: DenialReason, text?: string): CredentialDenied {
    return new CredentialDenied([{ configurationId: id, reason }], text);
  }
}

const noLongerIssued = 'This credential is no longer issued.';
const noData = 'The issuer has not submitted the data of this credential.';

const descriptions: Readonly<Record<DenialReason, string>> = {
  'template-archived': noLongerIssued,
  'template-deleted': noLongerIssued,
  'configuration-removed': noLongerIssued,
  'newer-version': noLongerIssued,
  'schema-unusable': noLongerIssued,
  'claims-open': noData,
  'credential-missing': noData,
  'credential-expired': 'The credential has expired before it was fetched.',
  'credential-erased': 'The data of this credential has been erased.',
  'credential-other-holder': 'This credential is for the holder of another DID or key than the key proof names.',
  'credential-other-keys':
    'The credential was issued to other keys: repeat the request with proofs of those same keys.',
  'credential-finished': 'The credential has been fetched already.',
  'credential-not-valid': 'The credential is suspended or revoked: there are no further copies of it.',
  'credential-too-many-copies':
    'The issuer allows no more copies of this credential: ask for fewer, or use those that were issued.',
  'credential-overdue': 'The issuer has not submitted the data of this credential in time.',
  'credential-denied': 'The issuer does not issue this credential.',
};
