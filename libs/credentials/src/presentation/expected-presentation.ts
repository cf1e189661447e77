import type { DcqlCredentialQuery } from '@app/openid4vc';

/** An entry of `transaction_data` (OpenID4VP 1.0 §5.1). */
export interface ExpectedTransactionData {
  /** As it was sent. */
  readonly encoded: string;
  /** Whether the request lists algorithms for the hash, so that the presentation has to name the one it used. */
  readonly listsAlgorithms: boolean;
}

/** What one presentation has to answer. */
export type ExpectedPresentation = {
  readonly nonce: string;
  /** The client id of the request, complete with its prefix; over the Digital Credentials API `origin:` and that of the page. */
  readonly audience: string;
  /** Also decides whether the presentation must be bound to the holder (the default). */
  readonly query: DcqlCredentialQuery;
  /** Which credential of a presentation of several answers the query, when the wallet said so; else the first that does. */
  readonly credentialIndex?: number;
  /** What this credential may confirm, in the order of the request. */
  readonly transactionData?: readonly ExpectedTransactionData[];
  readonly now: Date;
};
