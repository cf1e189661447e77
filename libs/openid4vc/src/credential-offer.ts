import { PRE_AUTHORIZED_CODE_GRANT } from './token-request';

export interface TransactionCodeHint {
  readonly inputMode: 'numeric' | 'text';
  readonly length?: number;
  /** At most 300 characters (OpenID4VCI 1.0 §4.1.1). */
  readonly description?: string;
}

export interface CredentialOffer {
  /** The Credential Issuer Identifier, `WalletUrls.issuer`. */
  readonly issuer: string;
  /** Each credential once, under one id: several wallets request every id they are offered. */
  readonly configurationIds: readonly string[];
  readonly preAuthorizedCode: string;
  /** Present when a transaction code is required. */
  readonly transactionCode?: TransactionCodeHint;
}

const SCHEME = 'openid-credential-offer://';

/** The offer object; drafts 13 to 15 and 1.0 (§4.1.1) read it alike. Serve it with `Cache-Control: no-store`. */
export function renderCredentialOffer(offer: CredentialOffer): Record<string, unknown> {
  const { transactionCode } = offer;
  return {
    credential_issuer: offer.issuer,
    credential_configuration_ids: [...new Set(offer.configurationIds)],
    grants: {
      [PRE_AUTHORIZED_CODE_GRANT]: {
        'pre-authorized_code': offer.preAuthorizedCode,
        ...(transactionCode === undefined ? {} : { tx_code: renderTransactionCode(transactionCode) }),
      },
    },
  };
}

/** The link for a QR code, naming the offer by reference. */
export function credentialOfferLink(credentialOfferUri: string): string {
  return `${SCHEME}?credential_offer_uri=${encodeURIComponent(credentialOfferUri)}`;
}

/** The link with the whole offer in it. */
export function credentialOfferLinkByValue(offer: CredentialOffer): string {
  return `${SCHEME}?credential_offer=${encodeURIComponent(JSON.stringify(renderCredentialOffer(offer)))}`;
}

function renderTransactionCode({ inputMode, length, description }: TransactionCodeHint): object {
  return {
    input_mode: inputMode,
    ...(length === undefined ? {} : { length }),
    ...(description === undefined ? {} : { description }),
  };
}
