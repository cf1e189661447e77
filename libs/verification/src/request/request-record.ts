import type { PresentationCheck, RefusedStatus } from '@app/credentials';
import type { Erasable, PersonalDataErased } from '@app/event-store';
import type { RecordedRefusals, RequestVariant, WalletRefusal } from '@app/openid4vc';
import type { StoredTerms } from './request-terms';

/** Why a response was not accepted; contains nothing that was presented. */
export interface Failure {
  readonly check: string;
  readonly reason: string;
  /** Of a failed check `status`. */
  readonly status?: RefusedStatus;
  /** The id in the query that the refused presentation was to answer. */
  readonly credentialId?: string;
}

export type AuthorizationRequestEvent =
  | ({ readonly type: 'AuthorizationRequested'; readonly eraseAt?: string } & StoredTerms)
  | {
      readonly type: 'RequestRetrieved';
      readonly variant: RequestVariant;
      readonly retrievedAt: string;
    }
  | { readonly type: 'PresentationRejected'; readonly variant: RequestVariant; readonly failure: Failure }
  | {
      readonly type: 'WalletDeclined';
      readonly variant: RequestVariant;
      /** A registered code, or `unregistered`. */
      readonly error: string;
      /** In no stored event: it is among the sealed words. */
      readonly description?: string;
      /** What the wallet sent, sealed under this request's own data key. */
      readonly sealedWords: string;
    }
  | {
      readonly type: 'PresentationVerified';
      readonly variant: RequestVariant;
      /** Presented tokens and verified claims, sealed under this request's own data key. */
      readonly sealedResult: string;
      readonly checks: readonly PresentationCheck[];
      readonly responseCodeHash?: string;
      /** With a response code: by when the person has to be back with it. */
      readonly returnBy?: string;
      /** With `returnToPage`: what the browser has to show in addition to the code. */
      readonly session?: string;
      readonly eraseAt?: string;
    }
  /** With `returnToPage`: the response code came back in a browser whose page did not have the link. */
  | { readonly type: 'ReturnRefused' }
  /** Nobody came back with the response code in time. */
  | { readonly type: 'PresentationAbandoned'; readonly returnBy: string; readonly failure: Failure }
  /** A response that could not be read, so that nothing in it was verified. */
  | ({ readonly type: 'ResponseRefused'; readonly variant: RequestVariant } & WalletRefusal)
  | { readonly type: 'RequestExpired'; readonly expiresAt: string }
  | { readonly type: 'ResponseCodeRedeemed' }
  | PersonalDataErased;

type Progress =
  | { readonly status: 'pending' | 'retrieved' }
  | { readonly status: 'rejected'; readonly failure: Failure }
  | { readonly status: 'expired'; readonly failure?: Failure }
  | { readonly status: 'verified' }
  /** Verified, and waits until `expiresAt` for the person to come back; `answerableUntil` is what `expiresAt` was before. */
  | {
      readonly status: 'withheld';
      readonly responseCodeHash: string;
      readonly session?: string;
      readonly refusedReturns?: number;
      readonly answerableUntil: string;
    }
  | { readonly status: 'abandoned'; readonly failure: Failure };

export type AuthorizationRequest = StoredTerms & {
  readonly retrievedBy: readonly RequestVariant[];
  /** The variant of each time a wallet declined; every variant can still be answered. */
  readonly declined: readonly RequestVariant[];
  readonly rejections: number;
  readonly refusals?: RecordedRefusals;
} & Erasable &
  Progress;
