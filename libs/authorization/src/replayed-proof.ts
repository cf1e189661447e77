import { AlreadyConsumedError } from '@app/event-store';
import { OAuthError, wrongProofAgain } from '@app/openid4vc';
import { invalidAttestation, invalidClient } from './clients/client-faults';
import { clientUses } from './clients/oauth-client';
import { dpopUses } from './dpop/dpop-proofs';

/** The refusal of a request whose proof was used before, on whichever replica; `undefined` for any other failure. */
export function replayedProof(error: unknown): OAuthError | undefined {
  if (!(error instanceof AlreadyConsumedError)) return undefined;
  switch (error.kind) {
    case dpopUses['authorization-server']:
      return wrongProofAgain('authorization-server');
    case dpopUses.resource:
      return wrongProofAgain('resource');
    case clientUses.attestation:
      return invalidAttestation(
        'proof-used',
        'The proof of possession of the attestation was used before: send each with a new jti.',
      );
    case clientUses.assertion:
      return invalidClient('proof-used', 'client_assertion was used before: send each with a new jti.');
    default:
      return undefined;
  }
}
