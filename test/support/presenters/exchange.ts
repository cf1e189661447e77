import Ajv from 'ajv';
import type { Json } from '../http/requests';

/** A wallet's reading of DIF Presentation Exchange 2.0, as far as it is asked by it; apart from the product's own code. */

export interface Field {
  readonly path: readonly string[];
  readonly filter?: object;
}

export interface Descriptor {
  readonly id: string;
  readonly group?: readonly string[];
  readonly format: Json;
  readonly constraints: { readonly fields: readonly Field[] };
}

export interface Requirement {
  readonly rule: 'all' | 'pick';
  readonly count?: number;
  readonly min?: number;
  readonly from?: string;
  readonly from_nested?: readonly Requirement[];
}

export interface Definition {
  readonly id: string;
  readonly input_descriptors: readonly Descriptor[];
  readonly submission_requirements?: readonly Requirement[];
}

const ajv = new Ajv({ strict: false });

/** Whether a credential's JSON (the payload of its JWT, disclosed) has every field of a descriptor. */
export function meets({ constraints }: Descriptor, content: unknown): boolean {
  return constraints.fields.every(({ path, filter }) => {
    const found = path.flatMap((each) => firstOf(each, content));
    return found.length > 0 && (filter === undefined || ajv.validate(filter, found[0]));
  });
}

/** The descriptors to answer when these can be; undefined when the definition cannot be satisfied. */
export function choose(definition: Definition, possible: ReadonlySet<string>): ReadonlySet<string> | undefined {
  const { input_descriptors: descriptors, submission_requirements: requirements } = definition;
  if (!requirements) {
    const ids = descriptors.map(({ id }) => id);
    return ids.every((id) => possible.has(id)) ? new Set(ids) : undefined;
  }
  return united(requirements.map((requirement) => satisfy(requirement, descriptors, possible)));
}

type Choice = ReadonlySet<string> | undefined;

function satisfy(requirement: Requirement, descriptors: readonly Descriptor[], possible: ReadonlySet<string>): Choice {
  const { rule, from, from_nested: nested = [], count = 0, min = 0 } = requirement;
  const choices: Choice[] =
    from === undefined
      ? nested.map((each) => satisfy(each, descriptors, possible))
      : descriptors
          .filter(({ group }) => group?.includes(from))
          .map(({ id }) => (possible.has(id) ? new Set([id]) : undefined));
  if (rule === 'all') return united(choices);
  const feasible = choices.filter((choice) => choice !== undefined);
  const wanted = count > 0 ? count : Math.max(min, Math.min(1, feasible.length));
  return feasible.length < wanted ? undefined : united(feasible.slice(0, wanted));
}

function united(choices: readonly Choice[]): Choice {
  const all = choices.filter((choice) => choice !== undefined);
  return all.length < choices.length ? undefined : new Set(all.flatMap((choice) => [...choice]));
}

/** The first value that a JSONPath of names, indexes and `[*]` finds, in a list; empty when it finds none. */
function firstOf(path: string, content: unknown): unknown[] {
  const steps = [...path.matchAll(/\.(\w+)|\['((?:[^'\\]|\\.)*)'\]|\[(\d+)\]|(\[\*\])/g)];
  if (`$${steps.map(([text]) => text).join('')}` !== path) throw new Error(`a path that no wallet reads: ${path}`);
  let found: unknown[] = [content];
  for (const [, name, quoted, index, every] of steps) {
    const key = name ?? quoted?.replaceAll(/\\(.)/g, '$1');
    found = found.flatMap((value) => {
      if (key !== undefined) return isObject(value) && Object.hasOwn(value, key) ? [value[key]] : [];
      if (!Array.isArray(value)) return [];
      const elements = value as unknown[];
      return every === undefined ? elements.slice(Number(index), Number(index) + 1) : elements;
    });
  }
  return found.slice(0, 1);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
