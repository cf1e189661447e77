import { AccessModule } from '@app/access';
import { EventStore } from '@app/event-store';
import { Module } from '@nestjs/common';
import { tenantAggregate, TENANTS } from './tenant';
import { TenantRecords } from './tenant-records';
import { TenantRegistry } from './tenant-registry';
import { TenantsController } from './tenants.controller';
import {
  ChangeTenantHandler,
  CreateTenantHandler,
  CreateTenantKeyHandler,
  GetTenantHandler,
  ListTenantsHandler,
} from './tenants.handlers';

@Module({
  imports: [AccessModule],
  controllers: [TenantsController],
  providers: [
    { provide: TENANTS, inject: [EventStore], useFactory: (store: EventStore) => store.repository(tenantAggregate) },
    TenantRegistry,
    TenantRecords,
    CreateTenantKeyHandler,
    CreateTenantHandler,
    ChangeTenantHandler,
    GetTenantHandler,
    ListTenantsHandler,
  ],
  exports: [TenantRegistry],
})
export class TenantsModule {}
