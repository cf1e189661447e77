import { Metrics } from '@app/observability';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Global, Inject, Injectable, Module } from '@nestjs/common';
import { IdempotencyKeys, parseIdempotencyKey } from '../idempotency/idempotency-keys';
import { conditionally } from './conditional-answer';
import { inputOf, type Received } from './input';
import { type Input, type Operation, mediaTypeOf, usualStatusOf } from './operation';
import { ShownLinks } from './shown-links';
import { TemplateLimits } from './template-limits';
import { RawBody } from '../body/raw-body';
import { HttpReply } from '../context/http-reply';

const usual = 'application/json';

export const RECORD_ANSWER = Symbol('RECORD_ANSWER');

/** Records what has to be on record before an answer goes out. */
export type RecordAnswer = (answer: unknown) => Awaitable<void>;

/** What happens before and after the method of an operation. In place of interceptors: each costs 2 % of a request. */
@Injectable()
export class OperationAnswers {
  private readonly links: ShownLinks;

  constructor(
    @Inject(RECORD_ANSWER) private readonly record: RecordAnswer,
    private readonly keys: IdempotencyKeys,
    private readonly limits: TemplateLimits,
    metrics: Metrics,
  ) {
    this.links = new ShownLinks(metrics, limits);
  }

  /** Throws the problem of a request that breaks the contract. */
  answer<C extends Operation>(
    operation: C,
    request: Received,
    method: (input: Input<C>) => unknown,
  ): Awaitable<unknown> {
    const tag = conditionally(operation, request);
    const hide = this.links.hiding(operation, request);
    const given = oncePerKey(this.keys, operation, request, () =>
      this.limits.within(operation, request, (limited) => method(inputOf(operation, limited))),
    );
    return whenThere(given, (whole) => {
      // Stored answers are whole: each caller sees of them what its own key allows.
      return whenThere(hide ? hide(whole) : whole, (shown) => {
        const answer = tag ? tag(shown) : shown;
        return whenThere(this.record(answer), () => answer);
      });
    });
  }
}

/** Global: every controller of the management API answers by it. */
@Global()
@Module({ providers: [OperationAnswers, TemplateLimits], exports: [OperationAnswers, TemplateLimits] })
export class OperationsModule {}

/** Carries out an operation that accepts an `Idempotency-Key` once for each key, whatever happens meanwhile. */
function oncePerKey(
  keys: IdempotencyKeys,
  operation: Operation,
  { method, originalUrl, headers, body }: Received,
  work: () => unknown,
): Awaitable<unknown> {
  const header = headers['idempotency-key'];
  // An unread body is rejected by the code that reads it.
  if (operation.idempotent !== true || header === undefined || !(body instanceof RawBody) || !body.bytes) return work();
  // The stored answer has one media type, and is repeated only to a caller who asks for that one.
  const mediaType = mediaTypeOf(operation, headers.accept);
  const request = {
    ...parseIdempotencyKey(header),
    fingerprints: keys.fingerprintsOf(
      ...[method, originalUrl, body.mediaType, body.bytes],
      // Keys that were used before media types counted stay valid for JSON.
      ...(mediaType === usual ? [] : [mediaType]),
    ),
  };
  return keys.once(request, async () => {
    const result = await work();
    return result instanceof HttpReply ? result : new HttpReply(usualStatusOf(operation), result);
  });
}
