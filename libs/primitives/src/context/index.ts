export { apart } from './apart';
export { allThere, attempt, type Awaitable, whenThere } from './awaitable';
export { currentTenant, inTenant, ofTenant, perTenant, type Tenant } from './tenant';
export { type TenantDirectory, Tenants } from './tenants';
export { Turns } from './turns';
