import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { DpopProofs } from './dpop-proofs';

/**
 * Puts a nonce for the next DPoP proof on every answer to a wallet (RFC 9449 §8.2), also on refusals. A guard, since an
 * interceptor costs a request several promises and observables.
 */
@Injectable()
export class OfferDpopNonce implements CanActivate {
  constructor(private readonly proofs: DpopProofs) {}

  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getResponse<ServerResponse>().setHeader('DPoP-Nonce', this.proofs.nonce());
    return true;
  }
}
