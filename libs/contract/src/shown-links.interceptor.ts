import { ScopeRefusals } from '@app/access';
import { Metrics } from '@app/metrics';
import { currentPrincipal, HttpReply, type Scope } from '@app/web';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { contractOf } from './contract-of';
import { mediaTypeOf } from './media-type';

/** Callers without the scope get JSON answers without the members that hold links, and no answer that is only a link. */
@Injectable()
export class ShownLinksInterceptor implements NestInterceptor {
  private readonly refusals: ScopeRefusals;

  constructor(metrics: Metrics) {
    this.refusals = new ScopeRefusals(metrics);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const operation = contractOf(context.getHandler());
    const links = operation?.resource.links;
    if (!operation || !links || currentPrincipal()?.scopes.has(links.scope)) return next.handle();
    const { headers } = context.switchToHttp().getRequest<{ readonly headers: { readonly accept?: string } }>();
    // Before anything is done: a refusal leaves no offer behind.
    if (mediaTypeOf(operation, headers.accept) !== 'application/json') throw this.refusals.ofScope(links.scope);
    return next.handle().pipe(map((answer) => this.without(links.members, links.scope, answer)));
  }

  private without(members: readonly string[], scope: Scope, answer: unknown): unknown {
    if (answer instanceof HttpReply) {
      const { status, body, headers } = answer;
      const { ETag: tag } = headers;
      // Another representation has another tag.
      const bare = tag === undefined ? {} : { ETag: tag.replace(/"$/, '-bare"') };
      return new HttpReply(status, this.without(members, scope, body), { ...headers, ...bare });
    }
    // A text or an image cannot be distinguished from a link.
    if (typeof answer === 'string' || answer instanceof Uint8Array) throw this.refusals.ofScope(scope);
    if (typeof answer !== 'object' || answer === null) return answer;
    return Object.fromEntries(Object.entries(answer).filter(([name]) => !members.includes(name)));
  }
}
