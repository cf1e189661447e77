export { examineRelay } from './relay';
export type { RelayFailure } from './relay-failure';
