export { Expiries } from './expiries';
export { Housekeeping } from './housekeeping';
export { FindLoginStanding, type LoginStanding } from './login-readiness';
export { OperationModule } from './operation.module';
