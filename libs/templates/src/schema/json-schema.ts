import type { credentialFormat } from '@app/credentials';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { escapePointer, isJsonObject, meant, stepsOf } from '@app/primitives/json';
import { Problem, Violation } from '@app/primitives/problems';
import { CheckingTime } from './checking-time';
import { checkClaims, checkSchema } from './claims-check';
import { notInSchema } from './schema-messages';
import { assertSafeSchema, type JsonSchema, refused, refusedFor } from './schema-safety';

export type { JsonSchema } from './schema-safety';

/** What the format of the credentials asks of a schema besides. */
type FormatOfSchema = Pick<ReturnType<typeof credentialFormat>, 'faultsOfSchema'>;

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
 * Refuses a schema that cannot be used for claims of credentials of the format, naming the place.
 * @throws Problem `invalid-template-schema`
 */
export async function assertUsableSchema(schema: JsonSchema, format?: FormatOfSchema): Promise<void> {
  await assertSafeSchema(schema);
  const outcome = await checkSchema(schema);
  switch (outcome.kind) {
    case 'checked':
      refuse(format?.faultsOfSchema(schema) ?? []);
      return;
    case 'unusable':
      refuse([outcome, ...outcome.further].map(({ path: pointer, message }) => ({ pointer, message })));
      return;
    case 'overrun':
      throw refused('/schema', 'refers to itself without end, or takes too long');
  }
}

function refuse(faults: readonly Violation[]): void {
  if (faults.length === 0) return;
  throw refusedFor(faults.map(({ pointer, message }) => ({ pointer: `/schema${pointer}`, message })));
}

/**
 * Checks claims against a schema; an empty list when they satisfy it or there is none. Messages never repeat a claim's
 * value.
 * @param time what the request has left for all its checks
 * @throws Problem `invalid-template-schema` when this version cannot compile what another one has stored, and
 * `claims-not-checked`
 */
export function violationsOf(
  rule: ClaimsRule,
  claims: unknown,
  pointer: string,
  time = new CheckingTime(),
): Awaitable<Violation[]> {
  if (!rule.schema) return [];
  return whenThere(checkClaims(rule.schema, claims, time), (outcome) => {
    switch (outcome.kind) {
      case 'checked':
        return outcome.faults.map(({ path, member, message }) => ({
          pointer: `${pointer}${path}${member === undefined ? '' : `/${escapePointer(member)}`}`,
          message:
            member === undefined || message !== notInSchema
              ? message
              : `${message}${meant(member, namesAt(rule.schema, path))}`,
        }));
      case 'unusable':
        throw unusable(rule, outcome.message);
      case 'overrun':
        return [{ pointer, message: 'cannot be checked against the schema: a pattern or a list takes too long' }];
    }
  });
}

/** Throws what `violationsOf` would throw for any claims. */
export async function assertCompilable(rule: ClaimsRule): Promise<void> {
  const outcome = rule.schema && (await checkSchema(rule.schema));
  if (outcome?.kind === 'unusable') throw unusable(rule, outcome.message);
}

function unusable({ id }: ClaimsRule, reason: string): Problem {
  return new Problem(
    'invalid-template-schema',
    `The schema stored for ${id} cannot be used by this version: ${reason}. Change the schema of the template.`,
  );
}

/** The claims that a schema names at a place; those of references and alternatives are not looked for. */
function namesAt(schema: unknown, path: string): readonly string[] {
  let place = schema;
  for (const name of stepsOf(path)) place = propertiesOf(place)[name];
  return Object.keys(propertiesOf(place));
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const properties: unknown = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? properties : {};
}
