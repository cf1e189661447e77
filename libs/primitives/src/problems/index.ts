export { catalogue, problemEntry, type ProblemSlug } from './catalogue';
export { errorsPage } from './errors-page';
export { Problem, problemDocument, validationFailed, type Violation } from './problem';
export { concernIn, concerning, debugOf, type Concern } from './refusal-debug';
