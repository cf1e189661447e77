import { ScopeRefusals } from '@app/access';
import type { Metrics } from '@app/metrics';
import { currentPrincipal, HttpReply, type Scope } from '@app/web';
import type { Received } from './input';
import { mediaTypeOf } from './media-type';
import type { Operation } from './operation';

type Change = (answer: unknown) => unknown;

/** Callers without the scope get JSON answers without the members that hold links, and no answer that is only a link. */
export class ShownLinks {
  private readonly refusals: ScopeRefusals;

  constructor(metrics: Metrics) {
    this.refusals = new ScopeRefusals(metrics);
  }

  /** @returns what removes the links for the current caller, if anything has to */
  hiding(operation: Operation, { headers }: Received): Change | undefined {
    const { links } = operation.resource;
    if (!links || currentPrincipal()?.scopes.has(links.scope)) return undefined;
    // Before anything is done: a refusal leaves no offer behind.
    if (mediaTypeOf(operation, headers.accept) !== 'application/json') throw this.refusals.ofScope(links.scope);
    return (answer) => this.without(links.members, links.scope, answer);
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
