export { credentialAggregate } from './credential';
export { credentialCounter } from './credential-counter';
export { credentialPublication } from './credential-publication';
