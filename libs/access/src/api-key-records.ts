import { currentTenant, keptBytes } from '@app/primitives/context';
import { type Prover, SQL_DRIVER, type SqlExecutor } from '@app/event-store';
import { ProofKeys } from '@app/keys';
import { Inject, Injectable } from '@nestjs/common';
import {
  API_KEYS,
  type ApiKey,
  apiKeyColumns,
  type ApiKeyRow,
  apiKeyContent,
  type NewApiKey,
  type StoredApiKey,
} from './api-key';

/** The table of API keys. Each row has a proof of all that grants access: a row that was changed by SQL grants none. */
@Injectable()
export class ApiKeyRecords {
  private readonly prover: Prover;

  constructor(
    @Inject(SQL_DRIVER) private readonly executor: SqlExecutor,
    proofs: ProofKeys,
  ) {
    this.prover = proofs.for(API_KEYS);
  }

  async insert(key: NewApiKey): Promise<ApiKey | undefined> {
    const { id, name, client, hash, scopes, expiresAt } = key;
    const createdAt = await this.now();
    const tenant = currentTenant()?.mark ?? '';
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
      values: [id, currentTenant()?.mark ?? ''],
    });
    return rows.map((row) => this.checked(row))[0];
  }

  /** As `find`, of keys of several tenants at once. Those that are not there are left out. */
  async findAll(keys: readonly Pick<StoredApiKey, 'id' | 'tenant'>[]): Promise<StoredApiKey[]> {
    const rows = await this.executor.query<ApiKeyRow>({
      name: 'api-key-find-all',
      text: `select k.* from unnest((select $1::text[]), (select $2::text[])) as r (asked, mark)
        cross join lateral (select ${apiKeyColumns} from api_keys where id = r.asked and tenant = r.mark limit 1) as k`,
      values: [keys.map(({ id }) => id), keys.map(({ tenant }) => tenant)],
    });
    return rows.map((row) => this.checked(row));
  }

  /** Every key of the issuer at hand, the oldest first. */
  async list(): Promise<ApiKey[]> {
    const rows = await this.executor.query<ApiKeyRow>({
      name: 'api-key-list',
      text: `select ${apiKeyColumns} from api_keys where tenant = $1 order by created_at, id`,
      values: [currentTenant()?.mark ?? ''],
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

  private checked({ proof, isPutBack, ...row }: ApiKeyRow): StoredApiKey {
    const isProven = !isPutBack && proof !== null && this.prover.check(apiKeyContent(row), proof);
    return { ...row, hash: keptBytes(row.hash), isProven };
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
