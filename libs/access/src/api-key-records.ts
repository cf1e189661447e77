import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { Inject, Injectable } from '@nestjs/common';
import type { Scope } from './access-decision';

/** What is known of a key beside its text, which nobody has but its caller. */
export interface ApiKey {
  /** The eight characters behind `swk_`. */
  readonly id: string;
  readonly name: string;
  /** Whose key it is; a client may have several keys at once. `key:<id>` for a key that was made before keys had clients. */
  readonly client: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
}

export interface StoredApiKey extends ApiKey {
  /** SHA-256 of the whole text. */
  readonly hash: Buffer;
  /** By the database's clock, when it was read. */
  readonly isExpired: boolean;
}

export type NewApiKey = Pick<StoredApiKey, 'id' | 'name' | 'client' | 'hash' | 'scopes' | 'expiresAt'>;

const shown = `id, name, coalesce(client, 'key:' || id) as client, scopes, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
  last_used_at as "lastUsedAt"`;
const isLive = `revoked_at is null and (expires_at is null or expires_at > now())`;

/** The table of API keys. */
@Injectable()
export class ApiKeyRecords {
  constructor(@Inject(SQL_DRIVER) private readonly driver: Pick<SqlDriver, 'query'>) {}

  async insert({ id, name, client, hash, scopes, expiresAt }: NewApiKey): Promise<ApiKey | undefined> {
    const rows = await this.driver.query<ApiKey>({
      name: 'api-key-insert',
      text: `insert into api_keys (id, name, client, hash, scopes, expires_at)
             values ($1, $2, $3, $4, $5, $6) returning ${shown}`,
      values: [id, name, client, hash, scopes, expiresAt],
    });
    return rows[0];
  }

  async find(id: string): Promise<StoredApiKey | undefined> {
    const rows = await this.driver.query<StoredApiKey>({
      name: 'api-key-find',
      text: `select ${shown}, hash, coalesce(expires_at <= now(), false) as "isExpired" from api_keys where id = $1`,
      values: [id],
    });
    return rows[0];
  }

  /** Every key, the oldest first. */
  list(): Promise<ApiKey[]> {
    return this.driver.query<ApiKey>({
      name: 'api-key-list',
      text: `select ${shown} from api_keys order by created_at, id`,
      values: [],
    });
  }

  /** Keeps the first time when it is done twice. */
  async revoke(id: string): Promise<ApiKey | undefined> {
    const rows = await this.driver.query<ApiKey>({
      name: 'api-key-revoke',
      text: `update api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1 returning ${shown}`,
      values: [id],
    });
    return rows[0];
  }

  /** Notes the use of a key, unless another replica has done so within the minute. */
  async touch(id: string): Promise<void> {
    await this.driver.query({
      name: 'api-key-touch',
      text: `update api_keys set last_used_at = now()
             where id = $1 and (last_used_at is null or last_used_at <= now() - interval '1 minute')`,
      values: [id],
    });
  }

  async hasLive(): Promise<boolean> {
    const rows = await this.driver.query<{ found: boolean }>({
      name: 'api-key-live',
      text: `select exists (select from api_keys where ${isLive}) as found`,
      values: [],
    });
    return rows[0]?.found === true;
  }
}
