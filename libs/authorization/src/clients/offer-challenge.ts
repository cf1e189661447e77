import { EventStore } from '@app/event-store';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { WalletAttestations } from './wallet-attestations';

/**
 * Puts a challenge for the next attestation on every response (Attestation-Based Client Authentication draft 07 §8.2), while
 * attestations are accepted. A guard, as `OfferDpopNonce` is.
 */
@Injectable()
export class OfferChallenge implements CanActivate {
  constructor(
    private readonly store: EventStore,
    private readonly attestations: WalletAttestations,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const challenge = this.attestations.newChallenge(this.store.clock());
    if (challenge !== undefined) {
      context.switchToHttp().getResponse<ServerResponse>().setHeader('OAuth-Client-Attestation-Challenge', challenge);
    }
    return true;
  }
}
