import { AccessModule } from '@app/access';
import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { tenantAggregate, TENANTS } from './tenant';
import { TenantDeletions } from './tenant-deletions';
import { TenantHosts } from './tenant-hosts';
import { TenantRecords } from './tenant-records';
import { TenantRegistry } from './tenant-registry';
import { TenantUsages } from './tenant-usage';
import { TenantsController } from './tenants.controller';
import {
  ChangeTenantHandler,
  CreateTenantHandler,
  CreateTenantKeyHandler,
  DeleteTenantHandler,
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
    ListTenantsHandler,
  ],
  exports: [TenantRegistry],
})
export class TenantsModule {}
