export { Housekeeping } from './housekeeping';
export { OperationModule } from './operation.module';
