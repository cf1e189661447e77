import { contentTag, isPresent } from '@app/http';
import { HttpReply } from '@app/web';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';

/**
 * Gives the answer to a GET an `ETag`, by its content where the method gave none, and leaves the answer out when the
 * caller has it already (RFC 9110 §13.1.2).
 */
@Injectable()
export class ConditionalInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { headers } = context
      .switchToHttp()
      .getRequest<{ readonly headers: { readonly 'if-none-match'?: string } }>();
    return next.handle().pipe(map((answer) => conditional(answer, headers['if-none-match'])));
  }
}

function conditional(answer: unknown, ifNoneMatch: string | undefined): HttpReply {
  const reply = answer instanceof HttpReply ? answer : new HttpReply(200, answer);
  const tag = reply.headers['ETag'] ?? contentTag(reply.body);
  const headers = { ...reply.headers, ETag: tag };
  return isPresent(ifNoneMatch, tag)
    ? new HttpReply(304, undefined, { ETag: tag })
    : new HttpReply(200, reply.body, headers);
}
