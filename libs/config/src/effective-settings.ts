import { describeNamed, describeSettings, type SettingDescription } from './setting';
import { Settings } from './settings';
import { membersOfSigner } from './signer-settings';

const mask = '(redacted)';

/** The effective settings as a plain tree for people to read: secrets are masked, null means unset. */
export function effectiveSettings(settings: Settings): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  const { providers } = settings.signer;
  for (const description of describeNamed(describeSettings(Settings), [...providers.keys()])) {
    const [first = '', ...below] = description.path;
    const signer = providers.get(below[1] ?? '');
    if (signer && below[0] === 'providers' && !membersOfSigner(signer.type).some((member) => member === below[2]))
      continue;
    let value: unknown = settings[first as keyof Settings];
    let tree = shown;
    let key = first;
    for (const property of below) {
      tree = (tree[key] ??= {}) as Record<string, unknown>;
      value = value instanceof Map ? value.get(property) : (value as Record<string, unknown>)[property];
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
