import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { Expose, plainToInstance, Transform, Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { reading, type Kind } from './reading';

/** What is said once about a setting; parsing, validation, redaction and both generated documents follow from it. */
export interface SettingOptions {
  readonly description: string;
  readonly kind: Kind;
  /** Never shown: `effectiveSettings` masks it, and a `..._FILE` variant may name a file that holds it. */
  readonly secret?: true;
  /** Of a secret that is an address: people may see where it leads, without user, password and parameters. */
  readonly isAddress?: true;
  /** Words for a default that depends on another setting; without it the property's initializer is the default. */
  readonly defaultNote?: string;
}

export interface SettingDescription extends SettingOptions {
  /** `SERVICE__EVENT_STORE__TYPE` */
  readonly name: string;
  /** `['eventStore', 'type']`, also the place in the YAML file */
  readonly path: readonly string[];
  /** The value of a class without configuration. */
  readonly initial: unknown;
}

type Constructor = new () => object;
interface Member {
  readonly property: string;
  readonly options?: SettingOptions;
  readonly section?: () => Constructor;
  /** Whether the operator names as many of these sections as there are to be. */
  readonly isNamed?: true;
}

const MEMBERS = Symbol('members of a settings class');
/** Stands for each name that an operator may choose. */
export const anyName = '{name}';

/** Marks a property as one setting. */
export function Setting(options: SettingOptions): PropertyDecorator {
  return applyDecorators(
    Expose(),
    Transform(({ value }) => reading[options.kind](value)),
    remember((property) => ({ property, options })),
  );
}

/** Marks a property as a group of settings with its own class. */
export function Section(section: () => Constructor): PropertyDecorator {
  return applyDecorators(
    Expose(),
    Type(section),
    ValidateNested(),
    remember((property) => ({ property, section })),
  );
}

/** Marks a property as a map of groups of settings, by names that the operator chooses. */
export function NamedSections(section: () => Constructor): PropertyDecorator {
  const read = (written: unknown): object => plainToInstance(section(), written, { exposeDefaultValues: true });
  return applyDecorators(
    Expose(),
    Transform(({ value }: { value: object }) =>
      value instanceof Map ? value : new Map(Object.entries(value).map(([name, written]) => [name, read(written)])),
    ),
    ValidateNested(),
    remember((property) => ({ property, section, isNamed: true })),
  );
}

function remember(member: (property: string) => Member): PropertyDecorator {
  return (target, property) => {
    Reflect.defineMetadata(MEMBERS, [...membersOf(target), member(String(property))], target);
  };
}

function membersOf(target: object): readonly Member[] {
  return (Reflect.getMetadata(MEMBERS, target) as Member[] | undefined) ?? [];
}

/** Lists every setting below a settings class, in the order of declaration; those of named sections once, see {@link describeNamed}. */
export function describeSettings(root: Constructor, above: readonly string[] = []): SettingDescription[] {
  const initial = new root() as Record<string, unknown>;
  return membersOf(root.prototype as object).flatMap(({ property, options, section, isNamed }) => {
    const path = [...above, property];
    if (section) return describeSettings(section(), isNamed ? [...path, anyName] : path);
    return options ? [{ ...options, name: environmentName(path), path, initial: initial[property] }] : [];
  });
}

/** The descriptions with those of named sections once for each of the names. */
export function describeNamed(
  descriptions: readonly SettingDescription[],
  names: readonly string[],
): SettingDescription[] {
  return descriptions.flatMap((description) => {
    if (!description.path.includes(anyName)) return [description];
    return names.map((name) => {
      const path = description.path.map((word) => (word === anyName ? name : word));
      return { ...description, path, name: environmentName(path) };
    });
  });
}

/** `['eventStore', 'type']` becomes `SERVICE__EVENT_STORE__TYPE`; a name that an operator chose follows its section. */
export function environmentName(path: readonly string[]): string {
  const words = path.filter((word) => word !== 'providers');
  return ['SERVICE', ...words.map((word) => word.replace(/(?=[A-Z])/g, '_').toUpperCase())].join('__');
}
