/** One fault of the settings. `found` is the class of the value, never the value: it may be a secret. */
export interface SettingsFault {
  /** `SERVICE__HTTP__PORT`, or the place in the settings file */
  readonly name: string;
  readonly found: string;
  readonly remedy: string;
}

/** Stops the start; carries every fault, and a message that lists them line by line. */
export class SettingsError extends Error {
  constructor(readonly faults: readonly SettingsFault[]) {
    const lines = faults.map(({ name, found, remedy }) => `  ${name}: found ${found}; ${remedy}`);
    super([`The settings have ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:`, ...lines].join('\n'));
    this.name = 'SettingsError';
  }
}
