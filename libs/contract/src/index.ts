/** Constraints of bodies and queries: `@is.Optional('A name.', is.Text(1, 256))`. */
export * as is from './constraints';
export { contractOf } from './contract-of';
export { problemSchema } from './components';
export { type DocumentInfo, openApiDocument } from './document';
export { Implements, operationsOf, Resource } from './implementation';
export { OperationsModule, RECORD_ANSWER, type RecordAnswer } from './operation-answers';
export { linkMediaTypes, pageLinksOf, pageRedirects, walletLink } from './link-operations';
export { ListQuery, type PageQuery } from './list-query';
export { type Input, listOf, type Operation, resource } from './operation';
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
} from './schemas';
export { inOrder, timeRange, type TimeRange } from './time-range';
export { seesLinksOf, shownTo } from './shown-links';
export { validated } from './validation';
