export { card } from './card';
export { verifyCredential, type Verified } from './credential';
export type { Browser } from './token';
export { algorithms, bindings } from './keys';
export { readRoots } from './roots';
export { Wallet } from './wallet';
export type { CredentialFormat } from './wallet-file';
