import { contractOf, type DeclaredRoute, type Gate, type RouteGate } from '@app/http';
import { Injectable } from '@nestjs/common';
import { beginAudit } from './request-audit';

/** Notes what a caller of the management API requests. Comes before the gates that may refuse it, and refuses nothing. */
@Injectable()
export class AuditGate implements RouteGate {
  gateOf({ handler, method }: DeclaredRoute): Gate | undefined {
    const action = contractOf(handler)?.auditAction;
    if (action === undefined) return undefined;
    const isChange = method !== 'GET';
    return ({ params }) => {
      const [object = null] = Object.values(params);
      beginAudit({ action, object, isChange });
    };
  }
}
