import { Settings, SettingsError } from '@app/config';
import { type ClientIdPrefix, faultsOfVerifierInfo, type VerifierInfo } from '@app/openid4vc';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { readFile } from 'node:fs/promises';

/** What the settings say of requests that do not say it themselves. */
@Injectable()
export class RequestDefaults implements OnModuleInit {
  private attested: readonly VerifierInfo[] = [];

  constructor(private readonly settings: Settings) {}

  get clientIdPrefix(): ClientIdPrefix {
    return this.settings.verification.clientIdPrefix;
  }

  /** In `redirectUri` and `expectedOrigins`. */
  get isHttpAllowed(): boolean {
    return this.settings.profile === 'development';
  }

  /** Of the page of the request. */
  get ownOrigin(): string {
    return new URL(this.settings.applicationUrl).origin;
  }

  /** What others attest about this service, for every request for credentials. */
  get verifierInfo(): readonly VerifierInfo[] {
    return this.settings.verification.verifierInfoFile === '' ? [] : this.attested;
  }

  /** Throws `SettingsError`. */
  async onModuleInit(): Promise<void> {
    const { verifierInfoFile } = this.settings.verification;
    if (verifierInfoFile === '') return;
    const text = await readFile(verifierInfoFile, 'utf8').catch(() => {
      throw faulty('a path that cannot be read', 'give the path of a JSON file that the user of the service can read');
    });
    this.attested = parsed(text);
  }
}

/** Throws `SettingsError`. */
function parsed(text: string): readonly VerifierInfo[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw faulty('a file that is not JSON', 'write an array of objects with format and data');
  }
  const [fault] = faultsOfVerifierInfo(value);
  if (fault) throw faulty(`a fault at "${fault.pointer}" of the file`, `it ${fault.message}`);
  const entries = value as readonly VerifierInfo[];
  if (entries.filter(({ format }) => format === 'registration_cert').length > 1) {
    throw faulty('several registration certificates', 'leave one: wallets take one alone');
  }
  if (entries.every((entry) => entry.credential_ids === undefined)) return entries;
  throw faulty('credential_ids in the file', 'remove them: they name credentials of a single request (verifierInfo)');
}

function faulty(found: string, remedy: string): SettingsError {
  return new SettingsError([{ name: 'SERVICE__VERIFICATION__VERIFIER_INFO_FILE', found, remedy }]);
}
