export {
  type AccessDecision,
  accessDecisionOf,
  type Audience,
  PublicEndpoint,
  RequiresScope,
  type Scope,
  scopes,
} from './access-decision';
export { clientAddressOf } from './client-address';
export { created, HttpReply, redirectTo, renderedJson, representation } from './http-reply';
export { OwnCookies } from './own-cookies';
export { formPagePolicy, pagePolicy } from './page-policy';
export {
  actAs,
  askOthersFor,
  currentDeadline,
  currentLogContext,
  currentPrincipal,
  currentRequest,
  currentRequester,
  currentRequestState,
  inThisRequest,
  type NotedRefusal,
  noteRefusal,
  outsideRequest,
  type Principal,
  type RequestContext,
  requestContext,
  requestIdPattern,
  requestDeadline,
  type RequestState,
  restartDeadline,
} from './request-context';
