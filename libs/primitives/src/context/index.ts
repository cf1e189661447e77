export { apart } from './apart';
export { keptBytes } from './kept-bytes';
export {
  atStore,
  currentMark,
  currentStore,
  currentTenant,
  inTenant,
  ofTenant,
  perTenant,
  type Tenant,
  tenantIdPattern,
} from './tenant';
export { TenantLanes } from './tenant-lanes';
export { type TenantDirectory, Tenants } from './tenants';
export { Turns } from './turns';
