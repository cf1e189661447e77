export {
  accessDecisionOf,
  PublicEndpoint,
  RequiresScope,
  scopes,
  type AccessDecision,
  type Scope,
} from './access-decision';
export { AccessGuard } from './access.guard';
export { auditActionOf } from './audit-action';
export { AccessModule } from './access.module';
export { ShowsLinks } from './shown-links';
export type { ApiKey } from './api-key';
export { checkApiKeys, proveApiKeys } from './api-key-proof';
export { ApiKeyRecords } from './api-key-records';
export { ApiKeyRequestError, ApiKeys, type ApiKeyRequest, type CreatedApiKey } from './api-keys';
export { Authentication } from './authentication';
export { DevelopmentKey } from './development-key';
export { AuthenticationModule } from './authentication.module';
