export { tenantAggregate } from './tenant';
export { TenantRegistry } from './tenant-registry';
