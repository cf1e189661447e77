import type { SingleUse } from '@app/event-store';

/** A key whose possession a DPoP proof has shown (RFC 9449). */
export interface ProvenKey {
  /** RFC 7638, base64url. */
  readonly thumbprint: string;
  /** The proof, used up with what is recorded of the request. */
  readonly uses: readonly SingleUse[];
}
