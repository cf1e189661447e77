import { EventStore } from '@app/event-store';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { Observable } from 'rxjs';
import { WalletAttestations } from './wallet-attestations';

/**
 * Puts a challenge for the next attestation on every response (Attestation-Based Client Authentication draft 07 §8.2), while
 * attestations are accepted.
 */
@Injectable()
export class OfferChallenge implements NestInterceptor {
  constructor(
    private readonly store: EventStore,
    private readonly attestations: WalletAttestations,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const challenge = this.attestations.newChallenge(this.store.clock());
    if (challenge !== undefined) {
      context.switchToHttp().getResponse<ServerResponse>().setHeader('OAuth-Client-Attestation-Challenge', challenge);
    }
    return next.handle();
  }
}
