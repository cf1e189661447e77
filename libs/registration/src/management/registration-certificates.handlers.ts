import { Repository } from '@app/event-store';
import { CertificateFault } from '@app/identity';
import { Problem, validationFailed } from '@app/primitives/problems';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import type { ShownRegistration } from '../held-registrations';
import { OwnRegistrations } from '../own-registrations';
import {
  addCertificate,
  mostStored,
  storedCertificates,
  noCertificate,
  removeCertificate,
  STORED_CERTIFICATES,
  type StoredCertificate,
  type StoredCertificateEvent,
} from '../sources/stored-certificate';

/** Takes a certificate that would be used now. Throws `registration-certificate-not-accepted` or `conflict`. */
export class AddRegistrationCertificate extends Command<ShownRegistration> {
  /** @param certificate as the registrar handed it out */
  constructor(readonly certificate: string) {
    super();
  }
}

/** Throws `not-found`, or `conflict` for one that is a file. */
export class RemoveRegistrationCertificate extends Command<void> {
  constructor(readonly certificateId: string) {
    super();
  }
}

type Records = Repository<StoredCertificate, StoredCertificateEvent>;

@CommandHandler(AddRegistrationCertificate)
export class AddRegistrationCertificateHandler implements ICommandHandler<AddRegistrationCertificate> {
  constructor(
    @Inject(STORED_CERTIFICATES) private readonly records: Records,
    private readonly registrations: OwnRegistrations,
  ) {}

  async execute({ certificate: given }: AddRegistrationCertificate): Promise<ShownRegistration> {
    const { compact } = this.accepted(given);
    const stored = await storedCertificates(this.records);
    const [same] = [...stored].find(([, text]) => text === compact) ?? [];
    if (same !== undefined)
      throw new Problem('conflict', `This registration certificate is here already, with the id ${same}.`);
    if (stored.size >= mostStored) {
      throw new Problem('conflict', `There are ${mostStored} registration certificates; remove one that has ended.`);
    }
    const certificateId = randomUUID();
    await this.records.update(certificateId, () => addCertificate(compact));
    await this.registrations.reload();
    return found(this.registrations, certificateId);
  }

  private accepted(given: string) {
    try {
      const { certificate, fault } = this.registrations.examined(given, new Date());
      if (fault) throw new CertificateFault(fault.found, fault.remedy);
      return certificate;
    } catch (error) {
      if (!(error instanceof CertificateFault)) throw error;
      const message = `found ${error.found}; ${error.remedy}`;
      throw validationFailed([{ pointer: '/certificate', message }], 'registration-certificate-not-accepted');
    }
  }
}

@CommandHandler(RemoveRegistrationCertificate)
export class RemoveRegistrationCertificateHandler implements ICommandHandler<RemoveRegistrationCertificate> {
  constructor(
    @Inject(STORED_CERTIFICATES) private readonly records: Records,
    private readonly registrations: OwnRegistrations,
  ) {}

  async execute({ certificateId }: RemoveRegistrationCertificate): Promise<void> {
    const isFile = this.registrations.all().some((one) => one.certificateId === certificateId && one.source === 'file');
    if (isFile) throw new Problem('conflict', `${certificateId} is a file: remove it from the directory.`);
    await this.records.update(certificateId, ({ state }) => removeCertificate(state, certificateId));
    await this.registrations.reload();
  }
}

/** Throws `not-found`. */
export function found(registrations: OwnRegistrations, certificateId: string): ShownRegistration {
  const one = registrations.all().find((held) => held.certificateId === certificateId);
  if (one) return one;
  throw noCertificate(certificateId);
}
