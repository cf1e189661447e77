export { authorizationRequestAggregate } from './authorization-request';
export { presentationCounter } from './presentation-counter';
export { statusCounter } from './status-counter';
export { presentationPublication } from './presentation-publication';
