import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { fillDerivedDefaults } from './derived-defaults';
import { CONFIG_FILE, readEnvironment, readOrFault, type Environment } from './environment';
import { classOf } from './reading';
import { isCurable, judge } from './rules';
import { describeSettings, environmentName, type SettingDescription } from './setting';
import { Settings } from './settings';
import { SettingsError, type SettingsFault } from './settings-error';
import { readSettingsFile } from './settings-file';
import { thisMachine, type Surroundings } from './surroundings';

/**
 * Makes the effective settings from an environment and the YAML file it may name; the environment wins.
 * Throws a {@link SettingsError} with every fault there is; one that a key in the database may cure does not stop the
 * start alone (`managementAccessFault`).
 */
export function loadSettings(environment: Environment, given: Partial<Surroundings> = {}): Settings {
  const surroundings = { ...thisMachine, ...given };
  const descriptions = describeSettings(Settings);
  const { values, faults } = collect(environment, descriptions, surroundings);
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

type Collected = { values: Map<string, unknown>; faults: SettingsFault[] };

function collect(
  environment: Environment,
  descriptions: readonly SettingDescription[],
  { readFile }: Surroundings,
): Collected {
  const fromEnvironment = readEnvironment(environment, descriptions, readFile);
  const path = environment[CONFIG_FILE];
  const text = path ? readOrFault(CONFIG_FILE, path, readFile) : '';
  if (typeof text !== 'string') return { ...fromEnvironment, faults: [...fromEnvironment.faults, text] };
  const fromFile = readSettingsFile(text, descriptions);
  return {
    values: new Map([...fromFile.values, ...fromEnvironment.values]),
    faults: [...fromEnvironment.faults, ...fromFile.faults],
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
