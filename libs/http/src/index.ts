export { type BodyLimitName, bodyLimits, LimitBody, sizeText } from './body/body-limits';
export {
  assertConditions,
  type Conditions,
  contentTag,
  entityTag,
  parseConditions,
  representationConditions,
  tagsPattern,
  versionConflict,
} from './answers/conditions';
export { preferredMediaType, prefers } from './answers/content-negotiation';
export { controllersOf, type DeclaredRoute, declaredRoutes } from './server/declared-routes';
export {
  ADDRESSES,
  type Addresses,
  ManagementErrorFilter,
  PROBLEM_OPTIONS,
  type ProblemOptions,
  RECORD_REFUSAL,
  type RecordRefusal,
} from './problems/management-error.filter';
export { ProblemPages } from './problems/problem-pages';
export { problemOf } from './problems/translate';
export { walletErrorOf } from './problems/wallet-error';
export { WalletErrorFilter } from './problems/wallet-error.filter';
export { LeanExpressAdapter } from './server/lean-express-adapter';
export { IdempotencyModule } from './idempotency/idempotency.module';
export { IdempotencyKeys, parseIdempotencyKey } from './idempotency/idempotency-keys';
export { RawBody, rawBody, type BodyLimit } from './body/raw-body';
export type { SentFile } from './body/sent-file';
export { bodyTooLarge, formParameters, strictJson, walletJson, walletJwt } from './body/wallet-body';
export { isDrawable, qrSvg } from './answers/qr-code';
export { type BareLink, shownLink } from './answers/shown-link';
export { type AnswerListener, answeredRequests, isProbe } from './server/answered-requests';
export { corsPreflight } from './server/cors';
export { stopGracefully, stopOnSignals } from './server/graceful-stop';
export { hideOtherListener, ListenerGate } from './server/listener-split';
export { Listeners, type Ports } from './server/listeners';
export { type Gate, type HeaderSource, OffersHeaders, ROUTE_GATES, type RouteGate } from './server/route-plans';
export { RouteTable } from './server/route-table';
export { canonicalHost, mayBeOfTenant } from './server/called-host';
export { type AddressBook, enterTenant, type OwnAddress, publicPath, TenantAddresses } from './server/public-path';
export { logAnswered } from './server/request-log';
export { logShapes } from './server/wallet-shapes';
export { securityHeaders } from './server/security-headers';
export { ServiceState } from './server/service-state';
export { singularHeaders } from './server/singular-headers';
export { changedNumbers, unstorable } from './body/storable';
export { HeldRefusals } from './problems/held-refusals';
export { counterOf, type EventTable, publicationOf, timelineSteps } from './answers/event-table';
export { inOrderOfTime, refusalsIn, refusedWallet, type TimelineEntry, timelineOf } from './answers/timeline';
export { managementChallenge, ScopeRefusals } from './contract/scope-refusals';
/** Constraints of bodies and queries: `@is.Optional('A name.', is.Text(1, 256))`. */
export * as is from './contract/constraints';
export { problemSchema } from './contract/components';
export { type DocumentInfo, openApiDocument } from './contract/document';
export { contractOf, Implements, operationsOf, Resource } from './contract/implementation';
export { OperationsModule, RECORD_ANSWER, type RecordAnswer } from './contract/operation-answers';
export { linkMediaTypes, pageLinksOf, pageRedirects, walletLinkSchema } from './contract/link-operations';
export { ListQuery, type PageQuery } from './contract/list-query';
export { type Answer, type Input, listOf, type Operation, resource } from './contract/operation';
export {
  anyObject,
  closed,
  component,
  dateTime,
  duration,
  eg,
  exampleOf,
  givenDateTime,
  integer,
  namesIn,
  type Schema,
  text,
  textOrNull,
  texts,
  timeline,
} from './contract/schemas';
export { TemplateLimits } from './contract/template-limits';
export { timesInOrder, timeRange } from './contract/time-range';
export { seesLinksOf, shownTo } from './contract/shown-links';
export { validated } from './contract/validation';
export { networkOf } from './limits/network';
export { TenantLimiter } from './limits/tenant-limiter';
export { RateLimiter } from './limits/rate-limiter';
export { RateLimitsModule, type RateLimitsOptions } from './limits/rate-limits.module';
export { rateLimits, type RateLimitName } from './limits/rate-limits';
export {
  type AccessDecision,
  accessDecisionOf,
  type Audience,
  PublicEndpoint,
  RequiresCaller,
  RequiresScope,
  type Scope,
  scopes,
  scopesOfTenants,
} from './context/access-decision';
export {
  CountsAs,
  currentStanding,
  giveStanding,
  standingOfTenant,
  StopsWith,
  type Suspension,
  type TenantLimits,
  type TenantStanding,
} from './context/tenant-standing';
export { TenantGate } from './limits/tenant-gate';
export { clientAddressOf } from './context/client-address';
export { created, HttpReply, redirectTo, renderedJson, representation } from './context/http-reply';
export { freshFor, requireFreshness } from './context/freshness';
export { OwnCookies } from './context/own-cookies';
export { formPagePolicy, pagePolicy } from './context/page-policy';
export {
  actAs,
  askOthersFor,
  currentDeadline,
  currentLogContext,
  currentPrincipal,
  currentRequest,
  currentRequester,
  currentRequestState,
  currentSubject,
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
  type SignedInPerson,
} from './context/request-context';
