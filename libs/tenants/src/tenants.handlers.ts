import { ApiKeyRequestError, ApiKeys, clientFault, clientFrom } from '@app/access';
import { Settings } from '@app/config';
import { type Conditions, type PageQuery, type Scope, scopesOfTenants, type Suspension } from '@app/http';
import { inTenant, type Tenant } from '@app/primitives/context';
import { validationFailed } from '@app/primitives/problems';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  deleteTenant,
  type FateOfCredentials,
  restoreTenant,
  resumeTenant,
  suspendTenant,
  type TenantContent,
  type TenantState,
} from './tenant';
import { TenantFiles } from './tenant-files';
import { TenantHosts } from './tenant-hosts';
import { type StoredTenant, type TenantChange, type TenantPage, TenantRecords } from './tenant-records';
import { TenantRegistry } from './tenant-registry';
import { type TenantUsage, TenantUsages } from './tenant-usage';

/** A tenant with its first API key, whose text is shown this once. */
export interface CreatedTenant extends StoredTenant {
  readonly apiKey: string;
}

export class CreateTenant extends Command<CreatedTenant> {
  constructor(
    readonly tenantId: string,
    readonly content: TenantContent,
    readonly store?: string,
  ) {
    super();
  }
}

export class ChangeTenant extends Command<StoredTenant> {
  constructor(
    readonly tenantId: string,
    readonly change: TenantChange,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

/** Returns the text of a new key of a tenant, which is shown this once. */
export class CreateTenantKey extends Command<string> {
  constructor(
    readonly tenantId: string,
    readonly name: string,
    readonly scopes: readonly Scope[] = scopesOfTenants,
  ) {
    super();
  }
}

export class SuspendTenant extends Command<StoredTenant> {
  constructor(
    readonly tenantId: string,
    readonly asked: { readonly scope: Suspension; readonly reason?: string },
    readonly conditions: Conditions,
  ) {
    super();
  }
}

export class ResumeTenant extends Command<StoredTenant> {
  constructor(
    readonly tenantId: string,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

export class DeleteTenant extends Command<StoredTenant> {
  /** @param confirmed the id once more */
  constructor(
    readonly tenantId: string,
    readonly confirmed: string | undefined,
    readonly credentials: FateOfCredentials,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

export class RestoreTenant extends Command<StoredTenant> {
  constructor(
    readonly tenantId: string,
    readonly conditions: Conditions,
  ) {
    super();
  }
}

export class GetTenantUsage extends Query<TenantUsage> {
  constructor(readonly tenantId: string) {
    super();
  }
}

export class GetTenant extends Query<StoredTenant> {
  constructor(readonly tenantId: string) {
    super();
  }
}

/** Whether a tenant has a host of this name. */
export class FindTenantHost extends Query<boolean> {
  constructor(readonly domain: string) {
    super();
  }
}

export class ListTenants extends Query<TenantPage> {
  constructor(readonly page: PageQuery) {
    super();
  }
}

@CommandHandler(CreateTenantKey)
export class CreateTenantKeyHandler implements ICommandHandler<CreateTenantKey> {
  constructor(
    private readonly records: TenantRecords,
    private readonly registry: TenantRegistry,
    private readonly keys: ApiKeys,
  ) {}

  async execute({ tenantId, name, scopes }: CreateTenantKey): Promise<string> {
    await this.records.findKept(tenantId);
    const tenant = await this.registry.byId(tenantId);
    // Never in the name of the service.
    if (tenant === undefined) throw new Error('A tenant that was found is not there.');
    // A name in another alphabet makes no client.
    const client = clientFault(clientFrom(name)) === undefined ? clientFrom(name) : tenantId;
    try {
      return (await inTenant(tenant, () => this.keys.create({ name, client, scopes }))).text;
    } catch (error) {
      throw error instanceof ApiKeyRequestError
        ? validationFailed([{ pointer: '/name', message: error.message }])
        : error;
    }
  }
}

@CommandHandler(CreateTenant)
export class CreateTenantHandler implements ICommandHandler<CreateTenant> {
  constructor(
    private readonly records: TenantRecords,
    private readonly registry: TenantRegistry,
    private readonly made: ApiKeys,
    private readonly keys: CreateTenantKeyHandler,
    private readonly files: TenantFiles,
  ) {}

  async execute({ tenantId, content, store }: CreateTenant): Promise<CreatedTenant> {
    this.files.assertFree(tenantId);
    const isUnused = async () => isWithoutCalls(this.made, await this.registry.byId(tenantId));
    const created = await this.records.create(tenantId, content, isUnused, store);
    return { ...created, apiKey: await this.keys.execute(new CreateTenantKey(tenantId, 'first key')) };
  }
}

/** Whether nobody has called with a key of the tenant. */
export async function isWithoutCalls(keys: ApiKeys, tenant: Tenant | undefined): Promise<boolean> {
  if (tenant === undefined) return false;
  return (await inTenant(tenant, () => keys.list())).every(({ lastUsedAt }) => lastUsedAt === null);
}

@CommandHandler(ChangeTenant)
export class ChangeTenantHandler implements ICommandHandler<ChangeTenant> {
  constructor(
    private readonly records: TenantRecords,
    private readonly files: TenantFiles,
  ) {}

  async execute({ tenantId, change, conditions }: ChangeTenant): Promise<StoredTenant> {
    await this.records.find(tenantId);
    this.files.assertFree(tenantId);
    return this.records.change(tenantId, change, conditions);
  }
}

@CommandHandler(SuspendTenant)
export class SuspendTenantHandler implements ICommandHandler<SuspendTenant> {
  constructor(private readonly records: TenantRecords) {}

  execute({ tenantId, asked, conditions }: SuspendTenant): Promise<StoredTenant> {
    return this.records.decide(tenantId, (tenant, now) => suspendTenant(tenant, asked, now), conditions);
  }
}

@CommandHandler(ResumeTenant)
export class ResumeTenantHandler implements ICommandHandler<ResumeTenant> {
  constructor(private readonly records: TenantRecords) {}

  execute({ tenantId, conditions }: ResumeTenant): Promise<StoredTenant> {
    return this.records.decide(tenantId, resumeTenant, conditions);
  }
}

@CommandHandler(DeleteTenant)
export class DeleteTenantHandler implements ICommandHandler<DeleteTenant> {
  constructor(
    private readonly records: TenantRecords,
    private readonly settings: Settings,
    private readonly files: TenantFiles,
  ) {}

  async execute({ tenantId, confirmed, credentials, conditions }: DeleteTenant): Promise<StoredTenant> {
    await this.records.find(tenantId);
    this.files.assertFree(tenantId);
    const { regretDays } = this.settings.tenants;
    const decide = (tenant: TenantState, now: Date) => {
      if (confirmed === tenantId) return deleteTenant(tenant, credentials, now, regretDays);
      const message = `must be the id of the tenant: send ?confirm=${tenantId}`;
      throw validationFailed([{ pointer: '/confirm', message }]);
    };
    return this.records.decide(tenantId, decide, conditions);
  }
}

@CommandHandler(RestoreTenant)
export class RestoreTenantHandler implements ICommandHandler<RestoreTenant> {
  constructor(private readonly records: TenantRecords) {}

  execute({ tenantId, conditions }: RestoreTenant): Promise<StoredTenant> {
    return this.records.decide(tenantId, restoreTenant, conditions);
  }
}

@QueryHandler(GetTenantUsage)
export class GetTenantUsageHandler implements IQueryHandler<GetTenantUsage> {
  constructor(
    private readonly records: TenantRecords,
    private readonly usages: TenantUsages,
  ) {}

  async execute({ tenantId }: GetTenantUsage): Promise<TenantUsage> {
    const { tenant } = await this.records.find(tenantId);
    return this.usages.of(tenant);
  }
}

@QueryHandler(GetTenant)
export class GetTenantHandler implements IQueryHandler<GetTenant> {
  constructor(private readonly records: TenantRecords) {}

  execute({ tenantId }: GetTenant): Promise<StoredTenant> {
    return this.records.find(tenantId);
  }
}

@QueryHandler(FindTenantHost)
export class FindTenantHostHandler implements IQueryHandler<FindTenantHost> {
  constructor(private readonly hosts: TenantHosts) {}

  execute({ domain }: FindTenantHost): Promise<boolean> {
    return this.hosts.has(domain);
  }
}

@QueryHandler(ListTenants)
export class ListTenantsHandler implements IQueryHandler<ListTenants> {
  constructor(private readonly records: TenantRecords) {}

  execute({ page }: ListTenants): Promise<TenantPage> {
    return this.records.list(page);
  }
}
