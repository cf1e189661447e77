import { giveSettings, Settings, settingsOfTenant, tenantUrlFault } from '@app/config';
import type { Repository } from '@app/event-store';
import { giveStanding, type TenantStanding, TenantAddresses } from '@app/http';
import { hashOfSecret } from '@app/keys';
import { apart, inTenant, type Tenant, type TenantDirectory, Tenants } from '@app/primitives/context';
import type { JsonObject } from '@app/primitives/json';
import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { TenantHosts } from './tenant-hosts';
import { type TenantContent, type TenantEvent, TENANTS, type TenantState } from './tenant';

/** The kind of used value under which a tenant is found by its mark. */
export const MARK = 'tenant-mark';

/** Milliseconds after which a tenant that is asked for is looked up again, while what is known of it still answers. */
const looksAgain = 2_000;
/** What is known of a tenant for longer answers no more. */
const longestKnown = 10_000;
/** Tenants kept ready at a time; one more takes the place of the one that was not asked for the longest. */
const mostReady = 1_000;
/** Ids that nobody has, of which so many are remembered until they are looked up again. */
const mostUnknown = 10_000;

interface Ready {
  readonly tenant: Tenant;
  readonly version: number;
  lookedAt: number;
}

/** The tenants of the store, ready to be worked for once they were asked for. */
@Injectable()
export class TenantRegistry implements TenantDirectory {
  private readonly logger = new Logger('Tenants');
  /** The one that was asked for last comes last. */
  private readonly ready = new Map<string, Ready>();
  private readonly opening = new Map<string, Promise<Tenant | undefined>>();
  private readonly unknown = new Map<string, number>();

  constructor(
    @Inject(TENANTS) private readonly repository: Repository<TenantState, TenantEvent>,
    private readonly settings: Settings,
    private readonly tenants: Tenants,
    private readonly hosts: TenantHosts,
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
      if (now - known.lookedAt >= looksAgain) {
        void this.look(id).catch((error: unknown) => {
          this.logger.warn({ event: 'tenants.not-read', reason: error instanceof Error ? error.name : 'unknown' });
        });
      }
      return known.tenant;
    }
    if (now - (this.unknown.get(id) ?? -Infinity) < looksAgain) return undefined;
    return this.look(id);
  };

  async find(mark: string): Promise<Tenant | undefined> {
    const known = [...this.ready.values()].find(({ tenant }) => tenant.mark === mark);
    if (known) return this.byId(known.tenant.id);
    const found = await inTenant(undefined, () => this.repository.loadByHandle(MARK, hashOfSecret(mark)));
    return found && this.byId(found.id);
  }

  async *all(): AsyncIterable<Tenant> {
    let cursor: string | undefined;
    do {
      const page = await inTenant(undefined, () =>
        this.repository.list({ limit: 100, order: 'oldest', ...(cursor !== undefined && { cursor }) }),
      );
      for (const { id } of page.items) {
        const tenant = await this.byId(id);
        if (tenant) yield tenant;
      }
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
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
    this.ready.delete(id);
    this.hosts.forget();
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
      this.ready.delete(id);
      return undefined;
    }
    const known = this.ready.get(id);
    if (known?.version === loaded.version) {
      await this.tenants.readAgain(known.tenant);
      known.lookedAt = lookedAt;
      return known.tenant;
    }
    const tenant = await this.made(id, loaded.state);
    this.ready.set(id, { tenant, version: loaded.version, lookedAt });
    const [oldest] = this.ready.keys();
    if (this.ready.size > mostReady && oldest !== undefined) this.ready.delete(oldest);
    return tenant;
  }

  private async made(id: string, state: TenantState): Promise<Tenant> {
    const { mark, content } = state;
    const tenant: Tenant = { id, mark, made: new Map() };
    giveSettings(tenant, this.settingsOf(id, content));
    giveStanding(tenant, standingIn(state));
    await this.tenants.open(tenant);
    return tenant;
  }
}

function standingIn({ suspension, deletion, content: { limits, publicUrl } }: TenantState): TenantStanding {
  const suspended = deletion ? 'all' : suspension?.scope;
  const isClosed = deletion !== undefined && deletion.phase !== 'restorable';
  return {
    ...(suspended !== undefined && { suspended }),
    isClosed,
    limits,
    hasOwnUrl: publicUrl !== undefined,
    isRevoked: isClosed && deletion.credentials === 'revoke-all',
  };
}
