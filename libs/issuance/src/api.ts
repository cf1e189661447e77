export { credentialAggregate } from './credential/credential';
export { credentialCounter, credentialPublication } from './credential/credential-events';
