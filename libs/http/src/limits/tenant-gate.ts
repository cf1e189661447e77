import { OAuthError } from '@app/openid4vc';
import { Problem } from '@app/primitives/problems';
import { Injectable, Optional } from '@nestjs/common';
import { accessDecisionOf } from '../context/access-decision';
import {
  type CountedByTenant,
  countsAs,
  currentStanding,
  type Suspension,
  stopsWith,
  type TenantStanding,
} from '../context/tenant-standing';
import type { DeclaredRoute } from '../server/declared-routes';
import type { Gate, RouteGate } from '../server/route-plans';
import { TenantLimiter } from './tenant-limiter';

/** Wallets ask again after a day. */
const later = { 'Retry-After': '86400' };

/** Refuses what a tenant may not do while it is suspended. Comes after access: only its own callers learn of it. */
@Injectable()
export class TenantGate implements RouteGate {
  constructor(@Optional() private readonly limiter?: TenantLimiter) {}

  gateOf({ handler, controller }: DeclaredRoute): Gate | undefined {
    const decision = accessDecisionOf(handler, controller);
    const audience = decision?.kind === 'public' ? decision.audience : 'management';
    const stops = stopsWith(handler, controller) ?? (decision?.kind === 'scope' ? 'all' : undefined);
    if (stops === undefined) return undefined;
    const counted = countsAs(handler, controller);
    return () => {
      const standing = currentStanding();
      if (standing === undefined) return;
      if (standing.isMoving === true) throw movingRefusal(audience);
      if (isStopped(stops, standing)) throw refusalFor(audience, standing);
      for (const kind of ['requests', counted] as const) {
        const seconds = kind && this.limiter?.take(kind);
        if (seconds !== undefined) throw limitReached(audience, kind, seconds);
      }
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

function movingRefusal(audience: string): Error {
  const headers = { 'Retry-After': '5' };
  const detail = 'The tenant is being moved to another store, which takes seconds.';
  if (audience !== 'wallets') return new Problem('unavailable', detail, [], headers);
  return new OAuthError('temporarily_unavailable', 'the issuer is being moved; ask again in a moment', { headers });
}

function limitReached(audience: string, counted: CountedByTenant | undefined, seconds: number): Error {
  const headers = { 'Retry-After': String(seconds) };
  const limit = counted === 'credentials' ? 'credentials per day' : `${counted ?? 'requests'} per minute`;
  if (audience !== 'wallets') {
    const detail = `The tenant has reached its limit of ${limit}. It begins anew in ${seconds} s.`;
    return new Problem('tenant-limit-reached', detail, [], headers);
  }
  return new OAuthError('temporarily_unavailable', 'too many requests to this issuer', { status: 429, headers });
}
