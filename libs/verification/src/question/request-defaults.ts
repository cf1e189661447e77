import { Settings, SettingsError } from '@app/config';
import { type ClientIdPrefix, faultsOfVerifierInfo, type VerifierInfo } from '@app/openid4vc';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { readFile } from 'node:fs/promises';

/** What the settings say of requests that do not say it themselves. */
@Injectable()
export class RequestDefaults implements OnModuleInit {
  readonly clientIdPrefix: ClientIdPrefix;
  /** In `redirectUri` and `expectedOrigins`. */
  readonly isHttpAllowed: boolean;
  /** Of the page of the request. */
  readonly ownOrigin: string;
  private readonly path: string;
  private attested: readonly VerifierInfo[] = [];

  constructor({ profile, applicationUrl, verification }: Settings) {
    this.clientIdPrefix = verification.clientIdPrefix;
    this.isHttpAllowed = profile === 'development';
    this.ownOrigin = new URL(applicationUrl).origin;
    this.path = verification.verifierInfoFile;
  }

  /** What others attest about this service, for every request for credentials. */
  get verifierInfo(): readonly VerifierInfo[] {
    return this.attested;
  }

  /** Throws `SettingsError`. */
  async onModuleInit(): Promise<void> {
    if (this.path === '') return;
    const text = await readFile(this.path, 'utf8').catch(() => {
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
  if (entries.every((entry) => entry.credential_ids === undefined)) return entries;
  throw faulty('credential_ids in the file', 'remove them: they name credentials of a single request (verifierInfo)');
}

function faulty(found: string, remedy: string): SettingsError {
  return new SettingsError([{ name: 'SERVICE__VERIFICATION__VERIFIER_INFO_FILE', found, remedy }]);
}
