import type { Metrics } from '@app/observability';
import { Problem } from '@app/primitives/problems';
import { Logger } from '@nestjs/common';
import { currentPrincipal, currentRequest } from '../context/request-context';
import type { Scope } from '../context/access-decision';

/** The challenge of the management API; RFC 6750 §3 wants a parameter in every one. */
export const managementChallenge = 'Bearer realm="management API"';

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
    return new Problem('forbidden', `Your key or token lacks the scope ${scope}.`, [], {
      'WWW-Authenticate': `${managementChallenge}, error="insufficient_scope", scope="${scope}"`,
    });
  }
}
