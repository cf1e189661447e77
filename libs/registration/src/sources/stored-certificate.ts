import type { Aggregate, Publication, Repository } from '@app/event-store';
import { Problem } from '@app/primitives/problems';

export type StoredCertificateEvent =
  | { readonly type: 'RegistrationCertificateAdded'; readonly certificate: string }
  | { readonly type: 'RegistrationCertificateRemoved' };

/** A registration certificate that came by the management API. */
export type StoredCertificate =
  /** `listed`: lists filter by equality, and a removed one lacks it. @property certificate compact JWS */
  { readonly status: 'Present'; readonly certificate: string; readonly listed: 'yes' } | { readonly status: 'Removed' };

export function addCertificate(certificate: string): StoredCertificateEvent[] {
  return [{ type: 'RegistrationCertificateAdded', certificate }];
}

/** @throws Problem `not-found` */
export function removeCertificate(stored: StoredCertificate | undefined, id: string): StoredCertificateEvent[] {
  if (stored?.status !== 'Present') throw noCertificate(id);
  return [{ type: 'RegistrationCertificateRemoved' }];
}

export function noCertificate(id: string): Problem {
  return new Problem('not-found', `There is no registration certificate with the id ${id}.`);
}

export const storedCertificateAggregate: Aggregate<StoredCertificate, StoredCertificateEvent> = {
  category: 'registrationCertificate',
  evolve: (_, event) =>
    event.type === 'RegistrationCertificateAdded'
      ? { status: 'Present', certificate: event.certificate, listed: 'yes' }
      : { status: 'Removed' },
};

/** Of the management API, for one issuer. */
export const mostStored = 100;

/** The certificates that are there, compact JWS, by their ids. */
export async function storedCertificates(
  records: Pick<Repository<StoredCertificate, StoredCertificateEvent>, 'list'>,
): Promise<ReadonlyMap<string, string>> {
  const { items } = await records.list({ where: { listed: 'yes' }, limit: mostStored });
  return new Map(items.flatMap(({ id, state }) => ('certificate' in state ? [[id, state.certificate]] : [])));
}

/** Others learn nothing of them. */
export const storedCertificatePublication: Publication<StoredCertificateEvent> = {
  category: storedCertificateAggregate.category,
  resources: 'registration_certificates',
  types: { RegistrationCertificateAdded: null, RegistrationCertificateRemoved: null },
  data: () => ({}),
};

/** Injection token of their repository. */
export const STORED_CERTIFICATES = Symbol('STORED_CERTIFICATES');
