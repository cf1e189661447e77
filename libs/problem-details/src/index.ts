export { catalogue, problemEntry, type ProblemSlug } from './catalogue';
export { errorsPage } from './errors-page';
export {
  ALLOWED_METHODS,
  ManagementErrorFilter,
  PROBLEM_OPTIONS,
  RECORD_REFUSAL,
  type AllowedMethods,
  type ProblemOptions,
  type RecordRefusal,
} from './management-error.filter';
export { Problem, problemDocument, type Violation } from './problem';
export { concerning, debugOf, type Concern } from './refusal-debug';
export { problemOf } from './translate';
export { ProblemPages } from './problem-pages';
export { WalletErrorFilter } from './wallet-error.filter';
