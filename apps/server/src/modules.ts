import { AuditModule, MadeKeysModule } from '@app/access';
import { ApprovalsModule } from '@app/approvals/src/approvals.module';
import { AuthorizationModule } from '@app/authorization/src/authorization.module';
import { EventsModule } from '@app/events/src/events.module';
import { ImportsModule } from '@app/imports/src/imports.module';
import { IssuanceModule } from '@app/issuance/src/issuance.module';
import { MailModule } from '@app/mail/src/mail.module';
import { OffersModule } from '@app/offers/src/offers.module';
import { OperationModule } from '@app/operation';
import { RegistrationModule } from '@app/registration';
import { SessionsModule } from '@app/sessions/src/sessions.module';
import { StatusModule } from '@app/status/src/status.module';
import { TemplatesModule } from '@app/templates/src/templates.module';
import { TenantsModule } from '@app/tenants/src/tenants.module';
import { VerificationModule } from '@app/verification/src/verification.module';
import { WebhooksModule } from '@app/events/src/webhooks/webhooks.module';

/** The business, and the service itself; the OpenAPI document is made from the same list. */
export const managementModules = [
  RegistrationModule,
  ApprovalsModule,
  TemplatesModule,
  StatusModule,
  OffersModule,
  MailModule,
  AuthorizationModule,
  IssuanceModule,
  ImportsModule,
  VerificationModule,
  WebhooksModule,
  EventsModule,
  OperationModule,
  AuditModule,
  MadeKeysModule,
  SessionsModule,
  TenantsModule,
];
