import { type Answer, created, HttpReply, Implements, type Input, Resource } from '@app/http';
import { CommandBus } from '@nestjs/cqrs';
import type { ShownRegistration } from '../held-registrations';
import { OwnRegistrations } from '../own-registrations';
import { registrationCertificates } from './registration-certificates.contract';
import { AddRegistrationCertificate, found, RemoveRegistrationCertificate } from './registration-certificates.handlers';

type View = Answer<typeof registrationCertificates.get>;

@Resource(registrationCertificates)
export class RegistrationCertificatesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly registrations: OwnRegistrations,
  ) {}

  @Implements(registrationCertificates.add)
  async add({ body }: Input<typeof registrationCertificates.add>): Promise<HttpReply> {
    const added = await this.commands.execute(new AddRegistrationCertificate(body.certificate));
    return created(`/v0/registration_certificates/${added.certificateId}`, viewOf(added));
  }

  @Implements(registrationCertificates.list)
  list(): Answer<typeof registrationCertificates.list> {
    return { items: this.registrations.all().map(viewOf), nextCursor: null };
  }

  @Implements(registrationCertificates.get)
  get({ params: { certificateId } }: Input<typeof registrationCertificates.get>): View {
    return viewOf(found(this.registrations, certificateId));
  }

  @Implements(registrationCertificates.remove)
  async remove({ params: { certificateId } }: Input<typeof registrationCertificates.remove>): Promise<void> {
    await this.commands.execute(new RemoveRegistrationCertificate(certificateId));
  }
}

function viewOf({ certificateId, source, state, fault, looked, certificate }: ShownRegistration): View {
  const view = { certificateId, source, state, ...(fault && { fault: { found: fault.found, remedy: fault.remedy } }) };
  if (!certificate) return view;
  const { name, subject, intermediary, entitlements, intendedUseId, purpose } = certificate;
  const { credentials, attestations, issuedAt, expiresAt } = certificate;
  return {
    ...view,
    ...(looked && { status: looked.status }),
    ...(looked?.statedAt && { statusStatedAt: looked.statedAt.toISOString() }),
    name,
    party: subject,
    ...(intermediary !== undefined && { intermediary }),
    entitlements,
    ...(intendedUseId !== undefined && { intendedUseId }),
    purpose,
    credentials,
    attestations,
    issuedAt: issuedAt.toISOString(),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
  };
}
