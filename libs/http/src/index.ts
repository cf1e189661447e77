export { assertVersion, entityTag, parseIfMatch, versionConflict, type VersionCondition } from './entity-tag';
export { bodyClassOf, controllersOf, declaredPaths, declaredVerb } from './declared-routes';
export { Nested, nestedTypeOf } from './nested';
export {
  ALLOWED_METHODS,
  type AllowedMethods,
  ManagementErrorFilter,
  PROBLEM_OPTIONS,
  type ProblemOptions,
  RECORD_REFUSAL,
  type RecordRefusal,
} from './errors/management-error.filter';
export { ProblemPages } from './errors/problem-pages';
export { problemOf } from './errors/translate';
export { WalletErrorFilter } from './errors/wallet-error.filter';
export { JsonBodyPipe, validated } from './json-body';
export { LeanExpressAdapter } from './lean-express-adapter';
export { answeredAs, Idempotent, IdempotencyModule, IdempotentInParts, isIdempotent } from './idempotency';
export { IdempotencyKeys, parseIdempotencyKey } from './idempotency-keys';
export { IsAddressable, IsOmissible } from './body-members';
export { RawBody, rawBody, type BodyLimit } from './raw-body';
export { parseChoice, parsePageQuery, parseText, queryFault, type PageQuery } from './page-query';
export { formParameters, walletJson } from './wallet-body';
export { type BareLink, linkPage, pictureAddresses, preferredRepresentation, shownLink } from './shown-link';
export { type AnswerListener, answeredRequests, isProbe } from './server/answered-requests';
export { corsPreflight } from './server/cors';
export { stopGracefully, stopOnSignals } from './server/graceful-stop';
export { connections, limitedServer } from './server/limited-server';
export { hideForeign, ListenerGuard } from './server/listener-split';
export { Listeners, type Ports } from './server/listeners';
export { publicPath } from './server/public-path';
export { logAnswered } from './server/request-log';
export { securityHeaders } from './server/security-headers';
export { ServiceState } from './server/service-state';
export { singularHeaders } from './server/singular-headers';
export { timelineOf, type TimelineStep } from './timeline';
