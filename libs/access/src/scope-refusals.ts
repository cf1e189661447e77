import type { Metrics } from '@app/metrics';
import type { Problem } from '@app/problem-details';
import { currentPrincipal, currentRequest, type Scope } from '@app/web';
import { Logger } from '@nestjs/common';
import { scopeMissing } from './refusals';

/** Refuses the present caller what its key or token does not allow, so that metrics and log know of it. */
export class ScopeRefusals {
  private readonly logger = new Logger('Access');

  constructor(private readonly metrics: Pick<Metrics, 'accessRefused'>) {}

  ofScope(scope: Scope): Problem {
    const reason = 'scope-missing';
    this.metrics.accessRefused(reason);
    const { requestId } = currentRequest() ?? {};
    const { id: principal, client } = currentPrincipal() ?? {};
    this.logger.warn({ event: 'access.refused', reason, scope, principal, client, requestId });
    return scopeMissing(scope);
  }
}
