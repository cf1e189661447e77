import { giveSettings, Settings, settingsOfTenant, tenantUrlFault } from '@app/config';
import { type Repository, SQL_DRIVER, type SqlExecutor } from '@app/event-store';
import { giveStanding, type TenantStanding, TenantAddresses } from '@app/http';
import { hashOfSecret } from '@app/keys';
import { apart, inTenant, type Tenant, type TenantDirectory, Tenants } from '@app/primitives/context';
import type { JsonObject } from '@app/primitives/json';
import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { TenantHosts } from './tenant-hosts';
import { type TenantContent, type TenantEvent, TENANTS, type TenantState } from './tenant';
import { versionsOf } from './tenant-versions';

/** The kind of used value under which a tenant is found by its mark. */
export const MARK = 'tenant-mark';

/** Milliseconds after which all tenants that were asked for lately are looked up again at once, while what is known of them still answers. */
const looksAgain = 2_000;
/** Milliseconds: what is known of a tenant for longer answers no more. A move waits for longer, so that no replica reads where the tenant was. */
export const longestKnown = 5_000;
/** Milliseconds for which one is looked up with the others after it was last asked for: where many take turns, each finds what is known fresh. */
const keptUpFor = 30_000;
/** Ids that nobody has, of which so many are remembered until they are looked up again. */
const mostUnknown = 10_000;

interface Ready {
  readonly tenant: Tenant;
  readonly version: number;
  lookedAt: number;
  askedAt: number;
}

/** The tenants of the store, ready to be worked for once they were asked for. */
@Injectable()
export class TenantRegistry implements TenantDirectory {
  private readonly logger = new Logger('Tenants');
  /** The one that was asked for last comes last. */
  private readonly ready = new Map<string, Ready>();
  /** The ids of those that are ready, by their marks. */
  private readonly marks = new Map<string, string>();
  private roundAt = -Infinity;
  private readonly opening = new Map<string, Promise<Tenant | undefined>>();
  private readonly unknown = new Map<string, number>();

  constructor(
    @Inject(TENANTS) private readonly repository: Repository<TenantState, TenantEvent>,
    private readonly settings: Settings,
    private readonly tenants: Tenants,
    private readonly hosts: TenantHosts,
    @Inject(SQL_DRIVER) private readonly driver: SqlExecutor,
    @Optional() addresses?: TenantAddresses,
  ) {
    tenants.knownBy(this);
    addresses?.knownBy({ byId: this.byId, atHost: hosts.at });
  }

  /** By its id, at once where it is known. Rejects when the database is away. */
  readonly byId = (id: string): Promise<Tenant | undefined> | Tenant | undefined => {
    const known = this.ready.get(id);
    const now = performance.now();
    if (known && now - known.lookedAt < longestKnown) {
      this.ready.delete(id);
      this.ready.set(id, known);
      known.askedAt = now;
      if (now - known.lookedAt >= looksAgain) this.lookAgain(now);
      return known.tenant;
    }
    if (now - (this.unknown.get(id) ?? -Infinity) < looksAgain) return undefined;
    return this.look(id);
  };

  async find(mark: string): Promise<Tenant | undefined> {
    const known = this.marks.get(mark);
    if (known !== undefined) return this.byId(known);
    const found = await inTenant(undefined, () => this.repository.loadByHandle(MARK, hashOfSecret(mark)));
    return found && this.byId(found.id);
  }

  /** Where wallets and people reach a tenant: without a slash at the end. */
  urlOf(id: string, { publicUrl }: Pick<TenantContent, 'publicUrl'>): string {
    return publicUrl ?? inTenant(undefined, () => `${this.settings.applicationUrl}/t/${id}`);
  }

  /** What keeps a text from being the public URL of a tenant. */
  faultOfUrl(publicUrl: string): string | undefined {
    return inTenant(undefined, () => tenantUrlFault(publicUrl, this.settings));
  }

  /** The settings that a tenant would have. Throws `SettingsError`. */
  settingsOf(id: string, content: TenantContent): Settings {
    const { displayName, settings } = content;
    const issuer = { displayName, ...(settings['issuer'] as JsonObject | undefined) };
    return inTenant(undefined, () => settingsOfTenant(this.settings, this.urlOf(id, content), { ...settings, issuer }));
  }

  /** Forgets what is known of a tenant, so that the next request sees what was just stored. */
  forget(id: string): void {
    this.unknown.delete(id);
    this.drop(id);
    this.hosts.forget();
  }

  private drop(id: string): void {
    const known = this.ready.get(id);
    if (known) this.marks.delete(known.tenant.mark);
    this.ready.delete(id);
  }

  /** Looks up all that were asked for, unless that was done a moment ago: however many they are, the database is asked once. */
  private lookAgain(now: number): void {
    if (now - this.roundAt < looksAgain) return;
    this.roundAt = now;
    apart(() => inTenant(undefined, () => this.round(now))).catch(this.notRead);
  }

  private readonly notRead = (error: unknown): void => {
    this.logger.warn({ event: 'tenants.not-read', reason: error instanceof Error ? error.name : 'unknown' });
  };

  private async round(lookedAt: number): Promise<void> {
    const asked = [...this.ready].filter(([, { askedAt }]) => lookedAt - askedAt < keptUpFor);
    const versions = await versionsOf(
      this.driver,
      asked.map(([id]) => id),
    );
    const isSame = ([id, { version }]: readonly [string, Ready]): boolean => versions.get(id) === version;
    const same = asked.filter(isSame).map(([, one]) => one);
    const read = new Set(await this.tenants.readAgain(same.map(({ tenant }) => tenant)));
    // One that could not be read is looked up by itself once what is known of it is too old.
    for (const one of same) if (read.has(one.tenant)) one.lookedAt = lookedAt;
    for (const one of asked) if (!isSame(one)) await this.look(one[0]).catch(this.notRead);
  }

  private look(id: string): Promise<Tenant | undefined> {
    const begun = this.opening.get(id);
    if (begun) return begun;
    const opening = apart(() => inTenant(undefined, () => this.open(id)).finally(() => this.opening.delete(id)));
    this.opening.set(id, opening);
    return opening;
  }

  private async open(id: string): Promise<Tenant | undefined> {
    const loaded = await this.repository.load(id);
    const lookedAt = performance.now();
    if (loaded.state === undefined) {
      if (this.unknown.size >= mostUnknown) this.unknown.clear();
      this.unknown.set(id, lookedAt);
      this.drop(id);
      return undefined;
    }
    const known = this.ready.get(id);
    if (known?.version === loaded.version && (await this.tenants.readAgain([known.tenant])).length > 0) {
      Object.assign(known, { lookedAt, askedAt: lookedAt });
      return known.tenant;
    }
    const tenant = await this.made(id, loaded.state);
    this.ready.delete(id);
    this.ready.set(id, { tenant, version: loaded.version, lookedAt, askedAt: lookedAt });
    this.marks.set(tenant.mark, id);
    const [oldest] = this.ready.keys();
    if (this.ready.size > this.settings.tenants.cached && oldest !== undefined) this.drop(oldest);
    return tenant;
  }

  private async made(id: string, state: TenantState): Promise<Tenant> {
    const { mark, content, store } = state;
    const tenant: Tenant = { id, mark, ...(store !== undefined && { store }), made: new Map() };
    giveSettings(tenant, this.settingsOf(id, content));
    giveStanding(tenant, standingIn(state));
    await this.tenants.open(tenant);
    return tenant;
  }
}

function standingIn({ suspension, deletion, move, content: { limits, publicUrl } }: TenantState): TenantStanding {
  const suspended = deletion ? 'all' : suspension?.scope;
  const isClosed = deletion !== undefined && deletion.phase !== 'restorable';
  return {
    ...(suspended !== undefined && { suspended }),
    isClosed,
    isMoving: move?.phase === 'copying',
    limits,
    hasOwnUrl: publicUrl !== undefined,
    isRevoked: isClosed && deletion.credentials === 'revoke-all',
  };
}
