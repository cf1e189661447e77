import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { mergeMap, type Observable } from 'rxjs';
import { AuditTrail } from './audit-trail';
import { currentAudit } from './request-audit';

/** Holds the answer back until the audit has what belongs to it. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly trail: AuditTrail) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (!currentAudit()) return next.handle();
    return next.handle().pipe(
      mergeMap(async (result: unknown) => {
        await this.trail.answered(result);
        return result;
      }),
    );
  }
}
