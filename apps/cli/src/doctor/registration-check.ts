import { CertificateFault, type OwnCertificates, type TrustState } from '@app/identity';
import { EventStore, type Provers, type SqlDriver } from '@app/event-store';
import { typeInMetadata } from '@app/openid4vc';
import { isJsonObject, type JsonObject } from '@app/primitives/json';
import {
  faultOfParty,
  faultOfTimes,
  isIssuable,
  identifiersOf,
  readCertificate,
  type RegistrationCertificate,
  RegistrationDirectory,
  storedCertificateAggregate,
  storedCertificates,
  verifiedCertificate,
} from '@app/registration';
import { counted } from '../counted';
import type { Published } from './document-checks';
import { fail, type Finding, ok, warn } from './finding';

const check = 'registration';
const days = 30;

/** A certificate by its name, or why there is none. */
type Found = { readonly name: string } & (
  { readonly certificate: RegistrationCertificate } | { readonly fault: CertificateFault }
);

/** What the database says of registration, as far as it could be opened. */
export interface StoredRegistration {
  /** Certificates of the management API by their ids, compact JWS. */
  readonly certificates?: ReadonlyMap<string, string>;
  /** Of the service, whose party the certificates have to be about. */
  readonly own?: Pick<OwnCertificates, 'party'>;
}

/** The certificates of the management API by their ids. */
export function readStoredCertificates(
  driver: SqlDriver,
  provers: Provers | undefined,
): Promise<ReadonlyMap<string, string>> {
  const records = new EventStore(driver, undefined, provers).repository(storedCertificateAggregate);
  return storedCertificates(records);
}

/**
 * Whether the registration certificates can be sent, and whether what the metadata of the issuer offer is registered: the certificate of
 * the issuer is in the metadata, wherever it came from.
 */
export async function checkRegistration(
  path: string,
  { certificates: stored = new Map(), own }: StoredRegistration,
  { anchors }: Pick<TrustState, 'anchors'>,
  { metadata = {} }: Pick<Published, 'metadata'>,
  now: Date,
): Promise<Finding> {
  const directory = new RegistrationDirectory(path);
  await directory.read();
  const [unreadable] = directory.faults;
  if (unreadable) return fail(check, `${unreadable.source}: ${unreadable.found}`, `${unreadable.remedy}.`);
  const registrars = anchors.filter(({ purposes }) => purposes.includes('registrar'));
  const parties = own && identifiersOf(own, now);
  const all = [...directory.files, ...stored].map(([name, text]): Found => {
    try {
      const certificate = verifiedCertificate(text, registrars, now);
      const fault = faultOfTimes(certificate, now) ?? (parties && faultOfParty(certificate, parties));
      return fault ? { name, fault } : { name, certificate };
    } catch (error) {
      if (error instanceof CertificateFault) return { name, fault: error };
      throw error;
    }
  });
  const [faulty] = all.flatMap((one) => ('fault' in one ? [one] : []));
  if (faulty) return fail(check, `${faulty.name}: ${faulty.fault.found}`, `${faulty.fault.remedy}.`);
  const unregistered = unregisteredIn(metadata);
  if (unregistered.length > 0) {
    const found = `offered without being registered: ${unregistered.join(', ')}`;
    return warn(
      check,
      found,
      'Have these types registered, or archive their templates: wallets warn of them, or refuse them.',
    );
  }
  const soon = all.filter(
    (one) => 'certificate' in one && endsBefore(one.certificate, now.getTime() + days * 86_400_000),
  );
  if (soon.length > 0) {
    const found = `ends within ${days} days: ${soon.map(({ name }) => name).join(', ')}`;
    return warn(check, found, 'Get the next certificate of the registrar, and put it beside this one.');
  }
  const offered = issuerInfoIn(metadata) ? '; the metadata of the issuer carry one' : '';
  return ok(
    check,
    all.length === 0 && offered === ''
      ? 'no registration certificates'
      : `${counted(all.length, 'certificate')}${offered}`,
  );
}

function endsBefore({ expiresAt }: RegistrationCertificate, time: number): boolean {
  return expiresAt !== undefined && expiresAt.getTime() < time;
}

/** The ids of configurations that the certificate in the same metadata does not list. */
function unregisteredIn(metadata: Readonly<Record<string, unknown>>): string[] {
  const registered = issuerInfoIn(metadata)?.attestations;
  const configurations = metadata['credential_configurations_supported'] as JsonObject | undefined;
  if (!registered || !isJsonObject(configurations)) return [];
  return Object.entries(configurations).flatMap(([id, one]) => {
    if (!isJsonObject(one)) return [];
    const named = typeInMetadata(one);
    return named && !isIssuable(named, registered) ? [id] : [];
  });
}

function issuerInfoIn(metadata: Readonly<Record<string, unknown>>): RegistrationCertificate | undefined {
  const entries = metadata['issuer_info'];
  const data = Array.isArray(entries) ? entries.filter(isJsonObject).find(isRegistration)?.['data'] : undefined;
  return typeof data === 'string' ? readCertificate(data).certificate : undefined;
}

function isRegistration({ format }: JsonObject): boolean {
  return format === 'registration_cert';
}
