export { problemSchema } from './components';
export {
  About,
  Check,
  Clearable,
  Fixed,
  HasNoFaults,
  Holds,
  IsAddressable,
  IsDuration,
  IsNested,
  IsOmissible,
  isPlainObject,
  IsText,
  IsTexts,
  Optional,
  Rules,
} from './constraints';
export { contractOf } from './contract-of';
export { type DocumentInfo, openApiDocument } from './document';
export { Implements, operationsOf, Resource } from './implementation';
export { ListQuery, type PageQuery } from './list-query';
export { type Input, type Operation, resource } from './operation';
export {
  closed,
  component,
  dateTime,
  pageOf,
  type Schema,
  text,
  textOrNull,
  texts,
  timeline,
  withExample,
} from './schemas';
export { validated } from './validation';
export { linkMediaTypes, linkOperations, pictures, walletLink } from './link-operations';
