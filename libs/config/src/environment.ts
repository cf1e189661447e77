import { noSuchSetting } from './nearest';
import { classOf } from './reading';
import type { SettingDescription } from './setting';
import type { SettingsFault } from './settings-error';
import { isSignerName, signerNameRemedy } from './signer-settings';
import type { Surroundings } from './surroundings';

export type Environment = Readonly<Record<string, string | undefined>>;

export const CONFIG_FILE = 'SERVICE__CONFIG_FILE';

/** The environment with the names of signers in the one way in which settings are named. */
export function withSignersNamed(environment: Environment): Environment {
  const named = (name: string): string => name.replace(/^SERVICE__SIGNER__[A-Za-z0-9]+__/, (it) => it.toUpperCase());
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [named(name), value]));
}

/** The names of signers in the environment, in lower case. */
export function signersInEnvironment(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([name, value]) => (value ? (signerIn(name) ?? []) : []));
}

/** The NAME of `SERVICE__SIGNER__NAME__MEMBER`. */
function signerIn(name: string): string | undefined {
  return /^SERVICE__SIGNER__(.+?)__./.exec(name)?.[1]?.toLowerCase();
}

/** Reads the `SERVICE__` variables, secrets also from the files that `..._FILE` names. An empty variable counts as unset. */
export function readEnvironment(
  environment: Environment,
  descriptions: readonly SettingDescription[],
  readFile: Surroundings['readFile'],
): { values: Map<string, unknown>; faults: SettingsFault[] } {
  const values = new Map<string, unknown>();
  const faults: SettingsFault[] = [];
  const given = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[0].startsWith('SERVICE__') && entry[1] !== undefined && entry[1] !== '',
  );
  const plain = new Set(descriptions.map(({ name }) => name));
  const files = new Map(descriptions.flatMap(({ name, secret }) => (secret ? [[`${name}_FILE`, name]] : [])));
  const known = [...plain, ...files.keys(), CONFIG_FILE];

  for (const [name, value] of given) {
    const target = files.get(name);
    if (plain.has(name)) values.set(name, value);
    else if (target && environment[target]) {
      faults.push({ name, found: classOf(value), remedy: `give either this or ${target}, not both` });
    } else if (target) {
      const secret = readOrFault(name, value, readFile);
      // Editors and `echo` end a file with a line break that is no part of the secret.
      if (typeof secret === 'string') values.set(target, secret.replace(/\r?\n$/, ''));
      else faults.push(secret);
    } else if (name !== CONFIG_FILE) {
      const signer = signerIn(name);
      const isStrange = signer !== undefined && !isSignerName(signer);
      const remedy = isStrange ? signerNameRemedy : noSuchSetting(name, `${name}_FILE`, known);
      faults.push({ name, found: classOf(value), remedy });
    }
  }
  return { values, faults };
}

/** The text of a file that a variable names, or the fault that it cannot be read. */
export function readOrFault(name: string, path: string, readFile: Surroundings['readFile']): string | SettingsFault {
  try {
    return readFile(path);
  } catch {
    return { name, found: 'a file that cannot be read', remedy: 'name a file that this process may read' };
  }
}
