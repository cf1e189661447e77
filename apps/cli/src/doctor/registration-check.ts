import { CertificateFault, type TrustState } from '@app/identity';
import { typeInMetadata } from '@app/openid4vc';
import { isJsonObject, type JsonObject } from '@app/primitives/json';
import {
  faultOfTimes,
  isIssuable,
  readCertificate,
  type RegistrationCertificate,
  RegistrationDirectory,
  verifiedCertificate,
} from '@app/registration';
import type { Published } from './document-checks';
import { fail, type Finding, ok, warn } from './finding';

const check = 'registration';
const days = 30;

/** A certificate by the name of its file, or why there is none. */
type Found = { readonly name: string } & (
  { readonly certificate: RegistrationCertificate } | { readonly fault: CertificateFault }
);

/**
 * Whether the registration certificates in files can be sent, and whether what the metadata of the issuer offer is registered. Those of
 * the management API are in its own list; the one of the issuer is in the metadata, wherever it came from.
 */
export async function checkRegistration(
  path: string,
  { anchors }: Pick<TrustState, 'anchors'>,
  { metadata = {} }: Pick<Published, 'metadata'>,
  now: Date,
): Promise<Finding> {
  const directory = new RegistrationDirectory(path);
  await directory.read();
  const [unreadable] = directory.faults;
  if (unreadable) return fail(check, `${unreadable.source}: ${unreadable.found}`, `${unreadable.remedy}.`);
  const registrars = anchors.filter(({ purposes }) => purposes.includes('registrar'));
  const all = [...directory.files].map(([name, text]): Found => {
    try {
      const certificate = verifiedCertificate(text, registrars, now);
      const fault = faultOfTimes(certificate, now);
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
    return warn(check, found, 'Get the next certificate of the registrar, and replace the file.');
  }
  const offered = issuerInfoIn(metadata) ? '; the metadata of the issuer carry one' : '';
  return ok(
    check,
    all.length === 0 && offered === '' ? 'no registration certificates' : `${all.length} files${offered}`,
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
