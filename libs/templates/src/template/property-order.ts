import { escapePointer, isJsonObject, type JsonValue } from '@app/primitives/json';
import type { JsonSchema } from '../schema/schema-safety';
import { readSchema } from '../schema/schema-parts';

/**
 * The order of properties, which is that of display: the JSON Pointer of each `properties` in a schema, and the names in it. The
 * database keeps the members of an object in an order of its own; what has that order anyway is left out.
 */
export type PropertyOrder = readonly (readonly [pointer: string, ...names: readonly string[]])[];

export function propertyOrderOf(schema: JsonSchema): PropertyOrder {
  return [...readSchema(schema).parts.values()].flatMap(({ pointer, schema: part }) => {
    const { properties } = part;
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    return names.some((name, index) => index > 0 && byStorage(names[index - 1] ?? '', name) > 0)
      ? [[`${pointer}/properties`, ...names] as const]
      : [];
  });
}

/** As PostgreSQL orders the members of jsonb: by the length in UTF-8, then by the bytes. */
function byStorage(one: string, other: string): number {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length - b.length || a.compare(b);
}

/** The schema with its properties in that order. */
export function propertiesInOrder(schema: JsonSchema, order: PropertyOrder = []): JsonSchema {
  if (order.length === 0) return schema;
  const names = new Map(order.map(([pointer, ...rest]) => [pointer, rest]));
  return ordered(schema as JsonValue, '', names) as JsonSchema;
}

function ordered(value: JsonValue, pointer: string, order: ReadonlyMap<string, readonly string[]>): JsonValue {
  if (Array.isArray(value)) return value.map((one, index) => ordered(one, `${pointer}/${index}`, order));
  if (!isJsonObject(value)) return value;
  const first = (order.get(pointer) ?? []).filter((name) => Object.hasOwn(value, name));
  const names = new Set([...first, ...Object.keys(value)]);
  return Object.fromEntries(
    [...names].map((name) => [name, ordered(value[name] ?? null, `${pointer}/${escapePointer(name)}`, order)]),
  );
}
