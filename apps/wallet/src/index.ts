export { card } from './card';
export { Wallet } from './wallet';
