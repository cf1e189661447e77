import { OwnCertificates } from '@app/identity';
import type { Settings } from '@app/config';
import type { SqlDriver } from '@app/event-store';
import { type CertificateKeys, type KeyRing, openExistingCertificateKeys, readingPolicy } from '@app/keys';

/** The certificates of the service as its replicas have them, with the keys. Throws as `openExistingCertificateKeys`. */
export async function openOwnCertificates(
  driver: SqlDriver,
  { profile, secretManager, signer }: Settings,
): Promise<{ readonly own: OwnCertificates; readonly keys: CertificateKeys; readonly ring: KeyRing }> {
  const { ring, keys } = await openExistingCertificateKeys(
    driver,
    secretManager.strongholdPassword,
    readingPolicy(signer),
  );
  // The chains that development makes for credentials at each start are stored nowhere.
  const development = profile === 'development' ? new Map<string, string>() : undefined;
  return { own: new OwnCertificates(keys, ring, development), keys, ring };
}
