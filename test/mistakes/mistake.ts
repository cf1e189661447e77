import type { ProblemSlug } from '@app/primitives/problems';

/** A mistake that the author of a portal makes, and what its answer has to say. */
export interface Mistake {
  readonly what: string;
  /** Method and address, such as `POST /v0/offers`. */
  readonly request: string;
  /** Without `Content-Type`, which is that of JSON when there is a body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a text or bytes: these are sent as they are. */
  readonly body?: unknown;
  /** What the page shows of a body that is too long to be shown. */
  readonly shown?: string;
  readonly status: number;
  readonly problem: ProblemSlug;
  /** What was wrong and what to send instead: each is part of the answer. */
  readonly says: readonly string[];
}

/** Mistakes of one kind, in the order of the page. */
export interface Chapter {
  readonly title: string;
  readonly mistakes: readonly Mistake[];
}

export const json = { 'content-type': 'application/json' } as const;
