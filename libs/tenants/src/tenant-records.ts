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
  idIsTaken,
  storeNameOf,
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

  /**
   * Makes a tenant that has no API key yet, or finds the one that the same request has made before, as long as it is unused.
   * @param isUnused whether nobody has called with a key of the tenant
   * @throws Problem `conflict` or `validation-failed`
   */
  async create(
    tenantId: string,
    content: TenantContent,
    isUnused: (tenant: TenantState) => Promise<boolean>,
    store: string = firstStore,
  ): Promise<StoredTenant> {
    const { isNew, ...found } = await this.made(tenantId, content, store);
    if (!isNew && !(await isUnused(found.tenant))) throw idIsTaken(tenantId);
    return found;
  }

  private async made(
    tenantId: string,
    content: TenantContent,
    store: string,
  ): Promise<StoredTenant & { readonly isNew: boolean }> {
    if (tenantId === 'by-host') {
      throw validationFailed([{ pointer: '/tenantId', message: 'is an address of this API; choose another' }]);
    }
    this.assertContent(tenantId, content);
    this.assertStore(store);
    const mark = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');
    const taken = await this.takenUrl(tenantId, content.publicUrl);
    const {
      state,
      version,
      result: isNew,
    } = await withFreeUrl(content.publicUrl, () =>
      this.tenants.update(tenantId, (present) => {
        const createdAt = present.now.toISOString();
        const where = store === firstStore ? {} : { store };
        const events = createTenant(present, tenantId, { mark, content, createdAt, ...where });
        const used = [{ kind: MARK, hash: hashOfSecret(mark), bindsStream: true }, ...taken];
        return { events, consume: events.length === 0 ? [] : used, result: events.length > 0 };
      }),
    );
    this.registry.forget(tenantId);
    return { ...stored(tenantId, { state, version }), isNew };
  }

  /** @throws Problem `tenant-not-found`, `version-conflict`, `conflict` or `validation-failed` */
  change(tenantId: string, change: TenantChange, conditions: Conditions): Promise<StoredTenant> {
    return this.replace(tenantId, (before) => changedContent(before, change), conditions);
  }

  /**
   * Makes a tenant, or has it be what is given. @throws Problem `conflict` or `validation-failed`
   * @param store in which it is made, and has to be; any when absent
   */
  async put(tenantId: string, content: TenantContent, store?: string): Promise<'made' | 'changed' | 'same'> {
    const { state } = await this.tenants.load(tenantId);
    if (state !== undefined) {
      if (store !== undefined && store !== (state.move?.to ?? storeNameOf(state))) throw isInAnotherStore(state, store);
      return (await this.replace(tenantId, () => content)).isChanged ? 'changed' : 'same';
    }
    try {
      return (await this.made(tenantId, content, store ?? firstStore)).isNew ? 'made' : 'same';
    } catch (error) {
      // Another replica may have been faster.
      if (!(error instanceof Problem) || (await this.tenants.load(tenantId)).state === undefined) throw error;
      return this.put(tenantId, content, store);
    }
  }

  private async replace(
    tenantId: string,
    contentAfter: (before: TenantContent) => TenantContent,
    conditions: Conditions = {},
  ): Promise<StoredTenant & { readonly isChanged: boolean }> {
    const { tenant: before } = await this.find(tenantId);
    const { publicUrl } = contentAfter(before.content);
    const moves = publicUrl !== before.content.publicUrl;
    if (moves) await this.assertMovable(before);
    const taken = moves ? await this.takenUrl(tenantId, publicUrl) : [];
    let isChanged = false;
    const decide = (tenant: TenantState): TenantEvent[] => {
      const content = contentAfter(tenant.content);
      this.assertContent(tenantId, content);
      const events = changeTenant(tenant, content);
      isChanged = events.length > 0;
      return events;
    };
    const after = await withFreeUrl(publicUrl, () => this.decide(tenantId, decide, conditions, taken));
    return { ...after, isChanged };
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

function isInAnotherStore(tenant: TenantState, store: string): Problem {
  const found = `The tenant is in the store ${storeNameOf(tenant)}, not in ${store}`;
  return new Problem('conflict', `${found}; "sealwright tenants move ${tenant.tenantId} --to ${store}" moves it.`);
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
