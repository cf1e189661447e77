import { type Settings, SettingsError } from '@app/config';
import { Logger } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { CertificateFault } from '../certificate-fault';
import type { CertificateInstallation } from './certificate-installation';

const chainSetting = 'SERVICE__CERTIFICATES__REQUESTS__CHAIN_FILE';
const keySetting = 'SERVICE__CERTIFICATES__REQUESTS__KEY_FILE';
const logger = new Logger('Certificates');

/**
 * Takes the certificate and key that the settings name into the key store, unless they are there. Throws `SettingsError`.
 */
export async function installProvided(
  installation: Pick<CertificateInstallation, 'installWithKey'>,
  { requests: { chainFile, keyFile } }: Settings['certificates'],
  now: Date,
): Promise<void> {
  if (chainFile === '') return;
  const chain = await textOf(chainSetting, chainFile);
  const key = await textOf(keySetting, keyFile);
  try {
    const { kid, isNew } = await installation.installWithKey(key, chain, now);
    if (isNew) logger.log({ event: 'certificates.installed', keyId: kid });
  } catch (error) {
    if (!(error instanceof CertificateFault)) throw error;
    throw new SettingsError([{ name: chainSetting, found: error.found, remedy: error.remedy }]);
  }
}

async function textOf(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new SettingsError([
      { name, found: 'a file that cannot be read', remedy: 'name a file that this process may read' },
    ]);
  }
}
