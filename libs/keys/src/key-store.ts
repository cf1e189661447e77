import type { SqlDriver } from '@app/event-store';
import type { PublicJwk } from '@app/credentials';

export type KeyStatus = 'active' | 'retired' | 'revoked';

/** A row of `key_store`; of secrets it holds only sealed ones. */
export interface StoredKey {
  readonly id: string;
  readonly algorithm: string | null;
  readonly status: KeyStatus;
  readonly publicJwk: PublicJwk | null;
  readonly sealed: string;
  readonly createdAt: Date;
}

export type NewKey = Omit<StoredKey, 'status' | 'createdAt'> & { readonly purpose: string };

const COLUMNS = 'id, algorithm, status, public_jwk as "publicJwk", sealed, created_at as "createdAt"';

/** The table of keys. Each method is one statement, safe against other replicas. */
export class KeyStore {
  constructor(private readonly driver: Pick<SqlDriver, 'query'>) {}

  async find(id: string): Promise<StoredKey | undefined> {
    const rows = await this.driver.query<StoredKey>({
      name: 'key-store-find',
      text: `select ${COLUMNS} from key_store where id = $1`,
      values: [id],
    });
    return rows[0];
  }

  /** All keys of a purpose, whatever their status, the oldest first. */
  async list(purpose: string): Promise<StoredKey[]> {
    return this.driver.query<StoredKey>({
      name: 'key-store-list',
      text: `select ${COLUMNS} from key_store where purpose = $1 order by created_at, id`,
      values: [purpose],
    });
  }

  /** Adds an active key; an id that is taken stays as it is. */
  async insert(key: NewKey): Promise<void> {
    await this.driver.query({
      name: 'key-store-insert',
      text: `insert into key_store (id, purpose, algorithm, status, public_jwk, sealed, created_at, updated_at)
             values ($1, $2, $3, 'active', $4::text::jsonb, $5, now(), now())
             on conflict (id) do nothing`,
      values: columns(key),
    });
  }

  /** Takes the active key `outgoing` out of use and adds its successor; does nothing when it is not active any more. */
  async replace(outgoing: string, becomes: 'retired' | 'revoked', successor: NewKey): Promise<void> {
    await this.driver.query({
      name: 'key-store-replace',
      // The update waits for a rival's row lock and then finds the key replaced, so one successor is made.
      text: `with gone as (
               update key_store set status = $7, updated_at = now()
               where id = $6 and status = 'active' returning id)
             insert into key_store (id, purpose, algorithm, status, public_jwk, sealed, created_at, updated_at)
             select $1, $2, $3, 'active', $4::text::jsonb, $5, now(), now() from gone`,
      values: [...columns(successor), outgoing, becomes],
    });
  }

  /** Revokes a retired key; one with another status stays as it is. */
  async revokeRetired(id: string): Promise<void> {
    await this.driver.query({
      name: 'key-store-revoke',
      text: `update key_store set status = 'revoked', updated_at = now() where id = $1 and status = 'retired'`,
      values: [id],
    });
  }
}

function columns({ id, purpose, algorithm, publicJwk, sealed }: NewKey): unknown[] {
  return [id, purpose, algorithm, publicJwk && JSON.stringify(publicJwk), sealed];
}
