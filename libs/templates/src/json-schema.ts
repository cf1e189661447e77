import { escapePointer } from '@app/credentials';
import { Violation } from '@app/problem-details';
import Ajv, { type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { createHash } from 'node:crypto';
import { withinTime } from './bounded-check';
import { assertSafeSchema, isDraft7, type JsonSchema, refused } from './schema-safety';

export type { JsonSchema } from './schema-safety';

/** Compiled schemas by the hash of their text: a schema is compiled once, however many credentials it checks. */
const compiled = new Map<string, ValidateFunction>();
const mostCompiled = 500;
const mostViolations = 100;

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
    throw refused('/schema', error instanceof Error ? error.message : 'cannot be compiled');
  }
}

/** Checks claims against a schema; an empty list when they satisfy it. Messages never repeat a claim's value. */
export function violationsOf(schema: JsonSchema, claims: unknown, pointer: string): Violation[] {
  const validate = validatorOf(schema);
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

function missingMember(error: ErrorObject): string {
  const params = error.params as { missingProperty?: string; additionalProperty?: string };
  const member = params.missingProperty ?? params.additionalProperty;
  return member === undefined ? '' : `/${escapePointer(member)}`;
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const key = createHash('sha256').update(text).digest('base64url');
  const known = compiled.get(key);
  if (known) return known;
  // Inlined, a definition is compiled once for every reference to it.
  const options: Options = { allErrors: true, strict: false, validateFormats: true, logger: false, inlineRefs: false };
  const ajv = isDraft7(schema['$schema']) ? new Ajv(options) : new Ajv2020(options);
  addFormats(ajv);
  const validate = ajv.compile(schema);
  if (compiled.size >= mostCompiled) {
    const oldest = compiled.keys().next();
    if (!oldest.done) compiled.delete(oldest.value);
  }
  compiled.set(key, validate);
  return validate;
}
