import { RequiresScope } from '@app/access';
import { type AuditQuery, EventStore } from '@app/event-store';
import { parsePageQuery } from '@app/http';
import { Described } from '@app/openapi';
import { Problem } from '@app/problem-details';
import { isDateTime } from '@app/time';
import { Controller, Get, Query } from '@nestjs/common';
import { auditDescription } from './audit.openapi';

const filters = ['principal', 'client', 'action', 'object', 'outcome'] as const;
const times = ['from', 'to'] as const;

@Controller('v0/audit')
@Described(auditDescription)
export class AuditController {
  constructor(private readonly store: EventStore) {}

  @Get()
  @RequiresScope('audit:read')
  async list(@Query() query: Record<string, unknown>): Promise<unknown> {
    const wanted: Partial<Record<keyof AuditQuery, string>> = {};
    for (const name of filters) {
      const text = textOf(query, name, 512);
      if (text !== undefined) wanted[name] = text;
    }
    for (const name of times) {
      const text = textOf(query, name, 64);
      if (text === undefined) continue;
      if (!isDateTime(text)) throw fault(name, 'must be a date-time such as 2027-06-30T12:00:00Z');
      wanted[name] = text;
    }
    const { items, nextCursor } = await this.store.listAudit({ ...wanted, ...parsePageQuery(query) });
    return { items: items.map(({ recordedAt, ...row }) => ({ at: recordedAt.toISOString(), ...row })), nextCursor };
  }
}

function textOf(query: Record<string, unknown>, name: string, longest: number): string | undefined {
  const value = query[name];
  if (value === undefined || (typeof value === 'string' && value.length <= longest)) return value;
  throw fault(name, `must be given once, with at most ${longest} characters`);
}

function fault(name: string, message: string): Problem {
  return new Problem('validation-failed', `The query has a fault: ${name} ${message}.`, [
    { pointer: `/${name}`, message },
  ]);
}
