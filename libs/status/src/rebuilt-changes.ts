import type { Finding, Provers, SqlDriver, SqlExecutor } from '@app/event-store';
import { chain, noChanges, pack } from './change-chain';
import { bitsOfAdditions, ListProofs, StatusChanges } from './status-changes';
import { toldChanges } from './told-changes';

/** What of the changes of status lists is not what the events say. @param depth `proofs` asks the events where no proof holds */
export async function* checkStatusChanges(
  driver: SqlDriver,
  provers: Provers,
  depth: 'proofs' | 'events',
): AsyncGenerator<Finding> {
  const changes = new StatusChanges(driver, provers);
  for (const listId of await knownLists(driver)) {
    const fault = await (depth === 'events' ? changes.faultOf(listId) : changes.quickFaultOf(listId));
    if (fault !== undefined) yield { subject: `status list ${listId}`, fault };
  }
}

/**
 * Makes the changes of status lists again from the events, where they differ; the service may keep running.
 * @param provers without them the running service gives the proofs
 * @returns the lists that differed
 */
export async function rebuildStatusChanges(
  driver: SqlDriver,
  provers: Provers | undefined,
): Promise<readonly string[]> {
  const changes = new StatusChanges(driver, provers);
  const differing: string[] = [];
  for (const listId of await knownLists(driver))
    if ((await changes.faultOf(listId)) !== undefined) differing.push(listId);
  if (differing.length === 0) return differing;
  await driver.transaction(async (tx) => {
    await tx.script(`set local statement_timeout = 0;
      lock table status_list_versions, status_changes in exclusive mode`);
    for (const listId of differing) await rebuild(tx, provers, listId);
  });
  return differing;
}

async function rebuild(tx: SqlExecutor, provers: Provers | undefined, listId: string): Promise<void> {
  const { changes, upto } = await toldChanges(tx, provers, listId);
  const [raised] = await tx.query<{ version: string }>({
    name: 'status-list-rebuilt',
    // A version of another history: whatever a replica has, it reads all of the list again.
    text: `with cleared as (delete from status_changes where list_id = $1)
      insert into status_list_versions as v (list_id, version) values ($1, 1::bigint << ${bitsOfAdditions})
      on conflict (list_id) do update set version = ((v.version >> ${bitsOfAdditions}) + 1) << ${bitsOfAdditions}
      returning version::text`,
    values: [listId],
  });
  const number = Number(raised?.version);
  const place = { number, upto, digest: changes.length > 0 ? chain(pack(number, changes)) : noChanges };
  await tx.query({
    name: 'status-changes-rebuilt',
    text: `with proven as (
        update status_list_versions set digest = decode($3, 'hex'), upto = $4::text::bigint, proof = decode($5, 'hex')
        where list_id = $1)
      insert into status_changes (list_id, entry, stream_version, status, changed_at, list_version)
      select $1, entry, stream_version, status, changed_at, $2::text::bigint
      from unnest($6::int[], $7::int[], $8::smallint[], $9::timestamptz[]) as r (entry, stream_version, status, changed_at)`,
    values: [
      listId,
      String(number),
      place.digest.toString('hex'),
      String(upto),
      new ListProofs(provers).of(listId, place)?.toString('hex') ?? null,
      changes.map(({ entry }) => entry),
      changes.map(({ streamVersion }) => streamVersion),
      changes.map(({ status }) => status),
      changes.map(({ changedAt }) => new Date(changedAt).toISOString()),
    ],
  });
}

async function knownLists(executor: SqlExecutor): Promise<readonly string[]> {
  const rows = await executor.query<{ list_id: string }>({
    name: 'status-lists-known',
    text: `select substr(stream_id, strpos(stream_id, '-') + 1) as list_id from streams
        where category = 'statusList' or category like 'statusList~%'
      union select list_id from status_list_versions union select list_id from status_changes order by list_id`,
    values: [],
  });
  return rows.map(({ list_id: listId }) => listId);
}
