import { EventStore } from '@app/event-store';
import { Global, Module } from '@nestjs/common';
import { RegistrationCertificatesController } from './management/registration-certificates.controller';
import {
  AddRegistrationCertificateHandler,
  RemoveRegistrationCertificateHandler,
} from './management/registration-certificates.handlers';
import { OwnRegistrations } from './own-registrations';
import { STORED_CERTIFICATES, storedCertificateAggregate } from './sources/stored-certificate';

/** Global: what registrars attest of this service. */
@Global()
@Module({
  controllers: [RegistrationCertificatesController],
  providers: [
    {
      provide: STORED_CERTIFICATES,
      inject: [EventStore],
      useFactory: (store: EventStore) => store.repository(storedCertificateAggregate),
    },
    OwnRegistrations,
    AddRegistrationCertificateHandler,
    RemoveRegistrationCertificateHandler,
  ],
  exports: [OwnRegistrations],
})
export class RegistrationModule {}
