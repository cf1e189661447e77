export { credentialAggregate } from './credential/credential';
export { credentialCounter } from './credential/credential-counter';
export { credentialPublication } from './credential/credential-publication';
