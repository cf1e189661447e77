import { type CertificateInUse, covers, OwnCertificates, ownNames, warnedBefore } from '@app/certificates';
import type { Settings } from '@app/config';
import type { SqlDriver } from '@app/event-store';
import { KeyStoreLockedError, NoKeysError, NoProofsError, openExistingCertificateKeys } from '@app/keys';
import { wholeSeconds } from '@app/time';
import { fail, type Finding, ok, warn } from './finding';

const check = 'certificates';

/** The certificates in use: whether each is valid, for how long, and names this service. */
export async function checkCertificates(
  driver: SqlDriver,
  { profile, applicationUrl, secretManager }: Settings,
  now: Date,
): Promise<Finding[]> {
  try {
    const { ring, keys } = await openExistingCertificateKeys(driver, secretManager.strongholdPassword);
    const own = new OwnCertificates(keys, ring, profile === 'development' ? new Map() : undefined);
    return certificateFindings(own.inUse(now), applicationUrl, now);
  } catch (error) {
    // The check of the signing keys says so.
    const isKnown = [NoKeysError, NoProofsError, KeyStoreLockedError].some((kind) => error instanceof kind);
    if (isKnown) return [];
    throw error;
  }
}

export function certificateFindings(inUse: readonly CertificateInUse[], applicationUrl: string, now: Date): Finding[] {
  if (inUse.length === 0) return [ok(check, 'none: nothing is signed under a certificate')];
  return inUse.map((signer) => findingOf(signer, applicationUrl, now));
}

function findingOf(signer: CertificateInUse, applicationUrl: string, now: Date): Finding {
  const { use, subject, notAfter, isDevelopment } = signer;
  const ends = wholeSeconds(notAfter);
  const found = `that for ${use} (${subject})`;
  if (isDevelopment) {
    const remedy = 'Start the service: it makes a new one.';
    return now < notAfter
      ? ok(check, `${found} is one of the development root`)
      : warn(check, `${found} ended ${ends}`, remedy);
  }
  const remedy = `Run "sealwright certificates request --use ${use}", have it signed, and install the chain.`;
  if (notAfter <= now) return fail(check, `${found} ended ${ends}`, remedy);
  const names = ownNames(applicationUrl);
  if (!covers(use, signer, names)) return fail(check, `${found} does not name ${names.host}`, remedy);
  return warnedBefore(signer) <= now
    ? warn(check, `${found} ends ${ends}`, remedy)
    : ok(check, `${found} is valid until ${ends}`);
}
