import type { SqlExecutor } from '@app/event-store';
import { tenantAggregate } from './tenant';

/** The versions of the streams of tenants, by their ids; those that are not there are left out. */
export async function versionsOf(executor: SqlExecutor, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const prefix = `${tenantAggregate.category}-`;
  const rows = await executor.query<{ stream_id: string; version: number }>({
    name: 'tenants-versions',
    text: 'select stream_id, version from streams where stream_id = any($1::text[])',
    values: [ids.map((id) => prefix + id)],
  });
  return new Map(rows.map(({ stream_id: streamId, version }) => [streamId.slice(prefix.length), version]));
}
