import type { Awaitable } from '@app/primitives/awaitable';
import { Problem } from '@app/primitives/problems';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Scope } from '../context/access-decision';
import { HttpReply } from '../context/http-reply';
import { currentPrincipal } from '../context/request-context';
import { namedIn, type Received } from './input';
import type { Operation } from './operation';

/** The templates of a resource, by its id; undefined when there is none. */
type FindTemplates = (id: string) => Awaitable<readonly string[] | undefined>;

type Members = Readonly<Record<string, unknown>>;

/** Members with another name than the parameter that such a resource is called by. */
const otherNames: Readonly<Record<string, string>> = {
  configurationId: 'credentialConfigurationId',
  templateIds: 'templateId',
  offerIds: 'offerId',
  credentialIds: 'credentialId',
};
/** In which bodies and pages have several things of one kind. */
const lists: readonly string[] = ['items', 'credentials', 'offers'];

/** Limits of those who may do something for some templates alone. The rest is to them what is not there. */
@Injectable()
export class TemplateLimits {
  private readonly finders = new Map<string, FindTemplates>();

  /** @param parameter of paths, and member of bodies and answers, that has the id: `offerId` */
  knows(parameter: string, find: FindTemplates): void {
    this.finders.set(parameter, find);
  }

  /** Of something that another parameter names. */
  async templatesOf(parameter: string, id: string): Promise<readonly string[] | undefined> {
    return this.finders.get(parameter)?.(id);
  }

  /**
   * Carries out an operation as far as the present caller's templates go. Throws `forbidden` where that cannot be told.
   * @param work is given the request with an id that nothing has in place of one that is not the caller's
   */
  within(operation: Operation, request: Received, work: (request: Received) => unknown): unknown {
    const { templates } = currentPrincipal() ?? {};
    const allowed = operation.scope === 'any' ? undefined : templates?.get(operation.scope);
    return allowed ? this.limited(operation, request, allowed, work) : work(request);
  }

  /** Whether the present caller may do something for fewer templates than something else. */
  areNarrower(scope: Scope, than: Operation['scope']): boolean {
    const { templates } = currentPrincipal() ?? {};
    const [fewer, more] = [templates?.get(scope), than === 'any' ? undefined : templates?.get(than)];
    return fewer !== undefined && (more === undefined || [...more].some((one) => !fewer.has(one)));
  }

  /** Whether what an answer is about is of templates for which the present caller may do something. */
  async covers(scope: Scope, answer: unknown): Promise<boolean> {
    const allowed = currentPrincipal()?.templates?.get(scope);
    return allowed === undefined || this.isOwn(answer instanceof HttpReply ? answer.body : answer, allowed);
  }

  private async limited(
    operation: Operation,
    request: Received,
    allowed: ReadonlySet<string>,
    work: (request: Received) => unknown,
  ): Promise<unknown> {
    const params = await this.ownParams(request.params, allowed);
    if (Object.keys(params).length > 0) {
      const { method, originalUrl, headers, query, body } = request;
      try {
        return await work({ method, originalUrl, headers, params, query, body });
      } catch (error) {
        throw asAsked(error, params, request.params);
      }
    }
    const isNamed = await this.isOwn(namedIn(operation, request), allowed);
    // Searches are posted.
    if (operation.method === 'GET' || operation.scope.endsWith(':read'))
      return this.ownItems(await work(request), allowed, isNamed);
    if (!isNamed) throw outside();
    return work(request);
  }

  private async ownParams(params: Received['params'], allowed: ReadonlySet<string>): Promise<Record<string, string>> {
    const [first] = Object.keys(params);
    const entries = Object.entries(params).map(async ([name, id]) => {
      const find = this.finders.get(name);
      // What comes after it is a part of it: a row of an import.
      if (!find && name !== first) return [name, id] as const;
      if (!find) throw outside();
      const found = await find(id);
      return [name, found && isWithin(found, allowed) ? id : `not-there-${randomUUID()}`] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  private async ownItems(answer: unknown, allowed: ReadonlySet<string>, isNamed: boolean): Promise<unknown> {
    const page = answer instanceof HttpReply ? answer.body : answer;
    const { items } = (page ?? {}) as { readonly items?: readonly unknown[] };
    if (!Array.isArray(items) && isNamed) return answer;
    if (!Array.isArray(items)) throw outside();
    const own = await Promise.all(
      items.map(async (item) => ((await this.isOwn(item, allowed)) ? [item as unknown] : [])),
    );
    const kept = { ...(page as object), items: own.flat() };
    return answer instanceof HttpReply ? new HttpReply(answer.status, kept) : kept;
  }

  /** Whether all that is named is within; what names nothing is not. */
  private async isOwn(asked: unknown, allowed: ReadonlySet<string>): Promise<boolean> {
    if (typeof asked !== 'object' || asked === null) return false;
    const thing = asked as Members;
    const inside = lists.flatMap((name) => (Array.isArray(thing[name]) ? (thing[name] as unknown[]) : []));
    const nested = inside.filter((one): one is Members => typeof one === 'object' && one !== null);
    const named = Object.entries(thing).flatMap(([name, value]) => {
      const [ids, parameter] = [Array.isArray(value) ? (value as unknown[]) : [value], otherNames[name] ?? name];
      return this.finders.has(parameter) ? ids.map((id) => ({ parameter, id: String(id) })) : [];
    });
    // Those that are not there yet are what the request makes.
    const found = (await Promise.all(named.map(({ parameter, id }) => this.templatesOf(parameter, id)))).filter(
      (one) => one !== undefined,
    );
    if (found.some((templates) => !isWithin(templates, allowed))) return false;
    if (nested.length === 0) return found.length > 0;
    return (await Promise.all(nested.map((one) => this.isOwn(one, allowed)))).every(Boolean);
  }
}

function isWithin(templates: readonly string[], allowed: ReadonlySet<string>): boolean {
  return templates.length > 0 && templates.every((one) => allowed.has(one));
}

/** Says of an id that was asked for what was said of the one in its place. */
function asAsked(error: unknown, given: Received['params'], asked: Received['params']): unknown {
  if (!(error instanceof Problem)) return error;
  const names = Object.keys(asked);
  const detail = names.reduce((text, name) => text.replaceAll(given[name] ?? '', asked[name] ?? ''), error.detail);
  return new Problem(error.slug, detail, error.violations, error.headers);
}

function outside(): Problem {
  return new Problem('forbidden', 'Your role is for some templates alone: name one of them, in templateId.');
}
