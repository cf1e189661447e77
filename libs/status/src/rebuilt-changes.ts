import type { SqlDriver } from '@app/event-store';
import { bitsOfAdditions, statusValues } from './status-changes';

// What the events say, row by row.
const told = `told as (
  select c.list->>'listId' as list_id, entry::int as entry, e.version as stream_version,
    case c.list->>'to' when 'revoked' then ${statusValues.revoked} when 'suspended' then ${statusValues.suspended}
      else ${statusValues.valid} end as status, e.recorded_at as changed_at
  from events e
  cross join lateral (select e.data->'statusChange' as list) as c
  cross join lateral jsonb_array_elements_text(c.list->'indices') as i (entry)
  where e.data ? 'statusChange')`;

/**
 * Makes the changes of status lists again from the events, where they differ; the service may keep running.
 * @returns the lists that differed
 */
export function rebuildStatusChanges(driver: SqlDriver): Promise<readonly string[]> {
  return driver.transaction(async (tx) => {
    await tx.script(`set local statement_timeout = 0;
      lock table status_list_versions, status_changes in exclusive mode`);
    const rows = await tx.query<{ list_id: string }>({
      name: 'status-lists-differing',
      text: `with ${told},
          here as (select list_id, entry, stream_version, status::int from status_changes),
          there as (select list_id, entry, stream_version, status from told)
        select list_id from ((table here except table there) union (table there except table here)) as differing
        group by list_id order by list_id`,
      values: [],
    });
    const differing = rows.map(({ list_id }) => list_id);
    if (differing.length === 0) return differing;
    await tx.query({
      name: 'status-lists-clear',
      text: 'delete from status_changes where list_id = any($1::text[])',
      values: [differing],
    });
    await tx.query({
      name: 'status-lists-rebuild',
      // A version of another history: whatever a replica has, it reads all of the list again.
      text: `with ${told},
        versions as (
          insert into status_list_versions as v (list_id, version) select list_id, 1::bigint << ${bitsOfAdditions}
            from unnest($1::text[]) as l (list_id)
          on conflict (list_id) do update set version = ((v.version >> ${bitsOfAdditions}) + 1) << ${bitsOfAdditions}
          returning list_id, version)
        insert into status_changes (list_id, entry, stream_version, status, changed_at, list_version)
        select list_id, entry, stream_version, status, changed_at, version from told join versions using (list_id)`,
      values: [differing],
    });
    return differing;
  });
}
