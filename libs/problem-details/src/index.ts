export { catalogue, problemEntry, type ProblemSlug } from './catalogue';
export { errorsPage } from './errors-page';
export { Problem, problemDocument, validationFailed, type Violation } from './problem';
export { concerning, causesOf, debugOf, type Concern } from './refusal-debug';
