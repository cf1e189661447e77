import { answeredAs } from '@app/http';
import { Metrics } from '@app/metrics';
import { currentPrincipal, HttpReply, type Scope } from '@app/web';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { ScopeRefusals } from './scope-refusals';

const metadataKey = 'sealwright:shown-links';

interface ShownLinks {
  readonly scope: Scope;
  readonly members: readonly string[];
}

/**
 * On a controller: callers without the scope get its JSON answers without these members, and are refused answers that
 * are nothing but a link. It stands around `Idempotent`: kept answers are whole, and each caller sees of them what its
 * own key or token allows.
 */
export function ShowsLinks(scope: Scope, members: readonly string[]): ClassDecorator {
  const links: ShownLinks = { scope, members };
  return applyDecorators(SetMetadata(metadataKey, links), UseInterceptors(ShownLinksInterceptor));
}

@Injectable()
export class ShownLinksInterceptor implements NestInterceptor {
  private readonly refusals: ScopeRefusals;

  constructor(metrics: Metrics) {
    this.refusals = new ScopeRefusals(metrics);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { scope, members } = Reflect.getMetadata(metadataKey, context.getClass()) as ShownLinks;
    if (currentPrincipal()?.scopes.has(scope)) return next.handle();
    const { headers } = context.switchToHttp().getRequest<{ readonly headers: { readonly accept?: string } }>();
    // Before anything is done: a refusal leaves no offer behind.
    if (answeredAs(context.getHandler(), headers.accept) !== 'application/json') throw this.refusals.ofScope(scope);
    return next.handle().pipe(map((answer) => this.without(members, scope, answer)));
  }

  private without(members: readonly string[], scope: Scope, answer: unknown): unknown {
    if (answer instanceof HttpReply) {
      return new HttpReply(answer.status, this.without(members, scope, answer.body), answer.headers);
    }
    // A text or a picture cannot be told from a link.
    if (typeof answer === 'string' || answer instanceof Uint8Array) throw this.refusals.ofScope(scope);
    if (typeof answer !== 'object' || answer === null) return answer;
    return Object.fromEntries(Object.entries(answer).filter(([name]) => !members.includes(name)));
  }
}
