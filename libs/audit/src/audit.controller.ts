import { auditFilters, type AuditQuery, EventStore } from '@app/event-store';
import { parsePageQuery, parseText, queryFault } from '@app/http';
import { Described } from '@app/openapi';
import { isDateTime } from '@app/time';
import { RequiresScope } from '@app/web';
import { Controller, Get, Query } from '@nestjs/common';
import { auditDescription } from './audit.openapi';

const times = ['from', 'to'] as const;

@Controller('v0/audit')
@Described(auditDescription)
export class AuditController {
  constructor(private readonly store: EventStore) {}

  @Get()
  @RequiresScope('audit:read')
  async list(@Query() query: Record<string, unknown>): Promise<unknown> {
    const wanted: Partial<Record<keyof AuditQuery, string>> = {};
    for (const name of auditFilters) {
      const text = parseText(query, name, 512);
      if (text !== undefined) wanted[name] = text;
    }
    for (const name of times) {
      const text = parseText(query, name, 64);
      if (text === undefined) continue;
      if (!isDateTime(text)) throw queryFault(name, 'must be a date-time such as 2027-06-30T12:00:00Z');
      wanted[name] = text;
    }
    const { items, nextCursor } = await this.store.listAudit({ ...wanted, ...parsePageQuery(query) });
    return { items: items.map(({ recordedAt, ...row }) => ({ at: recordedAt.toISOString(), ...row })), nextCursor };
  }
}
