import { ScopeRefusals, accessDecisionOf, currentPrincipal } from '@app/http';
import { Metrics } from '@app/observability';
import { Problem } from '@app/primitives/problems';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { credentialRefused } from './refusals';

/** Rejects every caller of a route without an access rule: a forgotten decorator closes a route instead of opening it. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly refusals: ScopeRefusals;

  constructor(metrics: Metrics) {
    this.refusals = new ScopeRefusals(metrics);
  }

  canActivate(context: ExecutionContext): boolean {
    const decision = accessDecisionOf(context.getHandler(), context.getClass());
    if (!decision) throw new Problem('forbidden', 'This route has no access rule.');
    if (decision.kind === 'public') return true;
    const principal = currentPrincipal();
    // Any form of an address that the authentication did not recognise is rejected here.
    if (!principal) throw credentialRefused();
    if (principal.scopes.has(decision.scope)) return true;
    throw this.refusals.ofScope(decision.scope);
  }
}
