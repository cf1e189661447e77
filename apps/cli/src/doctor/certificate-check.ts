import {
  accessFaultOf,
  type CertificateInUse,
  type CertificateUse,
  covers,
  type OwnCertificates,
  ownNames,
  readAccessProfile,
  warnedBefore,
} from '@app/identity';
import { formats as ownFormats } from '@app/credentials';
import type { Settings } from '@app/config';
import type { SqlDriver } from '@app/event-store';
import { KeyStoreLockedError, NoKeysError, NoProofsError } from '@app/keys';
import { isByCertificate } from '@app/openid4vc';
import { wholeSeconds } from '@app/primitives/time';
import { X509Certificate } from 'node:crypto';
import { openOwnCertificates } from '../own-certificates';
import { fail, type Finding, ok, warn } from './finding';

const check = 'certificates';

/** Undefined where the keys cannot be opened: the check of the signing keys says so. */
export async function ownCertificates(driver: SqlDriver, settings: Settings): Promise<OwnCertificates | undefined> {
  try {
    return (await openOwnCertificates(driver, settings)).own;
  } catch (error) {
    const isKnown = [NoKeysError, NoProofsError, KeyStoreLockedError].some((kind) => error instanceof kind);
    if (isKnown) return undefined;
    throw error;
  }
}

/**
 * The certificates in use: whether each is valid, for how long, and names this service.
 * @param formats of the credentials that the service offers, as far as it is known
 */
export function checkCertificates(
  own: OwnCertificates,
  settings: Settings,
  now: Date,
  formats?: ReadonlySet<string>,
): Finding[] {
  return certificateFindings(own.inUse(now), settings, now, formats);
}

type JudgedSettings = Pick<Settings, 'profile' | 'applicationUrl' | 'haip' | 'verification' | 'certificates'>;

export function certificateFindings(
  inUse: readonly CertificateInUse[],
  settings: JudgedSettings,
  now: Date,
  formats: ReadonlySet<string> = new Set(),
): Finding[] {
  // Nothing makes up for it in development either, where its key can be revoked.
  const isOffered = ownFormats.some(({ id, signedAs }) => signedAs === 'document' && formats.has(id));
  const ofDocuments = isOffered ? [['documents', 'an offered mdoc'] as const] : [];
  const missing = [...needed(settings), ...ofDocuments]
    .filter(([use]) => !inUse.some((one) => one.use === use))
    .map(([use, needing]) => fail(check, `none for ${use}, which ${needing} needs`, remedyFor(use)));
  const found = [...inUse.map((signer) => findingOf(signer, settings, now)), ...missing];
  return found.length > 0 ? found : [ok(check, 'none: nothing is signed under a certificate')];
}

/** The uses for which there has to be a certificate, each with the setting that wants it. */
function needed({
  profile,
  haip,
  verification: { clientIdPrefix },
}: Pick<Settings, 'profile' | 'haip' | 'verification'>): (readonly [CertificateUse, string])[] {
  // In development the service makes them when it starts.
  if (profile === 'development') return [];
  // Of the two formats of HAIP, one is enough.
  if (haip) return (['credentials', 'requests'] as const).map((use) => [use, 'SERVICE__HAIP']);
  const prefixSetting = `SERVICE__VERIFICATION__CLIENT_ID_PREFIX=${clientIdPrefix}`;
  return isByCertificate(clientIdPrefix) ? [['requests', prefixSetting]] : [];
}

function findingOf(signer: CertificateInUse, settings: JudgedSettings, now: Date): Finding {
  const { applicationUrl, certificates, verification } = settings;
  const { use, subject, notAfter, isDevelopment } = signer;
  const ends = wholeSeconds(notAfter);
  const found = `that for ${use} (${subject})`;
  if (isDevelopment) {
    const remedy = 'Start the service: it makes a new one.';
    return now < notAfter
      ? ok(check, `${found} is one of the development root`)
      : warn(check, `${found} ended ${ends}`, remedy);
  }
  const remedy = remedyFor(use);
  if (notAfter <= now) return fail(check, `${found} ended ${ends}`, remedy);
  const names = ownNames(applicationUrl);
  const isAccess = use === 'requests' && certificates.profile === 'eudi';
  const needsNoHost = isAccess && verification.clientIdPrefix !== 'x509_san_dns';
  if (!needsNoHost && !covers(use, signer, names)) return fail(check, `${found} does not name ${names.host}`, remedy);
  if (warnedBefore(signer) <= now) return warn(check, `${found} ends ${ends}`, remedy);
  const fault = certificates.profile === 'none' ? undefined : faultOfAccess(signer);
  return fault === undefined
    ? ok(check, `${found} is valid until ${ends}`)
    : warn(
        check,
        `${found} is ${fault}`,
        'Have it issued by the authority that you are registered with; where no wallets of the EU are meant, set SERVICE__CERTIFICATES__PROFILE=none.',
      );
}

/** What one for requests or metadata lacks of an access certificate, in words. */
function faultOfAccess({ use, x5c: [leaf] }: CertificateInUse): string | undefined {
  if ((use !== 'requests' && use !== 'metadata') || leaf === undefined) return undefined;
  return accessFaultOf(readAccessProfile(new X509Certificate(Buffer.from(leaf, 'base64'))));
}

function remedyFor(use: CertificateInUse['use']): string {
  const subject = use === 'documents' ? ' --subject "CN=..., C=..."' : '';
  return `Run "sealwright certificates request --use ${use}${subject}", have it signed, and install the chain.`;
}
