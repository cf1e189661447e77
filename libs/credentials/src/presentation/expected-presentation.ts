import type { DcqlCredentialQuery } from '@app/openid4vc';
import type { PublicJwk } from '@app/primitives/jose';

/** An entry of `transaction_data` (OpenID4VP 1.0 §5.1). */
export interface ExpectedTransactionData {
  /** As it was sent. */
  readonly encoded: string;
  /** Whether the request lists algorithms for the hash, so that the presentation has to name the one it used. */
  readonly listsAlgorithms: boolean;
}

/** Whom and what a presentation is made for, as wallets sign it. */
export interface PresentedTo {
  /** Of the request, complete with its prefix; over the Digital Credentials API `origin:` and that of the page. */
  readonly clientId: string;
  /** Of the page that got the answer, over the Digital Credentials API. */
  readonly origin?: string;
  /** Where the answer was posted; absent over the Digital Credentials API. */
  readonly responseUri?: string;
  /** The key of the request to which the answer was encrypted; null when it was not. */
  readonly encryptionKey: PublicJwk | null;
}

/** What one presentation has to answer. */
export type ExpectedPresentation = {
  readonly nonce: string;
  readonly presentedTo: PresentedTo;
  /** Also decides whether the presentation must be bound to the holder (the default). */
  readonly query: DcqlCredentialQuery;
  /** Which credential of a presentation of several answers the query, when the wallet said so; else the first that does. */
  readonly credentialIndex?: number;
  /** What this credential may confirm, in the order of the request. */
  readonly transactionData?: readonly ExpectedTransactionData[];
  readonly now: Date;
};
