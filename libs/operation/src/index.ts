export { FindLoginStanding, type LoginStanding } from './api';
export { Expiries } from './expiries';
export { Housekeeping } from './housekeeping';
export { OperationModule } from './operation.module';
export { ExplorerModule } from './explorer/explorer.module';
