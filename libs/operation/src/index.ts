export { FindLoginStanding, FindMailStanding, type LoginStanding, type MailStanding } from './api';
export { Expiries } from './expiries';
export { Housekeeping } from './housekeeping';
export { OperationModule } from './operation.module';
export { ExplorerModule } from './explorer/explorer.module';
