import { parse, YAMLError } from 'yaml';
import { CONFIG_FILE } from './environment';
import { noSuchSetting } from './nearest';
import { classOf } from './reading';
import type { SettingDescription } from './setting';
import type { SettingsFault } from './settings-error';
import { isSignerName, signerNameRemedy } from './signer-settings';

type Tree = Readonly<Record<string, unknown>>;

const signersPlace = 'signer.providers';

/** The tree in the text of a settings file; an empty one beside a fault. */
export function parseSettingsFile(text: string): { tree: Tree; faults: SettingsFault[] } {
  const fault = (found: string, remedy: string) => ({ tree: {}, faults: [{ name: CONFIG_FILE, found, remedy }] });
  try {
    const tree: unknown = parse(text) ?? {};
    return isTree(tree) ? { tree, faults: [] } : fault(classOf(tree), 'write groups of settings in YAML');
  } catch (error) {
    // The parser's message quotes the text, which may hold a secret.
    const line = error instanceof YAMLError ? error.linePos?.[0].line : undefined;
    return fault(`a text that is not YAML${line === undefined ? '' : ` (line ${line})`}`, 'correct its YAML');
  }
}

/** The names of signers in the tree, in lower case. */
export function signersInTree({ signer }: Tree): string[] {
  const providers = isTree(signer) ? signer['providers'] : undefined;
  return isTree(providers) ? Object.keys(providers).map((name) => name.toLowerCase()) : [];
}

/** Reads the tree, which is that of the environment in camelCase. Returns the values by setting name. */
export function readSettingsTree(
  root: Tree,
  descriptions: readonly SettingDescription[],
): { values: Map<string, unknown>; faults: SettingsFault[] } {
  const values = new Map<string, unknown>();
  const faults: SettingsFault[] = [];
  const byPlace = new Map(descriptions.map((description) => [description.path.join('.'), description]));
  const sections = new Set(descriptions.flatMap(({ path }) => path.map((_, end) => path.slice(0, end).join('.'))));

  const walk = (tree: Tree, above: readonly string[]): void => {
    const isOfSigners = above.join('.') === signersPlace;
    for (const [written, value] of Object.entries(tree)) {
      const key = isOfSigners ? written.toLowerCase() : written;
      const place = [...above, key].join('.');
      const setting = byPlace.get(place);
      if (setting && value !== null) values.set(setting.name, value);
      else if (setting) continue;
      else if ((sections.has(place) || place === signersPlace) && (isTree(value) || value === null))
        walk(value ?? {}, [...above, key]);
      else {
        const isStrange = isOfSigners && !isSignerName(key);
        const remedy = isStrange ? signerNameRemedy : noSuchSetting(place, `${place}File`, [...byPlace.keys()]);
        faults.push({ name: place, found: classOf(value), remedy });
      }
    }
  };

  walk(root, []);
  return { values, faults };
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
