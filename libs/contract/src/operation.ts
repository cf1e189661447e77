import type { BodyLimitName, Conditions } from '@app/http';
import type { ProblemSlug } from '@app/problem-details';
import type { Scope } from '@app/web';
import type { Type } from '@nestjs/common';
import type { Schema } from './schemas';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Parameter {
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Answer {
  readonly description: string;
  /** Of the JSON body; absent when there is none. */
  readonly schema?: Schema;
  /** Media types besides JSON, or instead of it when there is no schema. */
  readonly mediaTypes?: readonly string[];
  /** Headers of the answer to a change; a conditional GET always has `ETag`. */
  readonly headers?: readonly ('Location' | 'ETag')[];
}

/** Everything about one operation of the management API; validation, access, limits and the document follow from it. */
export interface Contract {
  /** `operationId` of the document. */
  readonly id: string;
  /** The method, and the path below the resource's: `DELETE :offerId`. */
  readonly route: Method | `${Method} ${string}`;
  /** What a caller needs. */
  readonly scope: Scope;
  readonly summary: string;
  readonly description?: string;
  /** The class of the query; without one, every parameter is rejected. */
  readonly query?: Type<object>;
  /** The class of the body, which must be JSON. */
  readonly body?: Type<object>;
  /** Examples of the body, by name. */
  readonly examples?: Readonly<Record<string, unknown>>;
  /** How large a body may be; `management` when absent. */
  readonly bodyLimit?: BodyLimitName;
  /** Takes `Idempotency-Key`; `in-parts` leaves the work with it to the method. */
  readonly idempotent?: true | 'in-parts';
  /** Answers with `ETag`; takes `If-Match` and `If-None-Match` (RFC 9110 §13.1). */
  readonly conditional?: true;
  /** By status; none for an operation that is always rejected. */
  readonly answers: Readonly<Partial<Record<200 | 201 | 204, Answer>>>;
  /** Besides those that every operation of its kind can answer. */
  readonly problems?: readonly ProblemSlug[];
}

/** What the operations under one path share. */
export interface ResourceContract {
  /** Without a slash at the start: `v0/offers`. */
  readonly path: string;
  readonly tag: string;
  readonly description: string;
  /** Of the path, by name. */
  readonly parameters?: Readonly<Record<string, Parameter>>;
  /** Members that hold links which wallets can use, and the scope a caller needs to see them. */
  readonly links?: { readonly scope: Scope; readonly members: readonly string[] };
}

interface InResource {
  readonly method: Method;
  /** Without a slash at the start: `v0/offers/:offerId`. */
  readonly path: string;
  readonly resource: ResourceContract;
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
  /** The media type of the answer that the caller prefers. */
  readonly mediaType: MediaTypeIn<C['answers'][keyof C['answers']]> | 'application/json';
  /** Of the version of the resource; empty unless the operation is conditional. */
  readonly conditions: Conditions;
  readonly idempotencyKey: string | undefined;
}

/** The operations of one resource, by the name of their method. */
export function resource<const Contracts extends Readonly<Record<string, Contract>>>(
  shared: ResourceContract,
  contracts: Contracts,
): { readonly [Name in keyof Contracts]: Contracts[Name] & InResource } {
  const area = shared.path.split('/').slice(1);
  const operations = Object.entries(contracts).map(([name, contract]): [string, Operation] => {
    const [method, below] = contract.route.split(' ') as [Method, string | undefined];
    const path = below === undefined ? shared.path : `${shared.path}/${below}`;
    return [name, { ...contract, method, path, resource: shared, auditAction: [...area, name].join('.') }];
  });
  return Object.fromEntries(operations) as { [Name in keyof Contracts]: Contracts[Name] & InResource };
}

/** The status of an answer that is no `HttpReply`. */
export function usualStatusOf({ answers }: Contract): number {
  return Number(Object.keys(answers)[0] ?? 200);
}
