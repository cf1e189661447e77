import { hasAtMost, hiddenFault, isJsonObject, meant } from '@app/primitives/json';
import type { ProblemSlug, Violation } from '@app/primitives/problems';
import { isDateTime, isDuration, lastsAtMost } from '@app/primitives/time';
import { applyDecorators, type Type } from '@nestjs/common';
import {
  getMetadataStorage,
  IsIn,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationArguments,
} from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { givenDateTime, type Schema } from './schemas';

/** What a constraint adds to class-validator's message. */
export interface ConstraintContext {
  /** The problem that a body with no other fault is answered with, in place of `validation-failed`. */
  readonly problem?: ProblemSlug;
  /** Left to the operation, which checks other things first, unless there are further faults. */
  readonly isDeferred?: true;
  /** The faults inside of the value, with pointers relative to it, in place of one message. */
  readonly faultsOf?: (value: unknown) => readonly Violation[];
}

const shownKey = 'sealwright:shown';
const nestedKey = 'sealwright:nested';
const holdsKey = 'sealwright:holds';
const omissibleKey = 'sealwright:omissible';
const clearableKey = 'sealwright:clearable';

/** A property that has to be given, with what the document says about it. */
export function Required(description: string, ...constraints: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, name) => {
    applyDecorators(...constraints)(target, name);
    const shown = Reflect.getMetadata(shownKey, target, name) as Schema | undefined;
    JSONSchema({ description, ...shown })(target, name as string);
  };
}

/** A property that may be left out, with what the document says about it. */
export function Optional(description: string, ...constraints: readonly PropertyDecorator[]): PropertyDecorator {
  return Required(description, Omissible(), ...constraints);
}

/** A property that may be left out. Unlike class-validator's IsOptional it may not be null. */
export function Omissible(): PropertyDecorator {
  const isGiven = ValidateIf((_body, value) => value !== undefined);
  return (target, name) => {
    isGiven(target, name);
    Reflect.defineMetadata(omissibleKey, true, target, name);
  };
}

export function isOmissible(target: object, name: string): boolean {
  return Reflect.hasMetadata(omissibleKey, target, name);
}

/** What the document shows of a property besides its words and what its constraints say, such as examples. */
export function Shown(schema: Schema): PropertyDecorator {
  return (target, name) => {
    Reflect.defineMetadata(shownKey, schema, target, name);
  };
}

/** On a class: what the document says about its properties together. */
export function Rules(schema: Schema): ClassDecorator {
  return JSONSchema(schema);
}

/** A rule for {@link Rules}. Within `allOf`: with `anyOf` beside `properties`, generators of types take any value for a body. */
export function oneIsGiven(...alternatives: readonly Schema[]): Schema {
  return { allOf: [{ anyOf: alternatives }] };
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

/** On a class: these inherited properties may be null, which clears them. */
export function Clearable(...names: readonly string[]): ClassDecorator {
  return (target) => {
    // Replaces the condition of the inherited property.
    const isGiven = ValidateIf((_body, value) => value !== null && value !== undefined);
    for (const name of names) isGiven(target.prototype as object, name);
    Reflect.defineMetadata(clearableKey, names, target);
  };
}

export function clearableIn(target: object): readonly string[] {
  return (Reflect.getMetadata(clearableKey, target) as readonly string[] | undefined) ?? [];
}

/** On a class: these properties can only be given when the resource is created. @param hints what to do, by name */
export function Fixed(hints: Readonly<Record<string, string>>): ClassDecorator {
  return (target) => {
    for (const [name, hint] of Object.entries(hints)) {
      Check('isFixed', `cannot be changed; ${hint}`, (value) => value === undefined)(target.prototype as object, name);
    }
  };
}

/** Written as a method, so that a constraint may name its own class. */
type Predicate = { test(value: unknown, body: object): boolean }['test'];

interface CheckOptions extends ConstraintContext {
  /** For the JSON Schema of a constraint by its name: class-schema.ts. */
  readonly constraints?: readonly unknown[];
}

/** May look at the value, but must not repeat it. */
type Message = string | ((value: unknown) => string);

/** A constraint of one property that may read the others. @param message what the value must be, beginning with a verb */
export function Check(name: string, message: Message, holds: Predicate, options: CheckOptions = {}): PropertyDecorator {
  const { constraints = [], ...context } = options;
  const validate = (value: unknown, given?: ValidationArguments): boolean => holds(value, given?.object ?? {});
  const defaultMessage = (given?: ValidationArguments): string =>
    typeof message === 'string' ? message : message(given?.value);
  return ValidateBy({ name, constraints: [...constraints], validator: { validate, defaultMessage } }, { context });
}

/** A value that a function of ours examines. @param faultsOf relative to the value */
export function Faultless(
  faultsOf: (value: unknown) => readonly Violation[],
  options: CheckOptions = {},
  name = 'isFaultless',
) {
  return Check(name, 'has faults', (value) => faultsOf(value).length === 0, { ...options, faultsOf });
}

/** A string of so many characters, without any that nobody sees. */
export function Text(least: number, most: number, context: ConstraintContext = {}): PropertyDecorator {
  const wanted = `must be a string of ${least} to ${most} characters`;
  const fits = (value: unknown) => isText(value, least, most) && hiddenFault(value) === undefined;
  const message = (value: unknown) => (isText(value, least, most) ? hiddenFault(value) : undefined) ?? wanted;
  return Check('isText', message, fits, { ...context, constraints: [least, most] });
}

/** A list of strings, without characters that nobody sees. @param characters of each */
export function TextList(
  least: number,
  most: number,
  characters: readonly [least: number, most: number] = [0, Infinity],
) {
  const of = characters[1] === Infinity ? '' : ` of ${characters.join(' to ')} characters`;
  const isList = (value: unknown): value is string[] =>
    Array.isArray(value) &&
    value.length >= least &&
    value.length <= most &&
    value.every((one) => isText(one, ...characters));
  const wanted = `must be a list of ${least} to ${most} strings${of}`;
  const faultOf = (value: unknown) => (isList(value) ? hiddenFault(value.join(' ')) : wanted);
  const constraints = [least, most, ...characters];
  return Check(
    'isTexts',
    (value) => faultOf(value) ?? wanted,
    (value) => faultOf(value) === undefined,
    { constraints },
  );
}

export function OneOf(values: readonly string[]): PropertyDecorator {
  return IsIn(values, {
    message: ({ value }) => `must be one of ${values.join(', ')}${meant(value, values)}`,
  });
}

/** An identifier that a client chooses and that has to fit into a path: URLs lose `.` and `..` (RFC 3986 §5.2.4). */
export function Addressable(): PropertyDecorator {
  const fits = (value: unknown) => value !== '.' && value !== '..';
  return Check('isAddressable', 'must not be . or .., which no URL can address', fits);
}

/** An ISO 8601 duration of at most so many days. */
export function Duration(days: number, examples: string): PropertyDecorator {
  const message = `must be an ISO 8601 duration of at most ${days} days (a month counts 31), for example ${examples}`;
  return Check('isDuration', message, (value) => isDuration(value) && lastsAtMost(value, days));
}

/** An RFC 3339 time. */
export function Moment(example: string): PropertyDecorator {
  // In a query a plus sign stands for a blank.
  const message = (value: unknown): string =>
    typeof value === 'string' && / \d\d:\d\d$/.test(value)
      ? 'must be a date-time such as 2027-06-30T12:00:00%2B02:00: write + as %2B in an address'
      : 'must be a date-time such as 2027-06-30T12:00:00Z';
  return applyDecorators(Check('isMoment', message, isDateTime), Shown({ ...givenDateTime, example }));
}

/** An object of a class. @param others what it may be instead */
export function Nested(type: () => Type<object>, ...others: readonly boolean[]): PropertyDecorator {
  const message = (): string =>
    [`must be a JSON object with ${declaredNames(type()).join(', ')}`, ...others.map(String)].join(' or ');
  const fits = (value: unknown) => isJsonObject(value) || others.includes(value as boolean);
  return applyDecorators(Check('isNested', message, fits, { constraints: others }), ValidateNested(), keepNested(type));
}

/** A list of objects of a class. */
export function NestedList(type: () => Type<object>, most = Infinity): PropertyDecorator {
  const faultsOf = (list: unknown): Violation[] => {
    if (!Array.isArray(list) || list.length > most) {
      return [{ pointer: '', message: `must be a list of ${most === Infinity ? '' : `at most ${most} `}JSON objects` }];
    }
    const faults = list.map((_, index) => ({ pointer: `/${index}`, message: 'must be a JSON object' }));
    return faults.filter((_, index) => !isJsonObject(list[index]));
  };
  return applyDecorators(
    Faultless(faultsOf, { constraints: [most] }, 'isNestedList'),
    ValidateNested(),
    keepNested(type),
  );
}

function keepNested(type: () => Type<object>): PropertyDecorator {
  return (target, name) => {
    Reflect.defineMetadata(nestedKey, type, target, name);
  };
}

/** The class that {@link Nested} or {@link NestedList} gave a property; `undefined` for any other one. */
export function nestedTypeOf(target: object, name: string): Type<object> | undefined {
  return (Reflect.getMetadata(nestedKey, target, name) as (() => Type<object>) | undefined)?.();
}

const known = new WeakMap<object, readonly string[]>();

/** The properties with a validator; every property of a body has one. */
export function declaredNames(type: Type<object>): readonly string[] {
  const before = known.get(type);
  if (before) return before;
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = [...new Set(metadata.map(({ propertyName }) => propertyName))];
  known.set(type, names);
  return names;
}

function isText(value: unknown, least: number, most: number): value is string {
  return typeof value === 'string' && value.length >= least && hasAtMost(value, most);
}
