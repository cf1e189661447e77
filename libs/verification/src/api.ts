export { authorizationRequestAggregate } from './authorization-request';
export { presentationCounter } from './presentation-counter';
