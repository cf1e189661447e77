import { describeSettings } from './setting';
import { Settings } from './settings';

/** The settings in force as a plain tree for people to read, each secret masked. */
export function effectiveSettings(settings: Settings): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const { path, secret } of describeSettings(Settings)) {
    const [first = '', ...below] = path;
    let value: unknown = settings[first as keyof Settings];
    let tree = shown;
    let key = first;
    for (const property of below) {
      tree = (tree[key] ??= {}) as Record<string, unknown>;
      value = (value as Record<string, unknown>)[property];
      key = property;
    }
    tree[key] = secret && String(value) !== '' ? '(redacted)' : value;
  }
  return shown;
}
