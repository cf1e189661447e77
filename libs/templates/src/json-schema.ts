import { escapePointer } from '@app/credentials';
import { Problem, Violation } from '@app/problem-details';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { createHash } from 'node:crypto';
import { withinTime } from './bounded-check';
import { compileSchema } from './schema-compiler';
import { assertSafeSchema, type JsonSchema, refused } from './schema-safety';

export type { JsonSchema } from './schema-safety';

/** Compiled schemas by the hash of their text: a schema is compiled once, however many credentials it checks. */
const compiled = new Map<string, ValidateFunction>();
const mostCompiled = 500;
const mostViolations = 100;

/** What claims are checked against: a credential configuration, or as much of one. */
export interface ClaimsRule {
  readonly id: string;
  readonly schema?: JsonSchema;
}

/**
 * The schema in a body.
 * @throws Problem `invalid-template-schema` when it is anything but an object; `true` would say nothing about claims
 */
export function schemaIn(value: unknown): JsonSchema {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonSchema;
  throw refused('/schema', 'must be a JSON object, such as { "type": "object", "properties": { } }');
}

/**
 * Refuses a schema that cannot be used for claims, naming the place.
 * @throws Problem `invalid-template-schema`
 */
export async function assertUsableSchema(schema: JsonSchema): Promise<void> {
  await assertSafeSchema(schema);
  try {
    // The empty object shows a schema that refers to itself without end.
    const validate = validatorOf(schema);
    withinTime(() => validate({}));
  } catch (error) {
    throw refused('/schema', reasonOf(error));
  }
}

/**
 * Checks claims against a schema; an empty list when they satisfy it or there is none. Messages never repeat a claim's
 * value.
 * @throws Problem `invalid-template-schema` when this version cannot compile what another one has stored
 */
export function violationsOf(rule: ClaimsRule, claims: unknown, pointer: string): Violation[] {
  const validate = storedValidator(rule);
  if (!validate) return [];
  try {
    if (withinTime(() => validate(claims))) return [];
  } catch {
    return [{ pointer, message: 'cannot be checked against the schema: a pattern or a list takes too long' }];
  }
  return (validate.errors ?? []).slice(0, mostViolations).map((error) => ({
    pointer: `${pointer}${error.instancePath}${missingMember(error)}`,
    message: error.message ?? 'is not valid',
  }));
}

/** Throws what `violationsOf` would throw for any claims. */
export function assertCompilable(rule: ClaimsRule): void {
  storedValidator(rule);
}

function storedValidator({ id, schema }: ClaimsRule): ValidateFunction | undefined {
  try {
    return schema && validatorOf(schema);
  } catch (error) {
    throw new Problem(
      'invalid-template-schema',
      `The schema stored for ${id} cannot be used by this version: ${reasonOf(error)}. Change the schema of the template.`,
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'cannot be compiled';
}

function missingMember(error: ErrorObject): string {
  const params = error.params as {
    missingProperty?: string;
    additionalProperty?: string;
    unevaluatedProperty?: string;
  };
  const member = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  return member === undefined ? '' : `/${escapePointer(member)}`;
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const key = createHash('sha256').update(text).digest('base64url');
  const known = compiled.get(key);
  if (known) return known;
  const validate = compileSchema(schema);
  if (compiled.size >= mostCompiled) {
    const oldest = compiled.keys().next();
    if (!oldest.done) compiled.delete(oldest.value);
  }
  compiled.set(key, validate);
  return validate;
}
