import type { JsonSchema } from './schema-safety';
import { readSchema, type SchemaPart } from './schema-parts';

/**
 * Formats that every text is checked for in time that grows with its length at most. Not among them are `url` (quadratic)
 * and `regex` (compiles what it is given).
 */
export const quickFormats = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'uri',
  'uuid',
] as const;

const quick = new Set<unknown>(quickFormats);
const longKeywords = new Set(['pattern', 'patternProperties', 'uniqueItems', '$ref', '$dynamicRef', '$recursiveRef']);

/**
 * Whether a check takes time in proportion to the values in the schema and those in the claims at most. Regular
 * expressions, comparisons of items and references can make it take longer.
 */
export function isProportionate(schema: JsonSchema): boolean {
  return ![...readSchema(schema).parts.values()].some(canTakeLong);
}

function canTakeLong({ schema }: SchemaPart): boolean {
  const { format, multipleOf } = schema;
  if (format !== undefined && !quick.has(format)) return true;
  if (multipleOf !== undefined && !isOrdinary(multipleOf)) return true;
  return Object.keys(schema).some((keyword) => longKeywords.has(keyword));
}

/** Decimals are divided by their digits, of which 1e-300 has many. */
function isOrdinary(divisor: unknown): boolean {
  return typeof divisor === 'number' && divisor >= 1e-12 && divisor <= 1e12;
}

/** How many values there are in a JSON value, itself included. */
export function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, member) => sum + valuesIn(member), 1);
}

/** Like `valuesIn`, with every ten characters of a text or name counted as one more. Looks no further above `most`. */
export function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + value.length / 10;
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  for (const [name, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (size > most) break;
    size += (typeof name === 'string' ? name.length / 10 : 0) + sizeOf(member, most - size);
  }
  return size;
}
