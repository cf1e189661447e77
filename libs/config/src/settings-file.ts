import { parse, YAMLError } from 'yaml';
import { nearest } from './nearest';
import { classOf } from './reading';
import type { SettingDescription } from './setting';
import type { SettingsFault } from './settings-error';

type Tree = Readonly<Record<string, unknown>>;

/** Reads the YAML settings file: the same tree as the environment, in camelCase. Returns the values by setting name. */
export function readSettingsFile(
  text: string,
  descriptions: readonly SettingDescription[],
): { values: Map<string, unknown>; faults: SettingsFault[] } {
  const values = new Map<string, unknown>();
  const faults: SettingsFault[] = [];
  const byPlace = new Map(descriptions.map((description) => [description.path.join('.'), description]));
  const sections = new Set(descriptions.flatMap(({ path }) => path.slice(0, -1)));

  const walk = (tree: Tree, above: readonly string[]): void => {
    for (const [key, value] of Object.entries(tree)) {
      const place = [...above, key].join('.');
      const setting = byPlace.get(place);
      if (setting && value !== null) values.set(setting.name, value);
      else if (setting) continue;
      else if (sections.has(place) && (isTree(value) || value === null)) walk(value ?? {}, [...above, key]);
      else faults.push({ name: place, found: classOf(value), remedy: unknownPlace(place, [...byPlace.keys()]) });
    }
  };

  try {
    const tree: unknown = parse(text) ?? {};
    if (isTree(tree)) walk(tree, []);
    else
      faults.push({ name: 'SERVICE__CONFIG_FILE', found: classOf(tree), remedy: 'write groups of settings in YAML' });
  } catch (error) {
    // The parser's message quotes the text, which may hold a secret.
    const line = error instanceof YAMLError ? error.linePos?.[0].line : undefined;
    const found = `a text that is not YAML${line === undefined ? '' : ` (line ${line})`}`;
    faults.push({ name: 'SERVICE__CONFIG_FILE', found, remedy: 'correct its YAML' });
  }
  return { values, faults };
}

function unknownPlace(place: string, places: readonly string[]): string {
  const meant = nearest(place, places);
  return meant ? `there is no such setting; did you mean ${meant}?` : 'there is no such setting; remove it';
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
