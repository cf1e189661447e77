import { currentPrincipal, currentRequest } from '@app/http';
import { Metrics } from '@app/metrics';
import { Problem } from '@app/problem-details';
import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { accessDecisionOf } from './access-decision';
import { credentialRefused, scopeMissing } from './refusals';

/** Lets nobody in where nobody has decided who may: a forgotten decorator closes a route instead of opening it. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly logger = new Logger('Access');

  constructor(private readonly metrics: Metrics) {}

  canActivate(context: ExecutionContext): boolean {
    const decision = accessDecisionOf(context.getHandler(), context.getClass());
    if (!decision) throw new Problem('forbidden', 'Nobody may use this address: it lacks a decision about access.');
    if (decision.kind === 'public') return true;
    const principal = currentPrincipal();
    // Whatever spelling of an address escapes the authentication ends here.
    if (!principal) throw credentialRefused();
    if (principal.scopes.has(decision.scope)) return true;
    this.metrics.accessRefused('scope-missing');
    const { requestId } = currentRequest() ?? {};
    const { scope } = decision;
    const { id, client } = principal;
    this.logger.warn({ event: 'access.refused', reason: 'scope-missing', scope, principal: id, client, requestId });
    throw scopeMissing(scope);
  }
}
