import { currentMark, keptBytes } from '@app/primitives/context';
import { type Prover, SQL_DRIVER, type SqlExecutor } from '@app/event-store';
import type { Scope } from '@app/http';
import { ProofKeys } from '@app/keys';
import { Inject, Injectable } from '@nestjs/common';
import {
  API_KEYS,
  type ApiKey,
  apiKeyColumns,
  type ApiKeyRow,
  type ApiKeyState,
  apiKeyContent,
  apiKeyStateColumns,
  type NewApiKey,
  keyStateOf,
  type StoredApiKey,
} from './api-key';

type Place = Pick<StoredApiKey, 'id' | 'tenant'>;

/** Among keys of several tenants. */
export function keyPlaceOf({ id, tenant }: Place): string {
  return `${tenant} ${id}`;
}

/** Lists of scopes that are kept once. */
const mostScopes = 1_000;

/** The table of API keys. Each row has a proof of all that grants access: a row that was changed by SQL grants none. */
@Injectable()
export class ApiKeyRecords {
  private readonly prover: Prover;
  private readonly scopes = new Map<string, readonly Scope[]>();

  constructor(
    @Inject(SQL_DRIVER) private readonly executor: SqlExecutor,
    proofs: ProofKeys,
  ) {
    this.prover = proofs.for(API_KEYS);
  }

  async insert(key: NewApiKey): Promise<ApiKey | undefined> {
    const { id, name, client, hash, scopes, expiresAt } = key;
    const createdAt = await this.now();
    const tenant = currentMark();
    const proof = this.prover.prove(apiKeyContent({ ...key, createdAt, revokedAt: null, tenant }));
    const rows = await this.executor.query<ApiKeyRow>({
      name: 'api-key-insert',
      text: `insert into api_keys (id, name, client, hash, scopes, expires_at, created_at, proof, tenant)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${apiKeyColumns}`,
      values: [id, name, client, hash, scopes, expiresAt, createdAt, proof, tenant],
    });
    return rows.map((row) => this.checked(row))[0];
  }

  async find(id: string): Promise<StoredApiKey | undefined> {
    const rows = await this.executor.query<ApiKeyRow>({
      name: 'api-key-find',
      text: `select ${apiKeyColumns} from api_keys where id = $1 and tenant = $2`,
      values: [id, currentMark()],
    });
    return rows.map((row) => this.checked(row))[0];
  }

  /** Keys of several tenants as they are now, by `keyPlaceOf`. Only those that have changed are read; what is not there any more is left out. */
  async findAgain(known: readonly StoredApiKey[]): Promise<ReadonlyMap<string, StoredApiKey>> {
    const rows = await this.ofTenants<ApiKeyState & Place>(
      'api-key-states',
      `id, tenant, ${apiKeyStateColumns}`,
      known,
    );
    const states = new Map(rows.map((row) => [keyPlaceOf(row), keyStateOf(row)]));
    const isSame = (key: StoredApiKey): boolean => states.get(keyPlaceOf(key)) === key.state;
    const changed = known.filter((key) => states.has(keyPlaceOf(key)) && !isSame(key));
    const read =
      changed.length === 0 ? [] : await this.ofTenants<ApiKeyRow>('api-key-find-all', apiKeyColumns, changed);
    const all = [...known.filter(isSame), ...read.map((row) => this.checked(row))];
    return new Map(all.map((key) => [keyPlaceOf(key), key]));
  }

  private ofTenants<T>(name: string, columns: string, keys: readonly Place[]): Promise<T[]> {
    return this.executor.query<T>({
      name,
      text: `select k.* from unnest((select $1::text[]), (select $2::text[])) as r (asked, mark)
        cross join lateral (select ${columns} from api_keys where id = r.asked and tenant = r.mark limit 1) as k`,
      values: [keys.map(({ id }) => id), keys.map(({ tenant }) => tenant)],
    });
  }

  /** Every key of the issuer at hand, the oldest first. */
  async list(): Promise<ApiKey[]> {
    const rows = await this.executor.query<ApiKeyRow>({
      name: 'api-key-list',
      text: `select ${apiKeyColumns} from api_keys where tenant = $1 order by created_at, id`,
      values: [currentMark()],
    });
    return rows.map((row) => this.checked(row));
  }

  /** Every key of every issuer. */
  async all(): Promise<ApiKey[]> {
    const rows = await this.executor.query<ApiKeyRow>({
      name: 'api-key-all',
      text: `select ${apiKeyColumns} from api_keys order by created_at, id`,
      values: [],
    });
    return rows.map((row) => this.checked(row));
  }

  /** Keeps the first time when it is done twice. A row without a valid proof gets none by that. */
  async revoke(id: string): Promise<ApiKey | undefined> {
    const key = await this.find(id);
    if (!key || key.revokedAt) return key;
    const revokedAt = await this.now();
    const proof = key.isProven ? this.prover.prove(apiKeyContent({ ...key, revokedAt })) : null;
    await this.executor.query({
      name: 'api-key-revoke',
      text: `update api_keys set revoked_at = $2, proof = coalesce($3, proof) where id = $1`,
      values: [id, revokedAt, proof],
    });
    return this.find(id);
  }

  /** Notes the use of a key, unless another replica has done so within the minute. */
  async touch(id: string): Promise<void> {
    await this.executor.query({
      name: 'api-key-touch',
      text: `update api_keys set last_used_at = now()
             where id = $1 and (last_used_at is null or last_used_at <= now() - interval '1 minute')`,
      values: [id],
    });
  }

  /** Member by member: copies of rows would each have a layout of its own in memory, where many keys are kept. */
  private checked(row: ApiKeyRow): StoredApiKey {
    const { proof, isPutBack, id, name, client, tenant, hash, createdAt, expiresAt, revokedAt, lastUsedAt, isExpired } =
      row;
    const isProven = !isPutBack && proof !== null && this.prover.check(apiKeyContent(row), proof);
    return {
      id,
      name,
      client,
      tenant,
      hash: keptBytes(hash),
      scopes: this.sameScopes(row.scopes),
      createdAt,
      expiresAt,
      revokedAt,
      lastUsedAt,
      isExpired,
      isProven,
      state: keyStateOf(row),
    };
  }

  /** Most keys have the scopes of others. */
  private sameScopes(scopes: readonly Scope[]): readonly Scope[] {
    const text = scopes.join(' ');
    const known = this.scopes.get(text);
    if (known !== undefined) return known;
    if (this.scopes.size >= mostScopes) this.scopes.clear();
    this.scopes.set(text, scopes);
    return scopes;
  }

  /** The clock of the database, in milliseconds: what is proven has to be known before it is written. */
  private async now(): Promise<Date> {
    const [row] = await this.executor.query<{ now: Date }>({
      name: 'api-key-now',
      text: `select date_trunc('milliseconds', now()) as now`,
      values: [],
    });
    if (!row) throw new Error('The database returned no time.');
    return row.now;
  }
}
