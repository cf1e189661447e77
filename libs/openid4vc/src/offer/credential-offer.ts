import {
  PRE_AUTHORIZED_CODE_GRANT,
  type PreAuthorizedCodeOffer,
  renderPreAuthorizedCode,
} from '../token/grants/pre-authorized-code';

export interface CredentialOffer {
  /** The Credential Issuer Identifier, `WalletUrls.issuer`. */
  readonly issuer: string;
  /** Each credential once, under one id: several wallets request every id they are offered. */
  readonly configurationIds: readonly string[];
  /** At least one. */
  readonly grants: OfferedGrants;
}

export interface OfferedGrants {
  readonly authorizationCode?: {
    /** Binds the authorization request to the offer (OpenID4VCI 1.0 §4.1.1). */
    readonly issuerState: string;
  };
  readonly preAuthorizedCode?: PreAuthorizedCodeOffer;
}

const SCHEME = 'openid-credential-offer://';

/** The offer object; drafts 13 to 15 and 1.0 (§4.1.1) read it alike. Serve it with `Cache-Control: no-store`. */
export function renderCredentialOffer(offer: CredentialOffer): Record<string, unknown> {
  return {
    credential_issuer: offer.issuer,
    credential_configuration_ids: [...new Set(offer.configurationIds)],
    grants: renderGrants(offer.grants),
  };
}

function renderGrants({ authorizationCode, preAuthorizedCode }: OfferedGrants): Record<string, unknown> {
  return {
    ...(authorizationCode && { authorization_code: { issuer_state: authorizationCode.issuerState } }),
    ...(preAuthorizedCode && { [PRE_AUTHORIZED_CODE_GRANT]: renderPreAuthorizedCode(preAuthorizedCode) }),
  };
}

/**
 * The link for a QR code, naming the offer by reference.
 * @param scheme `haip-vci://` for wallets that read only their own (HAIP 1.0 §4.2)
 */
export function credentialOfferLink(
  credentialOfferUri: string,
  scheme: typeof SCHEME | 'haip-vci://' = SCHEME,
): string {
  return `${scheme}?credential_offer_uri=${encodeURIComponent(credentialOfferUri)}`;
}

/** The link with the whole offer in it. */
export function credentialOfferLinkByValue(offer: CredentialOffer): string {
  return `${SCHEME}?credential_offer=${encodeURIComponent(JSON.stringify(renderCredentialOffer(offer)))}`;
}
