export { type BodyLimitName, bodyLimits, LimitBody, sizeText } from './body-limits';
export {
  assertConditions,
  type Conditions,
  contentTag,
  entityTag,
  parseConditions,
  representationConditions,
  tagsPattern,
  versionConflict,
} from './conditions';
export { preferredMediaType, prefers } from './content-negotiation';
export { controllersOf, type DeclaredRoute, declaredRoutes } from './declared-routes';
export {
  ADDRESSES,
  type Addresses,
  ManagementErrorFilter,
  PROBLEM_OPTIONS,
  type ProblemOptions,
  RECORD_REFUSAL,
  type RecordRefusal,
} from './errors/management-error.filter';
export { ProblemPages } from './errors/problem-pages';
export { problemOf } from './errors/translate';
export { walletErrorOf } from './errors/wallet-error';
export { WalletErrorFilter } from './errors/wallet-error.filter';
export { LeanExpressAdapter } from './lean-express-adapter';
export { IdempotencyModule } from './idempotency.module';
export { IdempotencyKeys, parseIdempotencyKey } from './idempotency-keys';
export { RawBody, rawBody, type BodyLimit } from './raw-body';
export { bodyTooLarge, formParameters, strictJson, walletJson, walletJwt } from './wallet-body';
export { isDrawable } from './qr-code';
export { type BareLink, shownLink } from './shown-link';
export { type AnswerListener, answeredRequests, isProbe } from './server/answered-requests';
export { corsPreflight } from './server/cors';
export { stopGracefully, stopOnSignals } from './server/graceful-stop';
export { hideOtherListener, ListenerGuard } from './server/listener-split';
export { Listeners, type Ports } from './server/listeners';
export { RouteTable } from './server/route-table';
export { publicPath } from './server/public-path';
export { logAnswered } from './server/request-log';
export { logShapes } from './server/wallet-shapes';
export { securityHeaders } from './server/security-headers';
export { ServiceState } from './server/service-state';
export { singularHeaders } from './server/singular-headers';
export { changedNumbers, unstorable } from './storable';
export { StorablePipe } from './storable.pipe';
export { HeldRefusals } from './held-refusals';
export { inOrderOfTime, refusalsIn, refusedStep, type TimelineEntry, timelineOf, type TimelineStep } from './timeline';
export { managementChallenge, ScopeRefusals } from './scope-refusals';
