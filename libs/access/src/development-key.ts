import type { Settings } from '@app/config';
import type { Authenticator } from '@app/keys';

/** Whether this machine itself may call the management API without a key: in development, until a way in is set. */
export function needsNoKeyHere({ management, profile }: Pick<Settings, 'management' | 'profile'>): boolean {
  return profile === 'development' && management.apiKeys.length === 0 && management.jwksUrl === '';
}

/**
 * A key for containers and other machines where this machine itself needs none. It follows from the root key of the
 * store: the same after each restart, another one on each store, and stored nowhere.
 */
export class DevelopmentKey {
  /** Undefined where every caller needs a key. */
  readonly text: string | undefined;

  constructor(settings: Settings, authenticator: Authenticator) {
    if (needsNoKeyHere(settings)) this.text = `development-${authenticator.mac('development-key').toString('hex')}`;
  }
}
