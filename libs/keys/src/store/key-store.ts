import type { SqlDriver, SqlExecutor } from '@app/event-store';
import type { PublicJwk } from '@app/primitives/jose';

export type KeyStatus = 'active' | 'retired' | 'revoked';

/** The number at the end of a key's id, counted from one within its purpose and algorithm. */
export function keyGenerationOf({ id }: Pick<StoredKey, 'id'>): number {
  return Number(id.split(':').at(-1));
}

/** Whether keys replace one another: those of one algorithm and one provider. */
export function isOfOneKind(one: Kind, other: Kind): boolean {
  return one.algorithm === other.algorithm && one.provider === other.provider;
}

type Kind = Pick<StoredKey, 'algorithm' | 'provider'>;

/** A row of `key_store`; of secrets it holds only sealed ones. Times have milliseconds. */
export interface StoredKey {
  readonly id: string;
  readonly purpose: string;
  readonly algorithm: string | null;
  readonly status: KeyStatus;
  readonly publicJwk: PublicJwk | null;
  /** Empty for a key at a provider, and for one that was destroyed. */
  readonly sealed: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null in what is made before the first proof key, until that is. */
  readonly proof: Buffer | null;
  /** Of a key that a certificate vouches for: PEM, the leaf first, without the trust anchor. */
  readonly chain: string | null;
  /** By name, and how it finds the key; null for keys that are sealed here. */
  readonly provider: string | null;
  readonly reference: string | null;
}

export type NewKey = Pick<StoredKey, 'id' | 'purpose' | 'algorithm' | 'publicJwk' | 'sealed'> &
  Partial<Pick<StoredKey, 'chain' | 'provider' | 'reference'>>;

/** Of what a tenant has keys of its own. */
export const purposesOfTenants = ['signing', 'certificate', 'encryption'] as const;

const COLUMNS = `id, purpose, algorithm, status, public_jwk as "publicJwk", sealed, created_at as "createdAt",
  updated_at as "updatedAt", proof, chain, provider, reference`;

const INSERTED =
  'id, purpose, algorithm, status, public_jwk, sealed, created_at, updated_at, proof, chain, provider, reference';

/** The table of keys. Each method is one statement, safe against other replicas. */
export class KeyStore {
  constructor(private readonly executor: SqlExecutor) {}

  /** The clock of the database, in milliseconds: what is proven of a row has to be known before it is written. */
  async now(): Promise<Date> {
    const [row] = await this.executor.query<{ now: Date }>({
      name: 'key-store-now',
      text: `select date_trunc('milliseconds', now()) as now`,
      values: [],
    });
    if (!row) throw new Error('The database returned no time.');
    return row.now;
  }

  async find(id: string): Promise<StoredKey | undefined> {
    const rows = await this.executor.query<StoredKey>({
      name: 'key-store-find',
      text: `select ${COLUMNS} from key_store where id = $1`,
      values: [id],
    });
    return rows[0];
  }

  /** All keys of these purposes, whatever their status, the oldest first. */
  async list(...purposes: readonly string[]): Promise<StoredKey[]> {
    return this.executor.query<StoredKey>({
      name: 'key-store-list',
      text: `select ${COLUMNS} from key_store where purpose = any($1::text[]) order by created_at, id`,
      values: [purposes],
    });
  }

  /** A text for each of these tenants that has keys: another one after each change of them. @param marks of the tenants */
  async statesOf(marks: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.executor.query<{ mark: string; state: string }>({
      name: 'key-store-states',
      text: `select substr(r.purpose, strpos(r.purpose, '~') + 1) as mark, string_agg(k.state, ',' order by r.purpose) as state
        from unnest((select $1::text[])) as r (purpose)
        cross join lateral (select string_agg(id || ' ' || xmin::text, ',' order by id) as state from key_store
          where purpose = r.purpose) as k
        group by 1`,
      values: [marks.flatMap((mark) => purposesOfTenants.map((purpose) => `${purpose}~${mark}`))],
    });
    return new Map(rows.map(({ mark, state }) => [mark, state]));
  }

  /** All that are of no tenant; there are few. */
  async ofService(): Promise<StoredKey[]> {
    return this.executor.query<StoredKey>({
      name: 'key-store-of-service',
      text: `select ${COLUMNS} from key_store where strpos(purpose, '~') = 0 order by id`,
      values: [],
    });
  }

  /** Every key, those of tenants as well. */
  async all(): Promise<StoredKey[]> {
    return this.executor.query<StoredKey>({
      name: 'key-store-all',
      text: `select ${COLUMNS} from key_store order by id`,
      values: [],
    });
  }

  /** Adds a key; an id that is taken is left unchanged. Returns whether it was free. */
  async insert(row: StoredKey): Promise<boolean> {
    const rows = await this.executor.query({
      name: 'key-store-insert',
      text: `insert into key_store (${INSERTED})
             values ($1, $2, $3, $4, $5::text::jsonb, $6, $7, $8, $9, $10, $11, $12)
             on conflict (id) do nothing returning id`,
      values: columns(row),
    });
    return rows.length > 0;
  }

  /** Takes an active key out of use and adds its successor; does nothing when it is not active any more. */
  async replace(outgoing: StoredKey, successor: StoredKey): Promise<void> {
    await this.executor.query({
      name: 'key-store-replace',
      // The update waits for a rival's row lock and then finds the key replaced, so one successor is made.
      text: `with gone as (
               update key_store set status = $14, updated_at = $15, proof = $16
               where id = $13 and status = 'active' returning id)
             insert into key_store (${INSERTED})
             select $1, $2, $3, $4, $5::text::jsonb, $6, $7::timestamptz, $8::timestamptz, $9::bytea, $10, $11, $12 from gone`,
      values: [...columns(successor), outgoing.id, outgoing.status, outgoing.updatedAt, outgoing.proof],
    });
  }

  /** Revokes an active key that has no successor. */
  async withdraw({ id, updatedAt, proof }: StoredKey): Promise<void> {
    await this.executor.query({
      name: 'key-store-withdraw',
      text: `update key_store set status = 'revoked', updated_at = $2, proof = $3 where id = $1 and status = 'active'`,
      values: [id, updatedAt, proof],
    });
  }

  /** Revokes a retired key; one with another status is left unchanged. */
  async revokeRetired({ id, updatedAt, proof }: StoredKey): Promise<void> {
    await this.executor.query({
      name: 'key-store-revoke',
      text: `update key_store set status = 'revoked', updated_at = $2, proof = $3 where id = $1 and status = 'retired'`,
      values: [id, updatedAt, proof],
    });
  }

  /** Empties a row; one that is empty is left unchanged. */
  async destroy({ id, updatedAt, proof }: StoredKey): Promise<void> {
    await this.executor.query({
      name: 'key-store-destroy',
      text: `update key_store set status = 'revoked', sealed = '', updated_at = $2, proof = $3 where id = $1 and sealed <> ''`,
      values: [id, updatedAt, proof],
    });
  }

  /** Gives an active key its chain in place of the one `before`. Returns whether it was still there. */
  async certify({ id, chain, updatedAt, proof }: StoredKey, before: string | null): Promise<boolean> {
    const rows = await this.executor.query({
      name: 'key-store-certify',
      text: `update key_store set chain = $2, updated_at = $3, proof = $4
             where id = $1 and status = 'active' and chain is not distinct from $5::text returning id`,
      values: [id, chain, updatedAt, proof, before],
    });
    return rows.length > 0;
  }

  /** Replaces what is sealed with the same key resealed. Returns whether the row was still unchanged. */
  async reseal(id: string, from: string, to: string): Promise<boolean> {
    const rows = await this.executor.query({
      name: 'key-store-reseal',
      text: 'update key_store set sealed = $3 where id = $1 and sealed = $2 returning id',
      values: [id, from, to],
    });
    return rows.length > 0;
  }

  /** Gives a row that has none its proof. */
  async prove(id: string, proof: Buffer): Promise<void> {
    await this.executor.query({
      name: 'key-store-prove',
      text: 'update key_store set proof = $2 where id = $1 and proof is null',
      values: [id, proof],
    });
  }
}

/** Where the key store is, with transactions for what has to happen at once. */
export type KeyDatabase = Pick<SqlDriver, 'query' | 'transaction'>;

function columns(row: StoredKey): unknown[] {
  const { id, purpose, algorithm, status, publicJwk, sealed, createdAt, updatedAt, proof, chain } = row;
  const publicHalf = publicJwk && JSON.stringify(publicJwk);
  const place = [row.provider, row.reference];
  return [id, purpose, algorithm, status, publicHalf, sealed, createdAt, updatedAt, proof, chain, ...place];
}
