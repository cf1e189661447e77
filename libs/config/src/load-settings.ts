import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { fillDerivedDefaults } from './derived-defaults';
import {
  CONFIG_FILE,
  type Environment,
  readEnvironment,
  readOrFault,
  signersInEnvironment,
  withSignersNamed,
} from './environment';
import { classOf } from './reading';
import { isCurable, judge } from './rules';
import { describeNamed, describeSettings, environmentName, type SettingDescription } from './setting';
import { Settings } from './settings';
import { SettingsError, type SettingsFault } from './settings-error';
import { parseSettingsFile, readSettingsTree, signersInTree } from './settings-file';
import { isSignerName } from './signer-settings';
import { thisMachine, type Surroundings } from './surroundings';

/**
 * Makes the effective settings from an environment and the YAML file it may name; the environment wins.
 * Throws a {@link SettingsError} with every fault there is; one that a key in the database may cure does not stop the
 * start alone (`managementAccessFault`).
 */
export function loadSettings(environment: Environment, given: Partial<Surroundings> = {}): Settings {
  const surroundings = { ...thisMachine, ...given };
  const { descriptions, values, faults } = collect(withSignersNamed(environment), surroundings);
  const written = new Set(values.keys());
  fillDerivedDefaults(values, surroundings);

  const settings = plainToInstance(Settings, asTree(values, descriptions), { exposeDefaultValues: true });
  const invalid = validateSync(settings, { stopAtFirstError: true }).flatMap((error) => faultsOf(error, []));
  const names = new Set(invalid.map(({ name }) => name));
  // Nobody knows what an unknown profile would have filled in.
  const isKnown = !names.has('SERVICE__PROFILE');
  faults.push(...[...invalid, ...judge(settings, names)].filter(({ name }) => isKnown || written.has(name)));
  if (!faults.every(isCurable)) throw new SettingsError(faults);
  return settings;
}

interface Collected {
  readonly descriptions: readonly SettingDescription[];
  readonly values: Map<string, unknown>;
  readonly faults: SettingsFault[];
}

function collect(environment: Environment, { readFile }: Surroundings): Collected {
  const path = environment[CONFIG_FILE];
  const text = path ? readOrFault(CONFIG_FILE, path, readFile) : '';
  const { tree, faults } = typeof text === 'string' ? parseSettingsFile(text) : { tree: {}, faults: [text] };
  const signers = new Set([...signersInEnvironment(environment), ...signersInTree(tree)].filter(isSignerName));
  const descriptions = describeNamed(describeSettings(Settings), [...signers]);
  const fromEnvironment = readEnvironment(environment, descriptions, readFile);
  const fromFile = readSettingsTree(tree, descriptions);
  return {
    descriptions,
    values: new Map([...fromFile.values, ...fromEnvironment.values]),
    faults: [...fromEnvironment.faults, ...faults, ...fromFile.faults],
  };
}

/** Puts each value at its place in the tree of the settings classes. */
function asTree(values: ReadonlyMap<string, unknown>, descriptions: readonly SettingDescription[]): object {
  const root: Record<string, unknown> = {};
  for (const { name, path } of descriptions) {
    if (!values.has(name)) continue;
    let tree = root;
    for (const section of path.slice(0, -1)) tree = (tree[section] ??= {}) as Record<string, unknown>;
    tree[path[path.length - 1] ?? ''] = values.get(name);
  }
  return root;
}

function faultsOf({ property, value, constraints, children }: ValidationError, above: string[]): SettingsFault[] {
  const path = [...above, property];
  const own = Object.values(constraints ?? {}).map((remedy) => ({
    name: environmentName(path),
    found: classOf(value),
    remedy,
  }));
  return [...own, ...(children ?? []).flatMap((child) => faultsOf(child, path))];
}
