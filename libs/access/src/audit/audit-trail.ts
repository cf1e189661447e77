import { AuditUnavailableError, EventStore, StoreUnavailableError } from '@app/event-store';
import { problemOf, type RecordRefusal, currentRequestState, HttpReply } from '@app/http';
import { Metrics } from '@app/observability';
import { type Problem } from '@app/primitives/problems';
import type { Awaitable } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { RefusedAccess } from './refused-access';
import { currentAttribution, currentAudit, entryOf, type RequestAudit } from './request-audit';

/** What a read may be refused with that says something about its caller; a mistyped filter does not. */
const recordedRefusals: ReadonlySet<number> = new Set([403, 404, 409, 412, 422]);

/** Writes down what callers of the management API have done, read and been refused. */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly store: EventStore,
    private readonly refusedAccess: RefusedAccess,
    private readonly metrics: Metrics,
  ) {
    store.attributeTo(currentAttribution);
  }

  /** What the caller is to hear of an error, when that has been written down. */
  readonly refused: RecordRefusal = (exception, problem, method) => {
    if (exception instanceof AuditUnavailableError) this.metrics.auditFailed();
    const state = currentRequestState();
    const audit = currentAudit();
    if (!state?.principal) {
      if (problem.slug === 'unauthorized' || problem.slug === 'rate-limited') this.refusedAccess.count(problem.slug);
      return undefined;
    }
    const isRead = audit ? !audit.isChange : method === 'GET' || method === 'HEAD';
    if ((isRead && !recordedRefusals.has(problem.status)) || audit?.recorded === problem.slug) return undefined;
    // Where nothing can be written, this cannot either; the caller hears the same.
    if (exception instanceof StoreUnavailableError) return undefined;
    return this.write(audit, audit?.object ?? null, problem.slug).then(
      () => problem,
      (error: unknown) => {
        if (error instanceof AuditUnavailableError) this.metrics.auditFailed();
        return problemOf(error) ?? problem;
      },
    );
  };

  /** One part of a request that was refused while others were not. */
  async refusedPart(exception: unknown, problem: Problem, object: string | null): Promise<void> {
    if (exception instanceof StoreUnavailableError) return;
    await this.write(currentAudit(), object, problem.slug);
  }

  /**
   * Before the answer goes out: personal data that is in it, what was sent to others, and a repeated answer. A change is in
   * the statement of its events; what changed nothing leaves no row.
   */
  answered(result: unknown): Awaitable<void> {
    const audit = currentAudit();
    if (!audit || audit.recorded !== undefined) return;
    const headers = result instanceof HttpReply ? result.headers : {};
    const isRepeated = headers['Idempotent-Replayed'] === 'true';
    if (!isRepeated && !audit.needsRow) return;
    return this.write(audit, audit.object ?? idIn(headers['Location']), isRepeated ? 'replayed' : 'ok');
  }

  private async write(audit: RequestAudit | undefined, object: string | null, outcome: string): Promise<void> {
    const state = currentRequestState();
    if (!state?.principal) return;
    try {
      await this.store.audit(entryOf(state.principal, state.request, audit?.action ?? 'unmatched', object, outcome));
    } catch (error) {
      throw error instanceof StoreUnavailableError ? error : new AuditUnavailableError({ cause: error });
    }
    if (audit) audit.recorded = outcome;
  }
}

/** `/v0/offers/a%20b` is about `a b`. */
function idIn(location: string | undefined): string | null {
  const last = location?.split('/').at(-1);
  return last === undefined ? null : decodeURIComponent(last);
}
