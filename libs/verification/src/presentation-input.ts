import type { DcqlQuery, ResponseMode, ResponseType } from '@app/openid4vc';

/** What a relying party asks wallets for. */
export interface PresentationInput {
  /** The relying party's name for the request; chosen here when absent. */
  readonly requestId?: string | undefined;
  /** Absent: an ID Token only (SIOPv2). */
  readonly query?: DcqlQuery | undefined;
  /** For every variant; another one for each when absent. */
  readonly nonce?: string | undefined;
  readonly responseType: ResponseType;
  readonly responseMode: ResponseMode;
  readonly clientIdPrefix: 'decentralized_identifier' | 'redirect_uri';
  /** ISO 8601 duration. */
  readonly expiresIn: string;
  /** Where a wallet on the same device sends the person afterwards. */
  readonly redirectUri?: string | undefined;
}
