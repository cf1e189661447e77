import type { Metrics } from '@app/observability';
import type { Awaitable } from '@app/primitives/awaitable';
import { ScopeRefusals } from './scope-refusals';
import { currentPrincipal } from '../context/request-context';
import { HttpReply } from '../context/http-reply';
import type { Received } from './input';
import { mediaTypeOf, type Operation, type ResourceContract } from './operation';
import type { TemplateLimits } from './template-limits';

type Links = NonNullable<ResourceContract['links']>;

/** Callers without the scope get JSON answers without the members that hold links, and no answer that is only a link. */
export class ShownLinks {
  private readonly refusals: ScopeRefusals;

  constructor(
    metrics: Metrics,
    private readonly limits: TemplateLimits,
  ) {
    this.refusals = new ScopeRefusals(metrics);
  }

  /** @returns what removes the links for the current caller, if anything has to */
  hiding(operation: Operation, { headers }: Received): ((answer: unknown) => Awaitable<unknown>) | undefined {
    const { links } = operation.resource;
    if (!links) return undefined;
    const isSeen = seesLinks(links);
    if (isSeen && !this.limits.areNarrower(links.scope, operation.scope)) return undefined;
    // Before anything is done: a refusal leaves no offer behind.
    if (mediaTypeOf(operation, headers.accept) !== 'application/json') throw this.refusals.ofScope(links.scope);
    if (!isSeen) return (answer) => this.without(links, answer);
    return async (answer) => ((await this.limits.covers(links.scope, answer)) ? answer : this.without(links, answer));
  }

  private without(links: Links, answer: unknown): unknown {
    if (answer instanceof HttpReply) {
      const { status, body, headers } = answer;
      const { ETag: tag } = headers;
      // Another representation has another tag.
      const bare = tag === undefined ? {} : { ETag: tag.replace(/"$/, '-bare"') };
      return new HttpReply(status, this.without(links, body), { ...headers, ...bare });
    }
    // A text or an image cannot be distinguished from a link.
    if (typeof answer === 'string' || answer instanceof Uint8Array) throw this.refusals.ofScope(links.scope);
    return withoutLinks(links, answer);
  }
}

/** A part of an answer, without the members that the current caller may not see. */
export function shownTo(links: Links, part: unknown): unknown {
  return seesLinks(links) ? part : withoutLinks(links, part);
}

/** Whether the current caller sees the links that answers of an operation hold. */
export function seesLinksOf({ resource: { links } }: Operation): boolean {
  return links !== undefined && seesLinks(links);
}

function seesLinks({ scope }: Links): boolean {
  return currentPrincipal()?.scopes.has(scope) === true;
}

function withoutLinks({ members }: Links, part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).filter(([name]) => !members.includes(name)));
}
