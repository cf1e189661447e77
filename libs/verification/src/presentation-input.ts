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
  /** Of the pages that may ask over the Digital Credentials API; absent when the response mode is another one. */
  readonly expectedOrigins?: readonly string[] | undefined;
  /** ISO 8601 duration. */
  readonly expiresIn: string;
  /** ISO 8601 duration after the end of the request; absent = kept. */
  readonly retention?: string | undefined;
  /** Where a wallet on the same device sends the person afterwards. */
  readonly redirectUri?: string | undefined;
  /** Why, in words for the person who is asked. */
  readonly purpose?: string | undefined;
}

/** What works as it was asked but may surprise: a nonce outside the final specification, authorities that no credential can meet. */
export function warningsOf({ nonce, query }: PresentationInput): string[] {
  const warnings: string[] = [];
  if (nonce !== undefined && !/^[A-Za-z0-9\-._~]+$/.test(nonce)) {
    warnings.push('nonce: OpenID4VP 1.0 wallets may refuse a nonce with characters other than A-Z a-z 0-9 - . _ ~');
  }
  if (query?.credentials.some(({ trusted_authorities: authorities }) => authorities !== undefined)) {
    warnings.push('trusted_authorities: no trust anchors are configured here, so no credential can meet them');
  }
  return warnings;
}
