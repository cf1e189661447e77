import { type JsonObject, type JsonValue, stepsOf } from '@app/primitives/json';
import { assertCompilable, type ClaimsRule, violationsOf } from '../schema/json-schema';
import { subjectFaults } from '../schema/open-badge-schema';
import type { JsonSchema } from '../schema/schema-safety';

const deepest = 32;

/** What these describe has no name or place yet: only `false` leaves nothing open. */
const openEnds = ['additionalProperties', 'unevaluatedProperties', 'additionalItems', 'unevaluatedItems'] as const;
/** What these describe adds no claim, but a leaf of theirs may be open as any other. */
const conditions = ['contains', 'propertyNames', 'not', 'if', 'then', 'else'] as const;

/**
 * The only claims the schema of a configuration allows, when its every leaf is a `const`: what any person may be given,
 * because it says nothing about a person. `undefined` when some leaf is open. Follows objects, arrays, `allOf`, single
 * alternatives and references inside the schema.
 * @throws Problem `invalid-template-schema` when this version cannot compile what another one has stored
 */
export async function constantClaims(
  rule: ClaimsRule & { readonly dataModel?: string },
): Promise<JsonObject | undefined> {
  if (!rule.schema) return undefined;
  // Before it is walked, as only a schema that compiles is known to be well formed.
  await assertCompilable(rule);
  const claims = constantOf(rule.schema, rule.schema, 0);
  if (!isObject(claims)) return undefined;
  const faults = [...(await violationsOf(rule, claims, '')), ...(await subjectFaults(rule, claims))];
  return faults.length === 0 ? claims : undefined;
}

function constantOf(node: unknown, root: JsonSchema, depth: number): JsonValue | undefined {
  if (!isSchema(node) || depth > deepest) return undefined;
  // Stored schemas are JSON.
  if (Object.hasOwn(node, 'const')) return node['const'] as JsonValue;
  const parts: JsonValue[] = [];
  for (const part of partsOf(node, root, depth + 1)) {
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return merged(parts);
}

/** What each keyword of a schema says the value is; an `undefined` among them leaves something open. */
function* partsOf(node: JsonSchema, root: JsonSchema, depth: number): Generator<JsonValue | undefined> {
  const { $ref, allOf, properties, patternProperties, dependentSchemas, prefixItems, items } = node;
  if (typeof $ref === 'string') yield constantOf(referenced($ref, root), root, depth);
  for (const part of Array.isArray(allOf) ? allOf : []) yield constantOf(part, root, depth);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const alternatives: unknown = node[keyword];
    if (Array.isArray(alternatives)) {
      yield alternatives.length === 1 ? constantOf(alternatives[0], root, depth) : undefined;
    }
  }
  if (isSchema(properties)) yield constantObject(properties, root, depth);
  if (isSchema(patternProperties) && Object.keys(patternProperties).length > 0) yield undefined;
  if (openEnds.some((keyword) => (node[keyword] ?? false) !== false)) yield undefined;
  const conditional = isSchema(dependentSchemas) ? Object.values(dependentSchemas) : [];
  for (const part of [...conditional, ...conditions.map((keyword) => node[keyword])]) {
    if (isSchema(part) && constantOf(part, root, depth) === undefined) yield undefined;
  }
  if (Array.isArray(prefixItems)) {
    yield constantArray(prefixItems, root, depth);
    if (isSchema(items)) yield undefined;
  }
  // Earlier drafts spell prefixItems as a list of items.
  else if (Array.isArray(items)) yield constantArray(items, root, depth);
  else if (isSchema(items)) yield repeatedItem(node, items, root, depth);
}

function constantObject(properties: JsonSchema, root: JsonSchema, depth: number): JsonObject | undefined {
  // An object that is not described is open.
  if (Object.keys(properties).length === 0) return undefined;
  const members = Object.entries(properties).map(([name, part]): [string, JsonValue | undefined] => [
    name,
    constantOf(part, root, depth),
  ]);
  if (members.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(members as [string, JsonValue][]);
}

function constantArray(parts: readonly unknown[], root: JsonSchema, depth: number): JsonValue[] | undefined {
  const elements = parts.map((part) => constantOf(part, root, depth));
  return elements.includes(undefined) ? undefined : (elements as JsonValue[]);
}

/** A list of equal elements is constant when its length is. */
function repeatedItem(node: JsonSchema, items: JsonSchema, root: JsonSchema, depth: number): JsonValue[] | undefined {
  const { minItems, maxItems } = node;
  const element = constantOf(items, root, depth);
  if (element === undefined || typeof minItems !== 'number' || minItems !== maxItems || minItems > 100)
    return undefined;
  return Array.from({ length: minItems }, () => element);
}

function merged(parts: readonly JsonValue[]): JsonValue | undefined {
  const [first] = parts;
  if (parts.length < 2) return first;
  // Objects complete each other; anything else can only agree, which the validation afterwards sees.
  return parts.every(isObject) ? Object.fromEntries(parts.flatMap((part) => Object.entries(part))) : first;
}

function referenced(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  return stepsOf(decodeURIComponent(reference)).reduce<unknown>(
    (node, name) => (isSchema(node) && Object.hasOwn(node, name) ? node[name] : undefined),
    root,
  );
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return isSchema(value);
}
