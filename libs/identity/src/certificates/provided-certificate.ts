import { type Settings, SettingsError } from '@app/config';
import { Logger } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { CertificateFault } from '../certificate-fault';
import type { CertificateInstallation } from './certificate-installation';

const logger = new Logger('Certificates');

/** Takes the certificates and keys that the settings name into the key store, unless they are there. Throws `SettingsError`. */
export async function installProvided(
  installation: Pick<CertificateInstallation, 'installWithKey'>,
  certificates: Settings['certificates'],
  now: Date,
): Promise<void> {
  for (const use of ['requests', 'documents', 'metadata'] as const) {
    const { chainFile, keyFile } = certificates[use];
    if (chainFile === '') continue;
    const settings = `SERVICE__CERTIFICATES__${use.toUpperCase()}`;
    const chainSetting = `${settings}__CHAIN_FILE`;
    const chain = await textOf(chainSetting, chainFile);
    const key = await textOf(`${settings}__KEY_FILE`, keyFile);
    try {
      const { kid, isNew, warnings } = await installation.installWithKey(use, key, chain, now);
      for (const warning of warnings) logger.warn({ event: 'certificates.imperfect', keyId: kid, reason: warning });
      if (isNew) logger.log({ event: 'certificates.installed', keyId: kid });
    } catch (error) {
      if (!(error instanceof CertificateFault)) throw error;
      throw new SettingsError([{ name: chainSetting, found: error.found, remedy: error.remedy }]);
    }
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
