import { AlreadyConsumedError } from '@app/event-store';
import { OAuthError, wrongProofAgain } from '@app/openid4vc';
import { dpopUses } from './dpop/dpop-proofs';

/** The refusal of a request whose proof was used before, on whichever replica; `undefined` for any other failure. */
export function replayedProof(error: unknown): OAuthError | undefined {
  if (!(error instanceof AlreadyConsumedError)) return undefined;
  if (error.kind === dpopUses['authorization-server']) return wrongProofAgain('authorization-server');
  return error.kind === dpopUses.resource ? wrongProofAgain('resource') : undefined;
}
