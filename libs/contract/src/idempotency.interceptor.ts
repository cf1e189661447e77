import { IdempotencyKeys, parseIdempotencyKey, RawBody } from '@app/http';
import { HttpReply } from '@app/web';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { contractOf } from './contract-of';
import { mediaTypeOf } from './media-type';
import { usualStatusOf } from './operation';

const usual = 'application/json';

interface Asked {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Lets an operation that creates something accept an `Idempotency-Key`: whatever happens meanwhile, it creates once. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly keys: IdempotencyKeys) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { method, originalUrl, headers, body } = context.switchToHttp().getRequest<Asked>();
    const header = headers['idempotency-key'];
    const operation = contractOf(context.getHandler());
    // An unread body is rejected by the code that reads it.
    if (header === undefined || !operation || !(body instanceof RawBody) || !body.bytes) return next.handle();
    // The stored answer has one media type, and is repeated only to a caller who asks for that one.
    const mediaType = mediaTypeOf(operation, headers.accept);
    const request = {
      ...parseIdempotencyKey(header),
      fingerprints: this.keys.fingerprintsOf(
        ...[method, originalUrl, body.mediaType, body.bytes],
        // Keys that were used before media types counted stay valid for JSON.
        ...(mediaType === usual ? [] : [mediaType]),
      ),
    };
    return from(
      this.keys.once(request, async () => {
        const result: unknown = await lastValueFrom(next.handle());
        return result instanceof HttpReply ? result : new HttpReply(usualStatusOf(operation), result);
      }),
    );
  }
}
