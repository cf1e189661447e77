export { credentialAggregate } from './credential';
export { credentialCounter } from './credential-counter';
