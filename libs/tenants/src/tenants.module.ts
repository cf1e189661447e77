import { AccessModule } from '@app/access';
import { EventStore } from '@app/event-store';
import { MetricsListener } from '@app/observability';
import { Module } from '@nestjs/common';
import { tenantAggregate, TENANTS } from './tenant';
import { TenantDeletions } from './tenant-deletions';
import { TenantFiles } from './tenant-files';
import { TenantHosts } from './tenant-hosts';
import { TenantRecords } from './tenant-records';
import { TenantRegistry } from './tenant-registry';
import { TenantUsages } from './tenant-usage';
import { tenants } from './tenants.contract';
import { TenantsController } from './tenants.controller';
import {
  ChangeTenantHandler,
  CreateTenantHandler,
  CreateTenantKeyHandler,
  DeleteTenantHandler,
  FindTenantHostHandler,
  GetTenantHandler,
  GetTenantUsageHandler,
  ListTenantsHandler,
  RestoreTenantHandler,
  ResumeTenantHandler,
  SuspendTenantHandler,
} from './tenants.handlers';

@Module({
  imports: [AccessModule],
  controllers: [TenantsController],
  providers: [
    { provide: TENANTS, inject: [EventStore], useFactory: (store: EventStore) => store.repository(tenantAggregate) },
    TenantHosts,
    TenantRegistry,
    TenantRecords,
    TenantDeletions,
    TenantFiles,
    TenantUsages,
    CreateTenantKeyHandler,
    CreateTenantHandler,
    ChangeTenantHandler,
    SuspendTenantHandler,
    ResumeTenantHandler,
    DeleteTenantHandler,
    RestoreTenantHandler,
    GetTenantUsageHandler,
    GetTenantHandler,
    FindTenantHostHandler,
    ListTenantsHandler,
  ],
  exports: [TenantRegistry],
})
export class TenantsModule {
  /** A proxy that makes certificates when a host is first called has no key to ask with. */
  constructor(hosts: TenantHosts, listener: MetricsListener) {
    listener.addAnswer(`/${tenants.byHost.path}`, async (query) =>
      (await hosts.has(query.get('domain') ?? '')) ? 200 : 404,
    );
  }
}
