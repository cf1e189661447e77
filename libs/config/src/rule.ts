import type { Settings } from './settings';
import type { SettingsFault } from './settings-error';

/**
 * A rule that depends on the profile or on a second setting; the others are validators next to their setting.
 * It is asked only when the setting it judges is valid by itself.
 */
export interface Rule {
  readonly judges: string;
  readonly check: (settings: Settings) => Omit<SettingsFault, 'name'> | undefined;
}
