export { card } from './card';
export { readRoots } from './trusted-roots';
export { Wallet } from './wallet';
