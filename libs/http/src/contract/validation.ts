import { escapePointer, unknownName } from '@app/primitives/json';
import { type ProblemSlug, validationFailed, type Violation } from '@app/primitives/problems';
import type { Type } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { type ConstraintContext, declaredNames, faultsTogether, isOmissible, nestedTypeOf } from './constraints';

/** A fault, and the problem that says it by itself. */
export interface Fault extends Violation {
  readonly problem?: ProblemSlug;
  readonly isDeferred?: true;
}

interface Validated<T> {
  readonly value: T;
  readonly faults: readonly Fault[];
}

/** An instance of the class with the properties of a JSON object, and every fault of it. */
export function examined<T extends object>(type: Type<T>, plain: object, kind = 'property'): Validated<T> {
  const unknown: Fault[] = [];
  const value = instanceOf(type, plain, '', { kind, faults: unknown }) as T;
  const faults = [...unknown, ...validateSync(value).flatMap((error) => faultsOf(error, ''))];
  const further = faultsTogether(value).filter((fault) => faults.every(({ pointer }) => pointer !== fault.pointer));
  return { value, faults: [...faults, ...further] };
}

/** @throws Problem `validation-failed` with every fault, or the problem that names the only ones there are */
export function validated<T extends object>(type: Type<T>, plain: object): T {
  const { value, faults } = examined(type, plain);
  assertFaultless(faults);
  return value;
}

export function assertFaultless(faults: readonly Fault[]): void {
  const [first] = faults;
  if (!first || faults.every(({ isDeferred }) => isDeferred)) return;
  const violations = faults.map(({ pointer, message }) => ({ pointer, message }));
  const slug = faults.every(({ problem }) => problem !== undefined) ? first.problem : undefined;
  throw validationFailed(violations, slug);
}

interface Unknown {
  readonly kind: string;
  readonly faults: Fault[];
}

/**
 * Properties declared with `is.Nested` become instances as well, everything else stays the very value that was sent.
 * class-transformer's `plainToInstance` will not do: on its way through free JSON it loses properties named like
 * something every object inherits (`toString`) and fails on `constructor`.
 * @param unknown receives a fault for each property that the class does not declare
 */
function instanceOf(type: Type<object>, plain: object, pointer: string, unknown: Unknown): object {
  const instance = new type() as Record<string, unknown>;
  const declared = declaredNames(type);
  for (const [name, value] of Object.entries(plain)) {
    const place = `${pointer}/${escapePointer(name)}`;
    if (!declared.includes(name)) {
      const message = unknownName(unknown.kind, name, declared, unknown.faults.length);
      unknown.faults.push({ pointer: place, message });
      continue;
    }
    const nested = nestedTypeOf(type.prototype as object, name);
    instance[name] = nested ? nestedIn(nested, value, place, unknown) : value;
  }
  return instance;
}

function nestedIn(type: Type<object>, value: unknown, pointer: string, unknown: Unknown): unknown {
  if (Array.isArray(value)) return value.map((one, index) => nestedIn(type, one, `${pointer}/${index}`, unknown));
  return typeof value === 'object' && value !== null ? instanceOf(type, value, pointer, unknown) : value;
}

function faultsOf(
  { target, property, value, constraints = {}, contexts = {}, children = [] }: ValidationError,
  parent: string,
): Fault[] {
  const pointer = `${parent}/${escapePointer(property)}`;
  const own = Object.entries(constraints).flatMap(([name, message]): Fault[] => {
    // `isNested` and `isNestedList` say more.
    if (name === 'nestedValidation' || name === 'unknownValue') return [];
    const { faultsOf: inside, ...named } = (contexts[name] ?? {}) as ConstraintContext;
    const absent = absence(value, isOmissible(target ?? {}, property));
    if (!inside || absent !== '') return [{ pointer, message: `${absent}${message}`, ...named }];
    return inside(value).map((each) => ({ pointer: `${pointer}${each.pointer}`, message: each.message, ...named }));
  });
  // What is not there breaks each of its constraints; the first one says what it has to be.
  const said = value === undefined || value === null ? own.slice(0, 1) : own;
  return [...said, ...children.flatMap((child) => faultsOf(child, pointer))];
}

/** What comes before the message of a constraint, which begins with a verb. */
function absence(value: unknown, isOptional: boolean): string {
  if (value === undefined) return 'is required and ';
  if (value !== null) return '';
  return isOptional ? 'is null; leave it out, or it ' : 'is null; it ';
}
