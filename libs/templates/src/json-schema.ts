import { Problem, Violation } from '@app/problem-details';
import Ajv, { type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { createHash } from 'node:crypto';
import { createContext, Script } from 'node:vm';
import { repeatsRepetition } from './pattern';

export type JsonSchema = Readonly<Record<string, unknown>>;

const largestSchema = 64 * 1024;
const deepestSchema = 32;
const draft7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';

/** Compiled schemas by the hash of their text: a schema is compiled once, however many credentials it checks. */
const compiled = new Map<string, ValidateFunction>();
const mostCompiled = 500;
/** Milliseconds. Honest claims take less than one; patterns and `uniqueItems` can take hours. */
const longestCheck = 250;
const mostViolations = 100;

/**
 * Refuses a schema that cannot be used for claims, naming the place.
 * @throws Problem `invalid-template-schema`
 */
export function assertUsableSchema(schema: JsonSchema): void {
  if (Buffer.byteLength(JSON.stringify(schema)) > largestSchema) {
    throw refused('/schema', `is larger than ${largestSchema} bytes`);
  }
  if (schema['type'] !== 'object') {
    throw refused('/schema/type', 'must be "object": claims are one JSON object');
  }
  refuseUnsafeParts(schema, '/schema', 0);
  try {
    // The empty object shows a schema that refers to itself without end.
    withinTime(validatorOf(schema), {});
  } catch (error) {
    throw refused('/schema', error instanceof Error ? error.message : 'cannot be compiled');
  }
}

/** Checks claims against a schema; an empty list when they satisfy it. Messages never repeat a claim's value. */
export function violationsOf(schema: JsonSchema, claims: unknown, pointer: string): Violation[] {
  const validate = validatorOf(schema);
  try {
    if (withinTime(validate, claims)) return [];
  } catch {
    return [{ pointer, message: 'cannot be checked against the schema: a pattern or a list takes too long' }];
  }
  return (validate.errors ?? []).slice(0, mostViolations).map((error) => ({
    pointer: `${pointer}${error.instancePath}${missingMember(error)}`,
    message: error.message ?? 'is not valid',
  }));
}

const sandbox = createContext({ check: undefined });
const call = new Script('check()');

/** Runs a check and ends it when it takes too long, a regular expression at work included. Throws then. */
function withinTime(validate: ValidateFunction, claims: unknown): boolean {
  sandbox['check'] = () => validate(claims);
  return call.runInContext(sandbox, { timeout: longestCheck }) === true;
}

function missingMember(error: ErrorObject): string {
  const params = error.params as { missingProperty?: string; additionalProperty?: string };
  const member = params.missingProperty ?? params.additionalProperty;
  return member === undefined ? '' : `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const key = createHash('sha256').update(text).digest('base64url');
  const known = compiled.get(key);
  if (known) return known;
  const options: Options = { allErrors: true, strict: false, validateFormats: true, logger: false };
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

function isDraft7(dialect: unknown): boolean {
  return typeof dialect === 'string' && draft7.test(dialect);
}

function refuseUnsafeParts(node: unknown, pointer: string, depth: number): void {
  if (!isObject(node)) return;
  if (depth > deepestSchema) {
    throw refused(pointer, `is nested deeper than ${deepestSchema} levels`);
  }
  for (const [name, value] of Object.entries(node)) {
    const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if ((name === '$ref' || name === '$dynamicRef') && typeof value === 'string' && !value.startsWith('#')) {
      throw refused(place, 'is a remote reference; only references inside the schema (#...) are followed');
    }
    if (name === '$schema' && value !== draft2020 && !isDraft7(value)) {
      throw refused(place, 'must be JSON Schema 2020-12 or draft-07');
    }
    // Ajv would answer with a promise, which counts as valid.
    if (name === '$async') throw refused(place, 'is not part of JSON Schema');
    const patterns = name === 'patternProperties' && isObject(value) ? Object.keys(value) : [];
    if (name === 'pattern' && typeof value === 'string') patterns.push(value);
    if (patterns.some(repeatsRepetition)) {
      throw refused(place, 'repeats a group that repeats something itself, which can take for ever to match');
    }
    refuseUnsafeParts(value, place, depth + 1);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function refused(pointer: string, message: string): Problem {
  return new Problem('invalid-template-schema', `The schema cannot be used: ${pointer} ${message}.`, [
    { pointer, message },
  ]);
}
