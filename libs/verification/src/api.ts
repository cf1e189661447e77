export { authorizationRequestAggregate } from './authorization-request';
export { presentationCounter } from './presentation-counter';
export { presentationPublication } from './presentation-publication';
