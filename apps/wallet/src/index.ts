export type { Browser } from './authorization';
export { card } from './card';
export { readRoots } from './trusted-roots';
export { type ReceiveOptions, Wallet } from './wallet';
