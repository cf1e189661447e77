import { presentHistory, SQL_DRIVER, type SqlDriver, type Statement } from '@app/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { type ListedStatus, listedStatuses } from './listed-status';

/** A change of one entry, by one event of its credential. */
export interface EntryChange {
  readonly listId: string;
  readonly entry: number;
  /** Of the event. */
  readonly streamVersion: number;
  readonly to: ListedStatus;
  readonly changedAt: Date;
}

/** What a list says of an entry that is not as it was at first. */
export interface ListedEntry {
  readonly entry: number;
  /** Token Status List §7.1 */
  readonly status: number;
}

/** How far the changes of a list have come. */
export interface ListVersion {
  /** Rises with each addition; 0 when nothing has changed. */
  readonly number: number;
  /** Numbers of different histories have nothing in common: of another server, or made again from the events. */
  readonly history: string;
}

/** Bits of the stored version that count additions. Those above count how often the changes were made again. */
export const bitsOfAdditions = 32;

/** The values of Token Status List §7.1. */
export const statusValues: Readonly<Record<ListedStatus, number>> = { valid: 0, revoked: 1, suspended: 2 };

/** By its value; `undefined` for one that this service gives no entry. */
export function statusOfValue(value: number | undefined): ListedStatus | undefined {
  return listedStatuses.find((status) => statusValues[status] === value);
}

/**
 * Statuses of the entries of list $1, those of one entry in their order, four bytes each: a large list has more of them than
 * rows are good for.
 */
function packed(condition: string): string {
  return `select string_agg(int4send(entry << 2 | status), '' order by entry, stream_version) as packed
    from status_changes where list_id = $1 and ${condition}`;
}

/** The changes of the entries of all lists: what a subscription has made of the events of credentials. */
@Injectable()
export class StatusChanges {
  constructor(@Inject(SQL_DRIVER) private readonly driver: SqlDriver) {}

  /** Adds the changes that are not there yet, all of them or none; the version of each list that gets some rises. */
  async add(changes: readonly EntryChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.driver.query({
      name: 'status-changes-add',
      text: `with given as (
          select distinct on (list_id, entry, stream_version) * from unnest($1::text[], $2::int[], $3::int[], $4::smallint[], $5::timestamptz[])
            as r (list_id, entry, stream_version, status, changed_at)),
        fresh as (
          -- Below a lateral join with a limit the only plan is an index lookup for each.
          select given.* from given left join lateral (
            select true as is_known from status_changes c where c.list_id = given.list_id and c.entry = given.entry
              and c.stream_version = given.stream_version limit 1) known on true
          where is_known is null),
        raised as (
          insert into status_list_versions as v (list_id, version) select distinct list_id, 1 from fresh order by list_id
          on conflict (list_id) do update set version = v.version + 1
          returning list_id, version)
        insert into status_changes (list_id, entry, stream_version, status, changed_at, list_version)
        select list_id, entry, stream_version, status, changed_at, version from fresh join raised using (list_id)
        on conflict do nothing`,
      values: [
        changes.map(({ listId }) => listId),
        changes.map(({ entry }) => entry),
        changes.map(({ streamVersion }) => streamVersion),
        changes.map(({ to }) => statusValues[to]),
        changes.map(({ changedAt }) => changedAt.toISOString()),
      ],
    });
  }

  async versionOf(listId: string): Promise<ListVersion> {
    const [row] = await this.driver.query<{ version: string; history: string }>({
      name: 'status-list-version',
      text: `select version::text, concat_ws('/', ${presentHistory}, version >> ${bitsOfAdditions}) as history
        from (select coalesce((select version from status_list_versions where list_id = $1), 0) as version) as present`,
      values: [listId],
      lane: 'reads',
    });
    return { number: Number(row?.version ?? 0), history: row?.history ?? '' };
  }

  /** The changes after a version of the list, up to another one; of one entry the last one counts. */
  after(listId: string, version: number, upTo: number): Promise<ListedEntry[]> {
    return this.entries({
      name: 'status-changes-after',
      text: packed('list_version > $2::text::bigint and list_version <= $3::text::bigint'),
      values: [listId, String(version), String(upTo)],
    });
  }

  /** The changes up to a moment; of one entry the last one counts. */
  at(listId: string, moment: Date): Promise<ListedEntry[]> {
    return this.entries({
      name: 'status-changes-at',
      text: packed('changed_at <= $2::timestamptz'),
      values: [listId, moment.toISOString()],
    });
  }

  private async entries(statement: Statement): Promise<ListedEntry[]> {
    const [row] = await this.driver.query<{ packed: Buffer | null }>(statement);
    if (!row?.packed) return [];
    const { packed: bytes } = row;
    return Array.from({ length: bytes.length / 4 }, (_, place) => {
      const number = bytes.readInt32BE(place * 4);
      return { entry: number >> 2, status: number & 3 };
    });
  }

  /** The last change at or before a moment, and the first one after it. */
  async around(
    listId: string,
    moment: Date,
  ): Promise<{ readonly last: Date | undefined; readonly next: Date | undefined }> {
    const [row] = await this.driver.query<{ last: Date | null; next: Date | null }>({
      name: 'status-changes-around',
      text: `select max(changed_at) filter (where changed_at <= $2::timestamptz) as last,
        min(changed_at) filter (where changed_at > $2::timestamptz) as next from status_changes where list_id = $1`,
      values: [listId, moment.toISOString()],
    });
    return { last: row?.last ?? undefined, next: row?.next ?? undefined };
  }
}
