import { SettingsError } from '@app/config';
import { AlreadyConsumedError, type Loaded, type Repository, type SingleUse, Stores } from '@app/event-store';
import { assertConditions, type Conditions, type PageQuery, type TenantLimits } from '@app/http';
import { hashOfSecret } from '@app/keys';
import { Tenants } from '@app/primitives/context';
import { escapePointer, type JsonObject } from '@app/primitives/json';
import { Problem, validationFailed } from '@app/primitives/problems';
import { Inject, Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import {
  assertKept,
  changeTenant,
  closeTenant,
  createTenant,
  finishDeletion,
  firstStore,
  type TenantContent,
  type TenantEvent,
  TENANTS,
  type TenantState,
} from './tenant';
import { useOfUrl } from './tenant-hosts';
import { MARK, TenantRegistry } from './tenant-registry';
import { TenantUsages } from './tenant-usage';

/** A tenant with the version of its stream, which is its entity tag. */
export interface StoredTenant {
  readonly tenant: TenantState;
  readonly version: number;
}

export interface TenantPage {
  readonly items: readonly StoredTenant[];
  readonly nextCursor: string | null;
}

/** What is to change. Null, of a setting, stands for that of the service; of the URL for the one below that of the service. */
export interface TenantChange {
  readonly displayName?: string;
  readonly publicUrl?: string | null;
  readonly settings?: JsonObject;
  readonly limits?: GivenLimits;
}

export const limitNames = ['offersPerMinute', 'credentialsPerDay', 'requestsPerMinute'] as const;

/** Null stands for none. */
export type GivenLimits = { readonly [Name in keyof TenantLimits]?: number | null };

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

@Injectable()
export class TenantRecords {
  constructor(
    @Inject(TENANTS) private readonly tenants: Repository<TenantState, TenantEvent>,
    private readonly registry: TenantRegistry,
    private readonly all: Tenants,
    private readonly usages: TenantUsages,
    private readonly stores: Stores,
  ) {}

  /** @throws Problem `tenant-not-found` */
  async find(tenantId: string): Promise<StoredTenant> {
    return stored(tenantId, await this.tenants.load(tenantId));
  }

  /** The newest first, unless the other order is asked for. */
  async list(page: PageQuery & { readonly order?: 'oldest' }): Promise<TenantPage> {
    const { items, nextCursor } = await this.tenants.list(page);
    return { items: items.map(({ state, version }) => ({ tenant: state, version })), nextCursor };
  }

  /** @throws Problem `conflict` or `validation-failed` */
  async create(tenantId: string, content: TenantContent, store: string = firstStore): Promise<StoredTenant> {
    if (tenantId === 'by-host') {
      throw validationFailed([{ pointer: '/tenantId', message: 'is an address of this API; choose another' }]);
    }
    this.assertContent(tenantId, content);
    this.assertStore(store);
    const mark = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');
    const taken = await this.takenUrl(tenantId, content.publicUrl);
    const { state, version } = await withFreeUrl(content.publicUrl, () =>
      this.tenants.update(tenantId, ({ state: present, now }) => ({
        events: createTenant(present, tenantId, {
          ...{ mark, content, createdAt: now.toISOString() },
          ...(store !== firstStore && { store }),
        }),
        consume: [{ kind: MARK, hash: hashOfSecret(mark), bindsStream: true }, ...taken],
        result: undefined,
      })),
    );
    this.registry.forget(tenantId);
    return stored(tenantId, { state, version });
  }

  /** @throws Problem `tenant-not-found`, `version-conflict`, `conflict` or `validation-failed` */
  async change(tenantId: string, change: TenantChange, conditions: Conditions): Promise<StoredTenant> {
    const { tenant: before } = await this.find(tenantId);
    const { publicUrl } = changedContent(before.content, change);
    const moves = publicUrl !== before.content.publicUrl;
    if (moves) await this.assertMovable(before);
    const taken = moves ? await this.takenUrl(tenantId, publicUrl) : [];
    const decide = (tenant: TenantState): TenantEvent[] => {
      const content = changedContent(tenant.content, change);
      this.assertContent(tenantId, content);
      return changeTenant(tenant, content);
    };
    return withFreeUrl(publicUrl, () => this.decide(tenantId, decide, conditions, taken));
  }

  /** Decides on a tenant by the clock of the database. @throws Problem `tenant-not-found`, `version-conflict` or that of the decision */
  async decide(
    tenantId: string,
    decide: (tenant: TenantState, now: Date) => TenantEvent[],
    conditions: Conditions = {},
    consume: readonly SingleUse[] = [],
  ): Promise<StoredTenant> {
    const decided = await this.tenants.update(tenantId, (loaded) => {
      const { tenant } = stored(tenantId, loaded);
      assertConditions(conditions, loaded.version);
      return { events: decide(tenant, loaded.now), consume, result: undefined };
    });
    this.registry.forget(tenantId);
    return stored(tenantId, decided);
  }

  /** @throws Problem `tenant-not-found`, and `conflict` for a tenant that is being deleted */
  async findKept(tenantId: string): Promise<StoredTenant> {
    const found = await this.find(tenantId);
    assertKept(found.tenant);
    return found;
  }

  /** Ends what the tenant has, once it can be restored no more. Can be interrupted and repeated, by other replicas as well. */
  async finishDeletion({ tenantId, deletion }: TenantState): Promise<void> {
    if (deletion === undefined || deletion.phase === 'done') return;
    const { tenant } = await this.decide(tenantId, closeTenant);
    if (tenant.deletion?.phase !== 'closed') return;
    const closed = await this.registry.byId(tenantId);
    if (closed) await this.all.end(closed);
    await this.decide(tenantId, finishDeletion);
  }

  /** Throws for a store in which nothing can be stored at present. */
  assertStore(store: string): void {
    if (store === firstStore) return;
    const known = this.stores.standings();
    const found = known.find(({ name }) => name === store);
    if (!found) {
      const names = [firstStore, ...known.map(({ name }) => name)].join(', ');
      throw validationFailed([{ pointer: '/store', message: `is no store of this deployment; there are: ${names}` }]);
    }
    if (found.fault !== undefined)
      throw new Problem('unavailable', `The store ${store} cannot be used at present.`, [], { 'Retry-After': '5' });
  }

  private assertContent(tenantId: string, content: TenantContent): void {
    const { publicUrl } = content;
    const fault = publicUrl === undefined ? undefined : this.registry.faultOfUrl(publicUrl);
    if (fault !== undefined) throw validationFailed([{ pointer: '/publicUrl', message: fault }]);
    try {
      this.registry.settingsOf(tenantId, content);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      throw validationFailed(
        error.faults.map(({ name, found, remedy }) => ({
          pointer: `/settings${name
            .split('.')
            .map((part) => `/${escapePointer(part)}`)
            .join('')}`,
          message: `found ${found}; ${remedy}`,
        })),
      );
    }
  }

  /** What takes a URL for the tenant; nothing when it has had it before. Throws `conflict` for that of another one. */
  private async takenUrl(tenantId: string, publicUrl: string | undefined): Promise<SingleUse[]> {
    if (publicUrl === undefined || this.registry.faultOfUrl(publicUrl) !== undefined) return [];
    const use = useOfUrl(publicUrl);
    const holder = await this.tenants.loadByHandle(use.kind, use.hash);
    if (holder === undefined) return [use];
    if (holder.id !== tenantId) throw urlIsTaken(publicUrl);
    return [];
  }

  /** Credentials name their issuer and its status lists by the URL, for as long as they are valid. */
  private async assertMovable(tenant: TenantState): Promise<void> {
    const { credentials } = await this.usages.of(tenant);
    if (credentials.issued === 0) return;
    throw new Problem(
      'conflict',
      'The tenant has issued credentials that name its present URL; create another tenant for the new one.',
    );
  }
}

/** Another replica may have been faster. */
async function withFreeUrl<T>(publicUrl: string | undefined, write: () => Promise<T> | T): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (publicUrl === undefined || !(error instanceof AlreadyConsumedError)) throw error;
    throw urlIsTaken(publicUrl);
  }
}

function urlIsTaken(publicUrl: string): Problem {
  return new Problem('conflict', `Another tenant has, or had, the URL ${publicUrl}; choose another.`);
}

function changedContent(
  before: TenantContent,
  { displayName = before.displayName, publicUrl = before.publicUrl, settings, limits = {} }: TenantChange,
): TenantContent {
  return {
    displayName,
    ...(publicUrl != null && { publicUrl }),
    settings: settings === undefined ? before.settings : merged(before.settings, settings),
    limits: limitsOf(limits, before.limits),
  };
}

/** Without those that are null. @param before of those that are not given */
export function limitsOf(given: GivenLimits, before: TenantLimits = {}): TenantLimits {
  const all = limitNames.map((name) => [name, given[name] === undefined ? before[name] : given[name]] as const);
  return Object.fromEntries(all.filter(([, most]) => most != null));
}

/** RFC 7396. */
function merged(before: JsonObject, patch: JsonObject): JsonObject {
  const made: Record<string, JsonObject[string]> = { ...before };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(made, name);
    else if (isObject(value)) made[name] = merged(isObject(before[name]) ? before[name] : {}, value);
    else made[name] = value;
  }
  return made;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stored(tenantId: string, { state, version }: Pick<Loaded<TenantState>, 'state' | 'version'>): StoredTenant {
  if (state === undefined) throw new Problem('tenant-not-found', `There is no tenant with the id ${tenantId}.`);
  return { tenant: state, version };
}
