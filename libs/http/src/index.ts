export { clientAddressOf } from './client-address';
export { assertVersion, entityTag, parseIfMatch, versionConflict, type VersionCondition } from './entity-tag';
export { bodyClassOf, controllersOf, declaredPaths, declaredVerb } from './declared-routes';
export { Nested, nestedTypeOf } from './nested';
export { created, HttpReply, renderedJson } from './http-reply';
export { pagePolicy } from './page-policy';
export { JsonBodyPipe, validated } from './json-body';
export { LeanExpressAdapter } from './lean-express-adapter';
export { answeredAs, Idempotent, IdempotencyModule, IdempotentInParts, isIdempotent } from './idempotency';
export { IdempotencyKeys, parseIdempotencyKey } from './idempotency-keys';
export {
  actAs,
  currentDeadline,
  currentPrincipal,
  currentRequest,
  askOthersFor,
  currentRequester,
  currentRequestState,
  outsideRequest,
  requestContext,
  requestDeadline,
  type Principal,
  type RequestContext,
  type RequestState,
} from './request-context';
export { IsAddressable, IsOmissible } from './body-members';
export { RawBody, rawBody, type BodyLimit } from './raw-body';
export { WALLET_URLS } from './wallet-urls.token';
export { parseChoice, parsePageQuery, parseText, queryFault, type PageQuery } from './page-query';
export { formParameters, walletJson } from './wallet-body';
export { type BareLink, linkPage, pictureAddresses, preferredRepresentation, shownLink } from './shown-link';
export { timelineOf, type TimelineStep } from './timeline';
