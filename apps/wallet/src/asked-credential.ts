import type { ClaimPath } from './claim-path';
import type { ReceivedCredential } from './wallet-file';

/** A credential of the wallet that answers a question, with the claims it was asked for. */
export interface Match {
  readonly credential: ReceivedCredential;
  readonly paths: readonly ClaimPath[];
}

/** One credential a verifier asks for. */
export interface AskedCredential {
  /** `id` of the DCQL credential query or of the input descriptor. */
  readonly id: string;
  /** The format as the verifier calls it: vc+sd-jwt and dc+sd-jwt name the same format in different drafts. */
  readonly format: string;
  /** False when the verifier wants the bare credential, without proof that we hold it. */
  readonly holderBinding: boolean;
  /** Never empty; the newest first. */
  readonly matches: readonly [Match, ...Match[]];
}

export function newestFirst(matches: readonly Match[]): Match[] {
  return [...matches].sort((a, b) => b.credential.receivedAt.localeCompare(a.credential.receivedAt));
}
