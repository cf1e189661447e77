export { importAggregate } from './import';
