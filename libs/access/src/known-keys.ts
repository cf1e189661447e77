import type { Settings } from '@app/config';
import type { Principal } from '@app/http';
import type { ApiKeys, ApiKeyRefusal } from './api-keys';
import type { DevelopmentKey } from './development-key';
import { localClient, settingsClient } from './client';
import { SettingsKeys } from './settings-keys';

export type KeyVerdict =
  | { readonly accepted: true; readonly principal: Principal }
  | { readonly accepted: false; readonly reason: ApiKeyRefusal; readonly keyId?: string };

/** Every API key that is accepted: those of the settings, that of development, those in the database. */
export class KnownKeys {
  private readonly written: SettingsKeys;

  constructor(
    { management }: Settings,
    { text }: DevelopmentKey,
    private readonly made: ApiKeys,
  ) {
    this.written =
      text === undefined ? new SettingsKeys(management.apiKeys, settingsClient) : new SettingsKeys([text], localClient);
  }

  /** Whose key the text is, when it is known without asking the database. */
  ownerOf(text: string): Principal | undefined {
    return this.written.ownerOf(text);
  }

  /** Judges the text of a key from the database. Rejects when that is away. */
  async verify(text: string): Promise<KeyVerdict> {
    const verdict = await this.made.verify(text);
    if (!verdict.accepted) return verdict;
    const { keyId, client, scopes } = verdict;
    return { accepted: true, principal: { id: `key:${keyId}`, client, scopes: new Set(scopes) } };
  }
}
