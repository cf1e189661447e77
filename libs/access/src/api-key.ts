import type { Scope } from '@app/http';

/** What is known of a key besides its text, which only its caller has. */
export interface ApiKey {
  /** The eight characters behind `swk_`. */
  readonly id: string;
  readonly name: string;
  /** Whose key it is; a client may have several keys at once. */
  readonly client: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  /** By the database's clock, when it was read. */
  readonly isExpired: boolean;
  /** False when the row was changed, or added, from outside the service. Such a key grants nothing. */
  readonly isProven: boolean;
}

export interface StoredApiKey extends ApiKey {
  /** SHA-256 of the whole text. */
  readonly hash: Buffer;
  /** The mark of the tenant whose key it is; empty for one of the service. */
  readonly tenant: string;
  /** As of `keyStateOf`. */
  readonly state: string;
}

export type NewApiKey = Pick<StoredApiKey, 'id' | 'name' | 'client' | 'hash' | 'scopes' | 'expiresAt'>;

/** A row that was read. */
export type ApiKeyRow = Omit<StoredApiKey, 'isProven' | 'state'> &
  ApiKeyState & {
    readonly proof: Buffer | null;
  };

/** What changes of a key, by whomever. */
export interface ApiKeyState {
  /** Another one after each change. */
  readonly row: string;
  readonly isExpired: boolean;
  /** Not revoked, although the audit has a revocation: its row of before, which has a proof, too, was put back. */
  readonly isPutBack: boolean;
}

/** The same as long as nothing changes of a key. */
export function keyStateOf({ row, isExpired, isPutBack }: ApiKeyState): string {
  return `${row} ${isExpired} ${isPutBack}`;
}

export const apiKeyStateColumns = `xmin::text as row, coalesce(expires_at <= now(), false) as "isExpired",
  revoked_at is null and exists (select from audit where action in ('api-keys.revoke', 'api_keys.revoke') and object = api_keys.id
    and outcome = 'ok') as "isPutBack"`;

export const apiKeyColumns = `id, name, client, tenant, hash, scopes, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt", proof, ${apiKeyStateColumns}`;

/** The purpose of proofs of rows in `api_keys`. */
export const API_KEYS = 'api-keys';

type Content = Pick<
  ApiKeyRow,
  'id' | 'client' | 'name' | 'hash' | 'scopes' | 'createdAt' | 'expiresAt' | 'revokedAt' | 'tenant'
>;

/** All of a key that decides what it opens and whose it is; not when it was used last. */
export function apiKeyContent(key: Content): Buffer {
  const { id, client, name, hash, scopes, createdAt, expiresAt, revokedAt, tenant } = key;
  const whose = tenant === '' ? [] : [tenant];
  return Buffer.from(
    JSON.stringify([id, client, name, hash.toString('hex'), scopes, createdAt, expiresAt, revokedAt, ...whose]),
  );
}
