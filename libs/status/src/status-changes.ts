import {
  presentHistory,
  type Prover,
  type Provers,
  SqlError,
  type SqlDriver,
  type SqlExecutor,
} from '@app/event-store';
import { Logger } from '@nestjs/common';
import { Problem } from '@app/primitives/problems';
import { chain, type EntryChange, noChanges, pack, packedChanges, textOf, unpack } from './change-chain';
import { ofList, subscription, type Told, toldChanges } from './told-changes';

/** How far the changes of a list have come. */
export interface ListVersion {
  /** Rises with each addition; 0 when nothing has changed. */
  readonly number: number;
  /** Numbers of different histories have nothing in common: of another server, or made again from the events. */
  readonly history: string;
  /** Of all changes up to it; `undefined` where it was made of the events. */
  readonly digest: Buffer | undefined;
}

/** The version of a list of which nothing is known yet. */
export const unread: ListVersion = { number: 0, history: '', digest: noChanges };

/** What came after a version that was known, or all there is. */
export interface ListChanges {
  readonly version: ListVersion;
  /** Of one entry the last one counts. */
  readonly entries: readonly EntryChange[];
  /** Whether they follow what was known, and do not replace it. */
  readonly isSequel: boolean;
}

/** Bits of the stored version that count additions. Those above count how often the changes were made again. */
export const bitsOfAdditions = 32;

/** Neither what a list is made of nor the events are as this service has written them. */
export class ListAlteredError extends Problem {
  constructor() {
    super('unavailable', 'What this status list should say cannot be proven at present.');
  }
}

interface Row {
  readonly version: string | null;
  readonly history: string;
  readonly digest: Buffer | null;
  readonly upto: string | null;
  readonly proof: Buffer | null;
  readonly newest: string | null;
  readonly is_behind: boolean;
}

/** What the database has of a list. */
interface Present extends ListVersion {
  readonly upto: number;
  readonly newest: string;
  /** Whether its digest is one of this service. */
  readonly isProven: boolean;
  /** Whether it lacks an event that it should have: it was set back, or nothing brings changes into the lists. */
  readonly isBehind: boolean;
  /** Is another one when anything of it is. */
  readonly mark: string;
}

/** SQL of the condition that an event should be in its list: the subscription has handled it, or could have. */
const isDue = `((tx, position) <= (select s.tx, s.position from subscriptions s where s.name = '${subscription}')
    or recorded_at < now() - interval '1 minute')`;

/** Proofs of what lists say. */
export class ListProofs {
  private readonly prover: Prover | undefined;

  /** @param provers nothing is proven without them, and nothing is doubted */
  constructor(readonly provers: Provers | undefined) {
    this.prover = provers?.for('status-lists');
  }

  /** Nothing without a digest. */
  of(listId: string, place: ProvenPlace): Buffer | undefined {
    const content = contentOf(listId, place);
    return content && this.prover?.prove(content);
  }

  hold(listId: string, place: ProvenPlace, proof: Buffer | null): boolean {
    if (!this.prover) return true;
    const content = contentOf(listId, place);
    return content !== undefined && proof !== null && this.prover.check(content, proof);
  }
}

/** What a proof says of a list. */
type ProvenPlace = Pick<Present, 'number' | 'upto' | 'digest'>;

function contentOf(listId: string, { number, upto, digest }: ProvenPlace): Buffer | undefined {
  return digest && Buffer.from(JSON.stringify([listId, number, upto, digest.toString('base64url')]));
}

/**
 * The changes of the entries of all lists: what a subscription has made of the events of credentials. They are chained and
 * proven; where they are not what was proven, they are read from the events, of which each carries its own proof.
 */
export class StatusChanges {
  private readonly logger = new Logger('StatusLists');
  private readonly proofs: ListProofs;
  /** Lists whose rows are not what the mark of their version says. */
  private readonly doubted = new Map<string, string>();

  constructor(
    private readonly driver: SqlDriver,
    provers: Provers | undefined,
  ) {
    this.proofs = new ListProofs(provers);
  }

  /** Adds what events at these positions say of a list, as far as it is not there; its version rises when something is added. */
  async add(listId: string, positions: readonly string[]): Promise<void> {
    const { provers } = this.proofs;
    const { changes, altered, upto } = await toldChanges(this.driver, provers, listId, positions);
    for (const event of altered) this.logger.error({ event: 'status-list.event-altered', listId, altered: event });
    for (let isAdded = false; !isAdded;) isAdded = await this.tryToAdd(listId, { changes, upto, positions });
  }

  private async tryToAdd(
    listId: string,
    given: { readonly changes: readonly EntryChange[]; readonly upto: number; readonly positions: readonly string[] },
  ): Promise<boolean> {
    let present = await this.present(listId);
    // Without its proof, which what the events say gives back.
    if (!present.isProven && (await this.proveAnew(listId, present, await this.told(listId))))
      present = await this.present(listId);
    const fresh = await this.unknownOf(listId, given.changes);
    const upto = Math.max(present.upto, given.upto);
    if (fresh.length === 0 && upto === present.upto) return true;
    const number = fresh.length === 0 ? present.number : present.number + 1;
    const isSequel = present.isProven && !(await this.isSetBack(listId, present.upto, given));
    const digest = isSequel ? chain(pack(number, fresh), present.digest) : undefined;
    return this.write(listId, { from: present.number, number, digest, upto, fresh });
  }

  /** Of the same entry, by the same event, one is added. */
  private async unknownOf(listId: string, changes: readonly EntryChange[]): Promise<EntryChange[]> {
    if (changes.length === 0) return [];
    const known = await this.driver.query<{ place: number }>({
      name: 'status-changes-known',
      text: `select r.place::int as place from unnest($2::int[], $3::int[]) with ordinality as r (entry, stream_version, place)
        -- Below a lateral join with a limit the only plan is an index lookup for each.
        cross join lateral (select from status_changes c where c.list_id = $1 and c.entry = r.entry
          and c.stream_version = r.stream_version limit 1) as known`,
      values: [listId, changes.map(({ entry }) => entry), changes.map(({ streamVersion }) => streamVersion)],
    });
    const places = new Set(known.map(({ place }) => place - 1));
    const fresh = changes.filter((_, place) => !places.has(place));
    return [...new Map(fresh.map((change) => [`${change.entry}.${change.streamVersion}`, change])).values()];
  }

  /** Whether there are events before these that the list should have by now. */
  private async isSetBack(
    listId: string,
    from: number,
    { upto, positions }: { readonly upto: number; readonly positions: readonly string[] },
  ): Promise<boolean> {
    const rows = await this.driver.query({
      name: 'status-list-set-back',
      text: `select 1 as one from events where ${ofList} and position > $2::text::bigint and position < $3::text::bigint
        and position <> all($4::text[]::bigint[]) and ${isDue} limit 1`,
      values: [listId, String(from), String(upto), positions],
    });
    return rows.length > 0;
  }

  /** @returns whether the list was still at the version that this follows */
  private async write(
    listId: string,
    next: ProvenPlace & { readonly from: number; readonly fresh: readonly EntryChange[] },
  ): Promise<boolean> {
    const { from, number, digest, upto, fresh } = next;
    const rows = await this.driver.query({
      name: 'status-changes-add',
      text: `with raised as (
          insert into status_list_versions as v (list_id, version, digest, upto, proof)
          values ($1, $3::text::bigint, decode($4, 'hex'), $5::text::bigint, decode($6, 'hex'))
          on conflict (list_id) do update set version = excluded.version, digest = excluded.digest, upto = excluded.upto,
            proof = excluded.proof where v.version = $2::text::bigint
          returning version),
        added as (
          insert into status_changes (list_id, entry, stream_version, status, changed_at, list_version)
          select $1, entry, stream_version, status, changed_at, version
          from unnest($7::int[], $8::int[], $9::smallint[], $10::timestamptz[]) as r (entry, stream_version, status, changed_at)
          cross join raised)
        select 1 as one from raised`,
      values: [
        listId,
        String(from),
        String(number),
        digest?.toString('hex') ?? null,
        String(upto),
        this.proofs.of(listId, next)?.toString('hex') ?? null,
        fresh.map(({ entry }) => entry),
        fresh.map(({ streamVersion }) => streamVersion),
        fresh.map(({ status }) => status),
        fresh.map(({ changedAt }) => new Date(changedAt).toISOString()),
      ],
    });
    return rows.length > 0;
  }

  /**
   * What came after a version that is known; `undefined` when nothing did.
   * Throws `ListAlteredError` when nothing says any more what the list should say.
   */
  async since(listId: string, known: ListVersion): Promise<ListChanges | undefined> {
    let present = await this.present(listId);
    for (;;) {
      if (!present.isProven || present.isBehind || this.doubted.get(listId) === present.mark) break;
      const { number, history, digest } = present;
      if (number === known.number && history === known.history) return undefined;
      const isSequel = history === known.history && number > known.number;
      const [from, before] = isSequel ? [known.number, known.digest] : [0, noChanges];
      const bytes = await this.bytes(listId, from, number);
      if (bytes && digest?.equals(chain(bytes, before)) === true) {
        return { version: { number, history, digest }, entries: inOrder(unpack(bytes)), isSequel };
      }
      const again = await this.present(listId);
      // Else it was made again between the two statements.
      if (again.mark === present.mark) this.doubted.set(listId, present.mark);
      present = again;
    }
    return this.fromEvents(listId, present, known);
  }

  private async fromEvents(listId: string, present: Present, known: ListVersion): Promise<ListChanges | undefined> {
    const history = `${present.history}/${present.mark}/${present.newest}`;
    if (history === known.history) return undefined;
    const told = await this.told(listId);
    if (told.altered.length > 0) {
      this.logger.error({ event: 'status-list.altered', listId, served: 'nothing', altered: told.altered });
      throw new ListAlteredError();
    }
    if (!(await this.proveAnew(listId, present, told)))
      this.logger.error({ event: 'status-list.altered', listId, served: 'what the events say' });
    const version = { number: present.number, history, digest: undefined };
    return { version, entries: inOrder(told.changes), isSequel: false };
  }

  /** What is wrong with the rows of a list, and not only with its proof. */
  async faultOf(listId: string): Promise<string | undefined> {
    for (;;) {
      const present = await this.present(listId);
      const told = await this.told(listId);
      const bytes = await this.bytes(listId);
      if ((await this.present(listId)).mark !== present.mark) continue;
      if (!bytes) return 'has changes that cannot be read';
      const { entries } = compared(bytes, told);
      if (entries.length > 0) {
        const named = `${entries.slice(0, 5).join(', ')}${entries.length > 5 ? ' and others' : ''}`;
        return `differs from the events (entries ${named}): changes were added, changed or removed outside the service`;
      }
      return endsAt(present.number, bytes) ? undefined : 'has a version that is not the one of its last changes';
    }
  }

  /** The same, by the proof alone where that holds. */
  async quickFaultOf(listId: string): Promise<string | undefined> {
    const present = await this.present(listId);
    const bytes = present.isProven ? await this.bytes(listId, 0, present.number) : undefined;
    if (bytes && !present.isBehind && present.digest?.equals(chain(bytes)) === true) return undefined;
    return this.faultOf(listId);
  }

  /** Gives changes a proof that are what the events say. @returns whether they are */
  private async proveAnew(listId: string, { number, upto: before }: Present, told: Told): Promise<boolean> {
    const bytes = await this.bytes(listId);
    if (!bytes || told.altered.length > 0 || !endsAt(number, bytes)) return false;
    const { entries, upto: reached } = compared(bytes, told);
    if (entries.length > 0) return false;
    const place = { number, upto: Math.max(before, reached), digest: chain(bytes) };
    try {
      const proven = await this.driver.query({
        name: 'status-list-prove',
        text: `update status_list_versions set digest = decode($3, 'hex'), upto = $4::text::bigint, proof = decode($5, 'hex')
          where list_id = $1 and version = $2::text::bigint returning 1 as one`,
        values: [
          listId,
          String(number),
          place.digest.toString('hex'),
          String(place.upto),
          this.proofs.of(listId, place)?.toString('hex') ?? null,
        ],
      });
      if (proven.length > 0) this.logger.log({ event: 'status-list.proven', listId });
    } catch (error) {
      // A database that takes no writes lets lists be served all the same.
      this.logger.warn({
        event: 'status-list.not-proven',
        listId,
        reason: error instanceof Error ? error.name : 'unknown',
      });
    }
    return true;
  }

  private told(listId: string): Promise<Told> {
    return toldChanges(this.driver, this.proofs.provers, listId);
  }

  private async present(listId: string): Promise<Present> {
    const [row] = await this.driver.query<Row>({
      name: 'status-list-version',
      text: `select v.version::text, v.digest, v.upto::text, v.proof,
          concat_ws('/', ${presentHistory}, coalesce(v.version, 0) >> ${bitsOfAdditions}) as history,
          (select position from events where ${ofList} order by position desc limit 1)::text as newest,
          exists (select from events where ${ofList} and position > coalesce(v.upto, 0) and ${isDue}) as is_behind
        from (select $1::text as list_id) as asked
        left join lateral (select * from status_list_versions where list_id = asked.list_id collate "C" limit 1) as v on true`,
      values: [listId],
      lane: 'reads',
    });
    if (!row) throw new Error('a query without a row');
    const { history, proof, is_behind: isBehind } = row;
    // A list without changes has no row.
    const digest = row.version === null ? noChanges : (row.digest ?? undefined);
    const read = { number: Number(row.version ?? 0), history, digest, upto: Number(row.upto ?? 0) };
    const isProven = row.version === null || this.proofs.hold(listId, read, proof);
    const mark = [row.version, row.upto, proof?.toString('base64url').slice(0, 16)].join('.');
    return { ...read, newest: row.newest ?? '', isProven, isBehind, mark };
  }

  private bytes(listId: string, after = 0, upTo = Number.MAX_SAFE_INTEGER): Promise<Buffer | undefined> {
    return changesOf(this.driver, listId, after, upTo);
  }
}

/** Rows as `change-chain` takes them; `undefined` for some that this service cannot have written. */
async function changesOf(
  executor: SqlExecutor,
  listId: string,
  after: number,
  upTo: number,
): Promise<Buffer | undefined> {
  try {
    const [row] = await executor.query<{ packed: Buffer | null }>({
      name: 'status-changes-after',
      text: `select ${packedChanges} as packed from status_changes
        where list_id = $1 and list_version > $2::text::bigint and list_version <= $3::text::bigint`,
      values: [listId, String(after), String(upTo)],
    });
    return row?.packed ?? Buffer.alloc(0);
  } catch (error) {
    // Such as a time without an end.
    if (error instanceof SqlError) return undefined;
    throw error;
  }
}

/**
 * Entries of which rows and events do not say the same, but for what the subscription has not brought yet, and the highest
 * position of an event that rows have.
 */
function compared(bytes: Buffer, told: Told): { readonly entries: readonly number[]; readonly upto: number } {
  const rows = new Map(unpack(bytes).map((change) => [textOf(change), change.entry]));
  const entries = new Set<number>();
  let upto = 0;
  for (const change of told.changes) {
    if (rows.delete(textOf(change))) upto = Math.max(upto, change.position);
    else if (change.isDue) entries.add(change.entry);
  }
  for (const entry of rows.values()) entries.add(entry);
  return { entries: [...entries].sort((one, other) => one - other), upto };
}

/** Those of one entry in the order of their events. */
function inOrder(changes: readonly EntryChange[]): EntryChange[] {
  return changes.toSorted((one, other) => one.streamVersion - other.streamVersion);
}

/** Whether these changes come up to a version. One that was made again from events without any change has none. */
function endsAt(version: number, bytes: Buffer): boolean {
  return (unpack(bytes).at(-1)?.version ?? 0) === (bytes.length > 0 ? version : version % 2 ** bitsOfAdditions);
}
