import { IdempotencyKeys } from '@app/http';
import { Metrics } from '@app/metrics';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { Asked } from './asked';
import { conditionally } from './conditional-answer';
import { contractOf } from './contract-of';
import { oncePerKey } from './idempotent-operation';
import type { Operation } from './operation';
import { ShownLinks } from './shown-links';

export const RECORD_ANSWER = Symbol('RECORD_ANSWER');

/** Records what has to be on record before an answer goes out. */
export type RecordAnswer = (answer: unknown) => Promise<void>;

/** What happens around the method of an operation; one interceptor for all of it, because Nest spends 20 µs on each. */
@Injectable()
export class OperationInterceptor implements NestInterceptor {
  private readonly links: ShownLinks;

  constructor(
    @Inject(RECORD_ANSWER) private readonly record: RecordAnswer,
    private readonly keys: IdempotencyKeys,
    metrics: Metrics,
  ) {
    this.links = new ShownLinks(metrics);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const operation = contractOf(context.getHandler());
    if (!operation) return next.handle();
    const asked = context.switchToHttp().getRequest<Asked>();
    return from(this.answer(operation, asked, () => lastValueFrom(next.handle())));
  }

  private async answer(operation: Operation, asked: Asked, work: () => Promise<unknown>): Promise<unknown> {
    const tag = conditionally(operation, asked);
    const hide = this.links.hiding(operation, asked);
    // Stored answers are whole: each caller sees of them what its own key allows.
    let answer = await oncePerKey(this.keys, operation, asked, work);
    if (hide) answer = hide(answer);
    if (tag) answer = tag(answer);
    await this.record(answer);
    return answer;
  }
}
