import { localSigner, type SignerProviderSettings, type SignerSettings } from '@app/config';
import { openHttpProvider } from './open-http-provider';
import { noProviders, type SigningPolicy } from './provided-key';
import { openPkcs11 } from './pkcs11';
import type { KeyProvider } from './provider';
import { secretFile } from './secret-file';

/** Milliseconds for a signature that nobody waits for. */
const longest = 10_000;

/**
 * Opens the providers that the settings name. A service is asked nothing yet; at a token the service logs in. Throws `SettingsError`.
 * @param remaining milliseconds that the work under way has left
 */
export async function signingPolicy(
  settings: Pick<SignerSettings, 'providers' | 'for' | 'verify'>,
  remaining: () => number = () => longest,
): Promise<SigningPolicy> {
  const { providers, verify } = settings;
  const opened = await Promise.all([...providers].map(async ([name, one]) => [name, await open(name, one)] as const));
  return {
    providers: new Map(opened),
    signers: signersOf(settings),
    patience: () => Math.min(longest, remaining()),
    verify,
  };
}

/** Says whose keys sign, and opens no provider: for what reads the keys and signs nothing. */
export function readingPolicy(settings: Pick<SignerSettings, 'for'>): SigningPolicy {
  return { ...noProviders, signers: signersOf(settings) };
}

function signersOf({ for: names }: Pick<SignerSettings, 'for'>): SigningPolicy['signers'] {
  return Object.fromEntries(Object.entries(names).filter(([, name]) => name !== localSigner));
}

async function open(name: string, settings: SignerProviderSettings): Promise<KeyProvider> {
  const { concurrency } = settings;
  switch (settings.type) {
    case 'vault': {
      const { url, mount, namespace } = settings;
      const token = secretFile(settings.tokenFile);
      return openHttpProvider({
        type: 'vault',
        name,
        url,
        token,
        mount,
        concurrency,
        ...(namespace !== '' && { namespace }),
      });
    }
    case 'aws': {
      const { url, region, sessionTokenFile } = settings;
      const keys = {
        accessKeyId: secretFile(settings.accessKeyIdFile),
        secretAccessKey: secretFile(settings.secretAccessKeyFile),
      };
      const given = {
        ...(url !== '' && { url }),
        ...(sessionTokenFile !== '' && { sessionToken: secretFile(sessionTokenFile) }),
      };
      return openHttpProvider({ type: 'aws', name, region, concurrency, ...keys, ...given });
    }
    case 'azure':
      return openHttpProvider({
        type: 'azure',
        name,
        url: settings.url,
        token: secretFile(settings.tokenFile),
        concurrency,
      });
    case 'google': {
      const { url, keyRing } = settings;
      const token = secretFile(settings.tokenFile);
      return openHttpProvider({ type: 'google', name, token, keyRing, concurrency, ...(url !== '' && { url }) });
    }
    case 'http': {
      const { url, tokenFile, certificateFile, keyFile } = settings;
      const client =
        certificateFile === ''
          ? {}
          : { tls: { client: { chain: secretFile(certificateFile), key: secretFile(keyFile) } } };
      return openHttpProvider({
        type: 'http',
        name,
        url,
        concurrency,
        ...client,
        ...(tokenFile !== '' && { token: secretFile(tokenFile) }),
      });
    }
    case 'pkcs11':
      return openPkcs11(name, settings);
  }
}
