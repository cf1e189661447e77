import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Observable } from 'rxjs';
import { DpopProofs } from './dpop-proofs';

/** Puts a nonce for the next proof on every answer to a wallet that uses DPoP (RFC 9449 §8.2). */
@Injectable()
export class OfferDpopNonce implements NestInterceptor {
  constructor(private readonly proofs: DpopProofs) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    if (http.getRequest<IncomingMessage>().headers['dpop'] !== undefined) {
      http.getResponse<ServerResponse>().setHeader('DPoP-Nonce', this.proofs.nonce());
    }
    return next.handle();
  }
}
