export { importAggregate } from './import';
export { importCounter } from './import-counter';
