import {
  type DeclaredRoute,
  type Gate,
  type RouteGate,
  ScopeRefusals,
  accessDecisionOf,
  contractOf,
  currentPrincipal,
  requireFreshness,
} from '@app/http';
import { Metrics } from '@app/observability';
import { Problem } from '@app/primitives/problems';
import { Injectable } from '@nestjs/common';
import { credentialRefused } from './refusals';

/** Refuses every caller of a route without an access rule: a forgotten decorator closes a route instead of opening it. */
@Injectable()
export class AccessGate implements RouteGate {
  private readonly refusals: ScopeRefusals;

  constructor(metrics: Metrics) {
    this.refusals = new ScopeRefusals(metrics);
  }

  gateOf({ handler, controller }: DeclaredRoute): Gate | undefined {
    const decision = accessDecisionOf(handler, controller);
    if (decision?.kind === 'public') return undefined;
    const isFreshOnly = contractOf(handler)?.freshness === true;
    return () => {
      if (!decision) throw new Problem('forbidden', 'This route has no access rule.');
      const principal = currentPrincipal();
      // Any form of an address that the authentication did not recognise is refused here.
      if (!principal) throw credentialRefused();
      if (decision.kind === 'scope' && !principal.scopes.has(decision.scope))
        throw this.refusals.ofScope(decision.scope);
      if (isFreshOnly) requireFreshness();
    };
  }
}
