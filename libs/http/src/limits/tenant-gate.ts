import { OAuthError } from '@app/openid4vc';
import { Problem } from '@app/primitives/problems';
import { Injectable } from '@nestjs/common';
import { accessDecisionOf } from '../context/access-decision';
import { currentStanding, type Suspension, stopsWith, type TenantStanding } from '../context/tenant-standing';
import type { DeclaredRoute } from '../server/declared-routes';
import type { Gate, RouteGate } from '../server/route-plans';

/** Wallets ask again after a day. */
const later = { 'Retry-After': '86400' };

/** Refuses what a tenant may not do while it is suspended. Comes after access: only its own callers learn of it. */
@Injectable()
export class TenantGate implements RouteGate {
  gateOf({ handler, controller }: DeclaredRoute): Gate | undefined {
    const decision = accessDecisionOf(handler, controller);
    const audience = decision?.kind === 'public' ? decision.audience : 'management';
    const stops = stopsWith(handler, controller) ?? (decision?.kind === 'scope' ? 'all' : undefined);
    if (stops === undefined) return undefined;
    return () => {
      const standing = currentStanding();
      if (standing !== undefined && isStopped(stops, standing)) throw refusalFor(audience, standing);
    };
  }
}

function isStopped(stops: Suspension, { suspended }: TenantStanding): boolean {
  return suspended === 'all' || suspended === stops;
}

function refusalFor(audience: string, { suspended, isClosed = false }: TenantStanding): Error {
  if (audience === 'management') {
    if (isClosed) return new Problem('tenant-suspended', 'The tenant is deleted.');
    const rest = suspended === 'issuing' ? 'What it has issued can be read and revoked.' : '';
    return new Problem('tenant-suspended', `The operator of the service has suspended the tenant. ${rest}`.trim());
  }
  if (audience === 'people') return new Problem('unavailable', 'The issuer is suspended.', [], later);
  if (isClosed) return new OAuthError('invalid_request', 'the issuer does not exist any more', { status: 404 });
  return new OAuthError('temporarily_unavailable', 'the issuer is suspended; ask again tomorrow', { headers: later });
}
