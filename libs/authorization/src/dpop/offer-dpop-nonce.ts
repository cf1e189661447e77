import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { Observable } from 'rxjs';
import { DpopProofs } from './dpop-proofs';

/** Puts a nonce for the next DPoP proof on every answer to a wallet (RFC 9449 §8.2), also on refusals. */
@Injectable()
export class OfferDpopNonce implements NestInterceptor {
  constructor(private readonly proofs: DpopProofs) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    context.switchToHttp().getResponse<ServerResponse>().setHeader('DPoP-Nonce', this.proofs.nonce());
    return next.handle();
  }
}
