export { card } from './card';
export { verifyCredential, type Verified } from './credential';
export type { Browser } from './issuance';
export { algorithms, bindings } from './keys';
export { readRoots } from './roots';
export { type ReceiveOptions, Wallet } from './wallet';
export type { CredentialFormat } from './wallet-file';
