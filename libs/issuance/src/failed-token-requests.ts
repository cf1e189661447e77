import { clientAddressOf } from '@app/http';
import { OAuthError } from '@app/openid4vc';
import { RateLimiter, type RateLimitName } from '@app/rate-limits';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { catchError, from, mergeMap, type Observable, throwError } from 'rxjs';

/** The refusal of a wrong transaction code, told apart because it is counted on its own. */
export class WrongTransactionCodeError extends OAuthError {
  constructor() {
    super('invalid_grant', 'The transaction code is wrong.');
  }
}

/** Counts refused token requests per client address, and refuses a client that had too many within the minute. */
@Injectable()
export class FailedTokenRequests implements NestInterceptor {
  constructor(private readonly limiter: RateLimiter) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const address = clientAddressOf(context.switchToHttp().getRequest());
    this.refuse('failed-token-request', address);
    this.refuse('wrong-transaction-code', address);
    return next
      .handle()
      .pipe(
        catchError((error: unknown) => from(this.count(error, address)).pipe(mergeMap(() => throwError(() => error)))),
      );
  }

  private refuse(limit: RateLimitName, address: string): void {
    const seconds = this.limiter.secondsToWait(limit, address);
    if (seconds === undefined) return;
    const description = `Too many failed token requests from this address: try again in ${seconds} s.`;
    throw new OAuthError('temporarily_unavailable', description, {
      status: 429,
      headers: { 'Retry-After': String(seconds) },
    });
  }

  private async count(error: unknown, address: string): Promise<void> {
    if (!(error instanceof OAuthError) || error.status >= 500) return;
    const limits: RateLimitName[] = ['failed-token-request'];
    if (error instanceof WrongTransactionCodeError) limits.push('wrong-transaction-code');
    // Told at once, they are counted by one statement.
    await Promise.all(limits.map((limit) => this.limiter.count(limit, address)));
  }
}
