export { type StoredTenants, storedTenants } from './stored-tenants';
export {
  type FateOfCredentials,
  fatesOfCredentials,
  statusOf,
  storeNameOf,
  tenantAggregate,
  type TenantState,
} from './tenant';
export { deleteTenant, restoreTenant, resumeTenant, suspendTenant } from './tenant';
export { TenantRegistry } from './tenant-registry';
export { type MovedContent, type MoveStep, moveSteps, moveTenant } from './tenant-move';
export { isWithoutCalls } from './tenants.handlers';
