export { AuditGuard } from './audit.guard';
export { AuditModule } from './audit.module';
export { AuditTrail } from './audit-trail';
export { notePersonalData, noteSending, onBehalfOfWallets } from './request-audit';
