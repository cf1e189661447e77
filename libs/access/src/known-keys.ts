import type { Settings } from '@app/config';
import { type Principal, scopes } from '@app/http';
import { hashOfSecret } from '@app/keys';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { currentTenant } from '@app/primitives/context';
import { timingSafeEqual } from 'node:crypto';
import type { ApiKeys, ApiKeyRefusal } from './api-keys';
import type { DevelopmentKey } from './development-key';
import { localClient, settingsClient } from './client';

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

  /** Whose key the text is, when it is known without asking the database. Keys of the settings are those of no tenant. */
  ownerOf(text: string): Principal | undefined {
    return currentTenant() === undefined ? this.written.ownerOf(text) : undefined;
  }

  /** Judges the text of a key from the database. Rejects when that is away. */
  verify(text: string): Awaitable<KeyVerdict> {
    return whenThere(this.made.verify(text), (verdict) => {
      if (!verdict.accepted) return verdict;
      const { keyId, client, scopes } = verdict;
      return { accepted: true, principal: { id: `key:${keyId}`, client, scopes: new Set(scopes) } };
    });
  }
}

/** Keys that are written down, not made: every scope, no end, all of one client. Only their hashes are kept here. */
class SettingsKeys {
  private readonly known: readonly { readonly hash: Buffer; readonly principal: Principal }[];

  constructor(keys: readonly string[], client: string) {
    this.known = keys.map(hashOfSecret).map((hash) => ({
      hash,
      // Eight hexadecimal digits distinguish keys and give nothing away of 128 bits or more.
      principal: { id: `settings-key:${hash.toString('hex', 0, 4)}`, client, scopes: new Set(scopes) },
    }));
  }

  /** Whose key the text is; undefined when it is none of these. */
  ownerOf(text: string): Principal | undefined {
    const given = hashOfSecret(text);
    return this.known.find(({ hash }) => timingSafeEqual(hash, given))?.principal;
  }
}
