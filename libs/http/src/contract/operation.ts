import type { ProblemSlug } from '@app/primitives/problems';
import type { Type } from '@nestjs/common';
import type { BodyLimitName } from '../body/body-limits';
import type { Conditions } from '../answers/conditions';
import type { SentFile } from '../body/sent-file';
import { preferredMediaType } from '../answers/content-negotiation';
import { type Scope, scopesOfTenants } from '../context/access-decision';
import { type Described, pageOf, type Schema } from './schemas';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Parameter {
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface AnswerContract {
  readonly description: string;
  /** Of the JSON body; absent when there is none. */
  readonly schema?: Schema;
  /** Media types besides JSON, or instead of it when there is no schema. */
  readonly mediaTypes?: readonly string[];
  /** Of the JSON in the `data` of each event, when the answer is a stream of them. */
  readonly events?: Schema;
  /** Whether the answer to a change has an `ETag`; the answer to a conditional GET always has one. */
  readonly etag?: boolean;
}

/** Everything about one operation of the management API; validation, access, limits and the document follow from it. */
export interface Contract {
  /** `operationId` of the document. */
  readonly id: string;
  /** The method, and the path below the resource's: `DELETE :offerId`. */
  readonly route: Method | `${Method} ${string}`;
  /** The name of the operation of the resource that it is another form of; the audit does not distinguish them. */
  readonly auditedAs?: string;
  /** What a caller needs; to read or to write the area of the resource when absent. `any`: to be known. */
  readonly scope?: Scope | 'any';
  /** What it does cannot be undone: a person has to have proven within the last ten minutes who they are. */
  readonly freshness?: true;
  readonly summary: string;
  readonly description?: string;
  /** The class of the query; without one, every parameter is rejected. */
  readonly query?: Type<object>;
  /** The class of the body, which must be JSON. */
  readonly body?: Type<object>;
  /** Examples of the body, by name. */
  readonly examples?: Readonly<Record<string, unknown>>;
  /** Media types of a body that is a file; `multipart/form-data` has it as the part `file`, and the query as other parts. */
  readonly file?: readonly [string, ...string[]];
  /** How large a body may be; `management` when absent. */
  readonly bodyLimit?: BodyLimitName;
  /** Takes `Idempotency-Key`; `in-parts` leaves the work with it to the method. */
  readonly idempotent?: true | 'in-parts';
  /** Makes an offer, a credential or a request, which a tenant may not while it is suspended for issuing. */
  readonly makesNew?: true | 'offers';
  /**
   * Answers with `ETag`, or takes `If-Match` and `If-None-Match` (RFC 9110 §13.1). When absent: whether the path has a
   * parameter, so that it is about one resource, which the operation reads as JSON or changes.
   */
  readonly conditional?: boolean;
  /** Takes `Last-Event-ID`: the answer is a stream of events that is resumed behind the one with that id. */
  readonly resumable?: true;
  /** By status, with words alone where there is no body; none for an operation that is always rejected. */
  readonly answers: Readonly<Partial<Record<200 | 201 | 202 | 204 | 302, AnswerContract | string>>>;
  /** Besides those that every operation of its kind can answer. */
  readonly problems?: readonly ProblemSlug[];
}

type AreaOf<S> = S extends `${infer Area}:write` ? Area : S extends `${infer Area}:read` ? Area : never;

/** What the operations under one path share. */
export interface ResourceContract {
  /** Without a slash at the start: `v0/offers`. */
  readonly path: string;
  /** Of its scopes. */
  readonly area: AreaOf<Scope>;
  readonly tag: string;
  readonly description: string;
  /** Of the path, by name. */
  readonly parameters?: Readonly<Record<string, Parameter>>;
  /** Named when the parameters lead to no resource; `not-found` when absent. */
  readonly missing?: ProblemSlug;
  /** Members that hold links which wallets can use, and the scope a caller needs to see them. */
  readonly links?: { readonly scope: Scope; readonly members: readonly string[] };
}

interface InResource {
  readonly resource: ResourceContract;
  readonly method: Method;
  /** Without a slash at the start: `v0/offers/:offerId`. */
  readonly path: string;
  readonly scope: Scope | 'any';
  readonly conditional: boolean;
  /** The answers by status. */
  readonly replies: Readonly<Record<string, AnswerContract>>;
  /** Of the answer, the usual one first. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** In the audit: `offers.withdraw`. */
  readonly auditAction: string;
}

/** A contract in its resource. */
export type Operation = Contract & InResource;

type ParametersIn<Path> = Path extends `${infer First}${'/' | ' '}${infer Rest}`
  ? ParametersIn<First> | ParametersIn<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never;
type InstanceIn<Class> = Class extends Type<infer Instance> ? Instance : undefined;
type MediaTypeIn<One> = One extends { readonly mediaTypes: readonly (infer MediaType)[] } ? MediaType : never;

/** What a method of a controller gets: everything a caller sent, checked by the contract. */
export interface Input<C extends Contract> {
  readonly params: Readonly<Record<ParametersIn<C['route']>, string>>;
  readonly query: InstanceIn<C['query']>;
  readonly body: InstanceIn<C['body']>;
  readonly file: C extends { readonly file: readonly string[] } ? SentFile : undefined;
  /** The media type of the answer that the caller prefers. */
  readonly mediaType: MediaTypeIn<C['answers'][keyof C['answers']]> | 'application/json';
  /** Of the version of the resource; empty unless the operation changes one. */
  readonly conditions: Conditions;
  readonly idempotencyKey: string | undefined;
  readonly lastEventId: string | undefined;
}

type BodyIn<One, Without = void> = One extends { readonly schema: infer Body } ? Described<Body> : Without;

/** The body of an answer, as the contract describes it. */
export type Answer<C extends Contract> = BodyIn<C['answers'][keyof C['answers']]>;

/** The operations of one resource, by the name of their method. */
export function resource<const Contracts extends Readonly<Record<string, Contract>>>(
  shared: ResourceContract,
  contracts: Contracts,
): { readonly [Name in keyof Contracts]: Contracts[Name] & InResource } {
  const operations = Object.entries(contracts).map(([name, one]) => [
    name,
    { ...one, ...inResource(shared, name, one) },
  ]);
  return Object.fromEntries(operations) as { [Name in keyof Contracts]: Contracts[Name] & InResource };
}

function inResource(shared: ResourceContract, name: string, contract: Contract): InResource {
  const [method, below] = contract.route.split(' ') as [Method, string | undefined];
  const answers = Object.entries(contract.answers);
  const replies = answers.map(
    ([status, one]) => [status, typeof one === 'string' ? { description: one } : one] as const,
  );
  // What is no JSON, or elsewhere, shows a resource in another form.
  const isResource = replies.some(([status, { schema }]) => schema !== undefined || status === '204');
  return {
    resource: shared,
    method,
    path: below === undefined ? shared.path : `${shared.path}/${below}`,
    scope: contract.scope ?? (`${shared.area}:${method === 'GET' ? 'read' : 'write'}` as Scope),
    conditional: contract.conditional ?? (below !== undefined && isResource),
    replies: Object.fromEntries(replies),
    mediaTypes: mediaTypesOf(replies[0]?.[1]),
    auditAction: [...shared.path.split('/').slice(1), contract.auditedAs ?? name].join('.'),
  };
}

function mediaTypesOf({ schema, mediaTypes: [first, ...others] = [] }: Partial<AnswerContract> = {}): readonly [
  string,
  ...string[],
] {
  if (first === undefined) return ['application/json'];
  return schema ? ['application/json', first, ...others] : [first, ...others];
}

/** Whether tenants have it, so that an operator can do it in the name of one. */
export function isOfTenants({ scope }: Operation): boolean {
  return scope !== 'any' && scopesOfTenants.includes(scope);
}

/** The media type of the answer to a request with this `Accept` header. Throws `not-acceptable` where there is a choice. */
export function mediaTypeOf({ mediaTypes }: Operation, accept: string | undefined): string {
  return mediaTypes.length === 1 ? mediaTypes[0] : preferredMediaType(accept, mediaTypes);
}

/** The status of an answer that is no `HttpReply`. */
export function usualStatusOf({ answers }: Contract): number {
  const [first = 200, second = first] = Object.keys(answers);
  // What is only accepted is the exception.
  return Number(first === '202' ? second : first);
}

/** The contract of a list. */
export function listOf<Query, const Item extends Schema>(
  id: string,
  summary: string,
  item: Item,
  query?: Type<Query>,
  description?: string,
) {
  const answers = { 200: { description: 'One page.', schema: pageOf(item) } };
  return {
    id,
    route: 'GET',
    summary,
    answers,
    query: query as Type<Query & object>,
    ...(description !== undefined && { description }),
  } as const;
}
