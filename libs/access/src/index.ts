export {
  accessDecisionOf,
  PublicEndpoint,
  RequiresScope,
  scopes,
  type AccessDecision,
  type Scope,
} from './access-decision';
export { AccessGuard } from './access.guard';
