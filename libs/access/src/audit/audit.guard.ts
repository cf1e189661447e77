import { contractOf } from '@app/http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { beginAudit } from './request-audit';

interface Asked {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Notes what a caller of the management API requests. Runs before the guards that may reject it, and rejects nothing. */
@Injectable()
export class AuditGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const action = contractOf(context.getHandler())?.auditAction;
    if (action === undefined) return true;
    const { method, params } = context.switchToHttp().getRequest<Asked>();
    const [object = null] = Object.values(params);
    beginAudit({ action, object, isChange: method !== 'GET' && method !== 'HEAD' });
    return true;
  }
}
