import { STORE_DRIVER, type SqlExecutor } from '@app/event-store';
import { atStore } from '@app/primitives/context';
import type { TenantState } from './tenant';
import { Inject, Injectable } from '@nestjs/common';

/** What a tenant has stored; counts end at `most`. */
export interface TenantUsage {
  readonly offers: number;
  readonly credentials: { readonly issued: number; readonly issuedInLast30Days: number };
  readonly templates: number;
  readonly webhooks: number;
}

/** More of one kind are not counted. */
export const most = 1_000_000;

interface Counts {
  readonly offers: number;
  readonly templates: number;
  readonly webhooks: number;
  readonly issued: number;
  readonly recent: number;
}

const ofCategory = (name: string): string => `(select count(*)::integer from
  (select from streams where category = '${name}~' || $1::text limit ${most}) as one)`;
const issuedAt = `((state->>'issuedAt') collate "C")`;
const issued = `from streams where category like 'credential~%' and category = 'credential~' || $1::text
  and state->>'issuedAt' is not null`;
const monthAgo = `to_char((now() - interval '30 days') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Counts what tenants have, each kind from one range of an index. */
@Injectable()
export class TenantUsages {
  constructor(@Inject(STORE_DRIVER) private readonly driver: SqlExecutor) {}

  async of({ mark, store }: Pick<TenantState, 'mark' | 'store'>): Promise<TenantUsage> {
    const [row] = await atStore(store, () => this.count(mark));
    if (!row) throw new Error('The database returned no counts.');
    const { offers, templates, webhooks } = row;
    return { offers, credentials: { issued: row.issued, issuedInLast30Days: row.recent }, templates, webhooks };
  }

  private count(mark: string): Promise<Counts[]> {
    return this.driver.query<Counts>({
      name: 'tenant-usage',
      text: `select ${ofCategory('offer')} as offers, ${ofCategory('template')} as templates,
        (select count(*)::integer from webhook_receivers where tenant = $1::text and tenant <> '') as webhooks,
        (select count(*)::integer from (select ${issued} limit ${most}) as one) as issued,
        (select count(*)::integer from (select ${issued} and ${issuedAt} >= ${monthAgo} limit ${most}) as one) as recent`,
      values: [mark],
    });
  }
}
