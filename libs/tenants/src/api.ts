export { TenantRegistry } from './tenant-registry';
