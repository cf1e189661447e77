import type { ProblemSlug, Violation } from '@app/problem-details';
import { isDuration, lastsAtMost } from '@app/time';
import { applyDecorators, type Type } from '@nestjs/common';
import { ValidateBy, ValidateIf, ValidateNested, type ValidationArguments } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import type { Schema } from './schemas';

const nestedKey = 'sealwright:nested';
const holdsKey = 'sealwright:holds';
const clearableKey = 'sealwright:clearable';

/** What a constraint adds to class-validator's message. */
export interface ConstraintContext {
  /** The problem that a body with no other fault is answered with, in place of `validation-failed`. */
  readonly problem?: ProblemSlug;
  /** Left to the operation, which checks other things first, unless there are further faults. */
  readonly isDeferred?: true;
  /** The faults inside of the value, with pointers relative to it, in place of one message. */
  readonly faultsOf?: (value: unknown) => readonly Violation[];
}

/** Says in the document what a property is for. @param schema what the validators do not say, such as examples */
export function About(description: string, schema: Schema = {}): PropertyDecorator {
  return JSONSchema({ description, ...schema }) as PropertyDecorator;
}

/** Says in the document what holds between the properties of a class. */
export function Rules(schema: Schema): ClassDecorator {
  return JSONSchema(schema);
}

/** {@link About} a property that may be left out. */
export function Optional(description: string, schema: Schema = {}): PropertyDecorator {
  return applyDecorators(About(description, schema), IsOmissible());
}

/** A property that may be left out. Unlike class-validator's IsOptional it may not be null. */
export function IsOmissible(): PropertyDecorator {
  return ValidateIf((_body, value) => value !== undefined);
}

/** On a class: these optional properties may be null, which clears them. */
export function Clearable(...names: readonly string[]): ClassDecorator {
  return (target) => {
    // Replaces the condition of an inherited property.
    const isGiven = ValidateIf((_body, value) => value !== null && value !== undefined);
    for (const name of names) isGiven(target.prototype as object, name);
    Reflect.defineMetadata(clearableKey, names, target);
  };
}

/** On a class: what its properties mean together. @param faultsOf is also asked about values of the wrong type */
export function Holds(faultsOf: (body: object) => readonly Violation[]): ClassDecorator {
  return (target) => {
    Reflect.defineMetadata(holdsKey, faultsOf, target);
  };
}

export function faultsTogether(body: object): readonly Violation[] {
  const faultsOf = Reflect.getMetadata(holdsKey, body.constructor) as
    ((body: object) => readonly Violation[]) | undefined;
  return faultsOf?.(body) ?? [];
}

/** On a class: these properties can only be given when the resource is created. @param hints what to do, by name */
export function Fixed(hints: Readonly<Record<string, string>>): ClassDecorator {
  return (target) => {
    for (const [name, hint] of Object.entries(hints)) {
      const decorate = Check('isFixed', `cannot be changed; ${hint}`, (value) => value === undefined);
      decorate(target.prototype as object, name);
    }
  };
}

export function clearableIn(target: object): readonly string[] {
  return (Reflect.getMetadata(clearableKey, target) as readonly string[] | undefined) ?? [];
}

interface NestedOptions {
  /** It is a list, of so many objects at most. */
  readonly most?: number;
  /** What it may be instead. */
  readonly others?: readonly boolean[];
}

/** Says of which class a property is. */
export function IsNested(type: () => Type<object>, { most, others = [] }: NestedOptions = {}): PropertyDecorator {
  const message = ['must be a JSON object', ...others.map(String)].join(' or ');
  const isOne = (value: unknown) => isPlainObject(value) || others.includes(value as boolean);
  const faultsOf = (list: unknown): readonly Violation[] => {
    if (!Array.isArray(list) || list.length > Number(most)) {
      return [{ pointer: '', message: `must be a list of at most ${most} JSON objects` }];
    }
    return list.flatMap((item, index) =>
      isPlainObject(item) ? [] : [{ pointer: `/${index}`, message: 'must be a JSON object' }],
    );
  };
  const constraints = [others, most];
  return applyDecorators(
    most === undefined
      ? Check('isNested', message, isOne, { constraints })
      : Check('isNested', 'has faults', (list) => faultsOf(list).length === 0, { constraints, faultsOf }),
    ValidateNested(),
    (target: object, name?: string | symbol) => {
      if (name !== undefined) Reflect.defineMetadata(nestedKey, type, target, name);
    },
  );
}

/** The class that {@link IsNested} gave a property; `undefined` for any other one. */
export function nestedTypeOf(target: object, name: string): Type<object> | undefined {
  return (Reflect.getMetadata(nestedKey, target, name) as (() => Type<object>) | undefined)?.();
}

interface CheckOptions extends ConstraintContext {
  readonly constraints?: readonly unknown[];
}

/** Written as a method, so that a constraint may name the class it stands in. */
type Holds = { test(value: unknown, body: object): boolean }['test'];

/** A constraint of one property that may look at the others. @param message what the value must be */
export function Check(
  name: string,
  message: string,
  holds: Holds,
  { constraints = [], ...context }: CheckOptions = {},
): PropertyDecorator {
  const validate = (value: unknown, given?: ValidationArguments): boolean => holds(value, given?.object ?? {});
  const validator = { validate, defaultMessage: () => message };
  return ValidateBy({ name, constraints: [...constraints], validator }, { context });
}

/** A string of so many characters. */
export function IsText(least: number, most: number, options: CheckOptions = {}): PropertyDecorator {
  const message =
    most === Infinity ? 'must be a non-empty string' : `must be a string of ${least} to ${most} characters`;
  return Check('isText', message, (value) => isTextOf(value, [least, most]), {
    ...options,
    constraints: [least, most],
  });
}

/** A list of strings. @param length of each, in characters */
export function IsTexts(
  { least = 0, most, length = [0, Infinity] }: { least?: number; most: number; length?: readonly [number, number] },
  context: ConstraintContext = {},
): PropertyDecorator {
  const [shortest, longest] = length;
  const lengths = longest === Infinity ? 'strings' : `strings of ${shortest} to ${longest} characters`;
  const fits = (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length >= least &&
    value.length <= most &&
    value.every((one) => isTextOf(one, length));
  const message = `must be a list of ${least} to ${most} ${lengths}`;
  return Check('isTexts', message, fits, { ...context, constraints: [least, most, ...length] });
}

/** An identifier that a client chooses and that has to fit into a path: URLs lose `.` and `..` (RFC 3986 §5.2.4). */
export function IsAddressable(): PropertyDecorator {
  const fits = (value: unknown) => value !== '.' && value !== '..';
  return Check('isAddressable', 'must not be . or .., which no URL can address', fits);
}

/** An ISO 8601 duration of at most so many days. */
export function IsDuration(days: number, examples: string): PropertyDecorator {
  const message = `must be an ISO 8601 duration of at most ${days} days (a month counts 31), for example ${examples}`;
  return Check('isDuration', message, (value) => isDuration(value) && lastsAtMost(value, days));
}

/** A value that a function of ours examines. @param faultsOf relative to the value */
export function HasNoFaults(
  faultsOf: (value: unknown) => readonly Violation[],
  problem?: ProblemSlug,
): PropertyDecorator {
  const context = { faultsOf, ...(problem !== undefined && { problem }) };
  return Check('hasNoFaults', 'has faults', (value) => faultsOf(value).length === 0, context);
}

function isTextOf(value: unknown, [shortest, longest]: readonly [number, number]): boolean {
  return typeof value === 'string' && value.length >= shortest && value.length <= longest;
}

export function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
