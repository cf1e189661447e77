import { type Settings, SettingsError } from '@app/config';
import { connectionRemedy } from '@app/event-store';
import { walletUrls } from '@app/openid4vc';
import { assertExists, withOpened } from '../database';
import { openKeysToCheck } from '../existing-store';
import { sentenceOf } from '../failure';
import { readSettings } from '../settings';
import { forTenant } from '../tenant';
import { checkPublicUrl, checkReachable, ownClient } from './address-checks';
import { checkCertificates, ownCertificates } from './certificate-check';
import { checkDatabase } from './database-checks';
import { checkDocuments, type Published } from './document-checks';
import { attempt, fail, type Finding, ok, warn } from './finding';
import { checkErasures } from './erasure-check';
import { checkErasureKeys } from './erasure-key-checks';
import { checkKeys } from './key-checks';
import { checkLogin } from './login-check';
import { checkMail } from './mail-check';
import { checkAccess, checkMetrics } from './operation-checks';
import { checkRegistration, readStoredCertificates, type StoredRegistration } from './registration-check';
import { checkStatusLists } from './status-list-check';
import { checkStoredData } from './stored-data-check';
import { checkFurtherStores } from './further-store-checks';
import { checkTokenKeys } from './token-keys-check';
import { judgeTrust, readTrust } from './trust-check';
import { judgeWalletClients } from './wallet-client-check';
import { checkWebhooks } from './webhook-check';

/**
 * All checks, in the order in which to fix what they find; of a tenant those that concern it alone. Changes nothing.
 * Rejects for a tenant that there is not.
 */
export async function examine(report: (finding: Finding) => void, tenant?: string): Promise<void> {
  const settings = await readSettings().catch((error: unknown) => {
    if (error instanceof SettingsError) return error;
    throw error;
  });
  if (settings instanceof SettingsError) {
    for (const { name, found, remedy } of settings.faults)
      report(fail('settings', `${name}: found ${found}`, `${remedy}.`));
    return;
  }
  report(ok('settings', `valid, ${settings.profile} profile`));
  if (tenant !== undefined) {
    await examineTenant(settings, tenant, report);
    return;
  }
  const published = await examineAddresses(settings, report);
  const registration = await examineDatabase(settings, published, report);
  const trust = await readTrust(settings);
  report(judgeTrust(trust, new Date()));
  report(await checkRegistration(settings.registration.directory, registration, trust, published, new Date()));
  report(judgeWalletClients(settings, trust));
  report(await checkLogin(settings, trust));
  report(await checkMail(settings));
  report(await checkTokenKeys(settings));
  report(await checkMetrics(settings));
}

async function examineTenant(settings: Settings, id: string, report: (finding: Finding) => void): Promise<void> {
  assertExists(settings);
  await withOpened(settings, (driver) =>
    forTenant(driver, settings, id, async (own) => {
      const { kids, formats } = await examineAddresses(own, report);
      report(await attempt('signing keys', 'Restore the database.', () => checkKeys(driver, own, kids)));
      const certificates = await ownCertificates(driver, own);
      for (const finding of certificates ? checkCertificates(certificates, own, new Date(), formats) : [])
        report(finding);
    }),
  );
}

/** Answers what is published, as far as it could be had. */
async function examineAddresses(settings: Settings, report: (finding: Finding) => void): Promise<Published> {
  report(await checkPublicUrl(settings));
  const client = ownClient(settings);
  const published: Published = {};
  try {
    const reachable = await checkReachable(settings, client);
    report(reachable);
    // Nine times the same would hide the rest.
    if (reachable.outcome === 'fail') return published;
    for await (const finding of checkDocuments(walletUrls(settings.applicationUrl), client, published)) report(finding);
    return published;
  } finally {
    await client.close();
  }
}

/** Answers what is stored of registration, as far as it could be read. */
async function examineDatabase(
  settings: Settings,
  { kids, formats }: Published,
  report: (finding: Finding) => void,
): Promise<StoredRegistration> {
  let registration: StoredRegistration = {};
  try {
    assertExists(settings);
    await withOpened(settings, async (driver) => {
      let isReady = true;
      for await (const finding of checkDatabase(driver, settings.profile)) {
        report(finding);
        if (finding.outcome === 'fail' && ['database', 'migrations'].includes(finding.check)) isReady = false;
      }
      if (isReady) {
        for (const finding of await checkFurtherStores(settings, driver)) report(finding);
        report(await checkErasureKeys(settings, driver));
        report(await attempt('erasures', 'Restore the database.', () => checkErasures(driver)));
        const keys = await openKeysToCheck(driver, settings);
        const proofs = 'reason' in keys || !keys.proofs.exist ? undefined : keys.proofs;
        report(await attempt('status lists', 'Restore the database.', () => checkStatusLists(driver, proofs)));
        // Without keys the check of the signing keys says so.
        if (proofs)
          report(await attempt('stored data', 'Restore the database.', () => checkStoredData(driver, proofs)));
        report(await attempt('webhooks', 'Restore the database.', () => checkWebhooks(driver, settings)));
        report(await attempt('signing keys', 'Restore the database.', () => checkKeys(driver, settings, kids)));
        const own = await ownCertificates(driver, settings);
        for (const finding of own ? checkCertificates(own, settings, new Date(), formats) : []) report(finding);
        registration = { certificates: await readStoredCertificates(driver, proofs), ...(own && { own }) };
      }
      report(await checkAccess(settings, driver));
    });
  } catch (error) {
    report(unopened(settings, error));
    report(await checkAccess(settings, undefined));
  }
  return registration;
}

/** An embedded database is locked whenever the service runs, which is as it must be. */
function unopened({ eventStore }: Settings, error: unknown): Finding {
  if (eventStore.type === 'embedded') {
    return warn('database', sentenceOf(error), 'Stop the service to check the database and the keys.');
  }
  return fail('database', sentenceOf(error), connectionRemedy(error) ?? 'Read the log of the database server.');
}
