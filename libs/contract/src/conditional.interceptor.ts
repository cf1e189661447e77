import { contentTag, representationConditions } from '@app/http';
import { HttpReply } from '@app/web';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { map, type Observable } from 'rxjs';

/**
 * Gives the answer to a GET an `ETag`, by its content where the method gave none, and leaves the answer out when the
 * caller has it already (RFC 9110 §13).
 */
@Injectable()
export class ConditionalInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { headers } = context.switchToHttp().getRequest<{ readonly headers: IncomingHttpHeaders }>();
    const isPresent = representationConditions(headers['if-match'], headers['if-none-match']);
    return next.handle().pipe(
      map((answer) => {
        const { status, body, headers: others } = answer instanceof HttpReply ? answer : new HttpReply(200, answer);
        const tag = others['ETag'] ?? contentTag(body);
        if (isPresent(tag)) return new HttpReply(304, undefined, { ETag: tag });
        return new HttpReply(status, body, { ...others, ETag: tag });
      }),
    );
  }
}
