import { describeSettings, type SettingDescription } from './setting';
import { Settings } from './settings';

const mask = '(redacted)';

/** The effective settings as a plain tree for people to read: secrets are masked, null means unset. */
export function effectiveSettings(settings: Settings): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const description of describeSettings(Settings)) {
    const [first = '', ...below] = description.path;
    let value: unknown = settings[first as keyof Settings];
    let tree = shown;
    let key = first;
    for (const property of below) {
      tree = (tree[key] ??= {}) as Record<string, unknown>;
      value = (value as Record<string, unknown>)[property];
      key = property;
    }
    tree[key] = Array.isArray(value)
      ? value.map((item: unknown) => masked(item, description))
      : masked(value, description);
  }
  return shown;
}

function masked(value: unknown, { secret, isAddress }: SettingDescription): unknown {
  if (value === undefined) return null;
  if (secret && !isAddress) return value === '' ? '' : mask;
  return typeof value === 'string' ? withoutSecrets(value) : value;
}

/**
 * Any text may hold a URL with user and password or a key among its parameters, also one that no parser takes: from the
 * scheme to the last @, and from the first ? or #, nothing is shown.
 */
function withoutSecrets(text: string): string {
  return text.replace(/:\/\/\S*@/g, `://${mask}@`).replace(/(:\/\/[^\s?#]*)[?#]\S*/g, `$1?${mask}`);
}
