import { escapePointer } from '@app/primitives/json';
/** One schema inside a schema document, by its place. */
export interface SchemaPart {
  /** JSON Pointer inside the document; empty for the root. */
  readonly pointer: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** The parts that are checked whenever this one is; definitions are only checked when something refers to them. */
  readonly checked: readonly SchemaPart[];
}

/** Every regular expression, as the value of `pattern` or as a name in `patternProperties`. */
export interface PatternPlace {
  readonly pointer: string;
  readonly pattern: string;
}

export interface SchemaDocument {
  readonly parts: ReadonlyMap<string, SchemaPart>;
  readonly patterns: readonly PatternPlace[];
  /** How many properties are described, all parts together. */
  readonly properties: number;
}

const definitions = new Set(['$defs', 'definitions']);
const byName = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies', ...definitions]);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const singles = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/**
 * The schemas of a document, in the keywords of 2020-12 and draft-07. What stands elsewhere (`const`, `examples`, unknown
 * keywords) is data, whatever its members are called. The document must not be deeper than the stack allows.
 */
export function readSchema(root: Readonly<Record<string, unknown>>): SchemaDocument {
  const parts = new Map<string, SchemaPart>();
  const patterns: PatternPlace[] = [];
  let properties = 0;

  function read(value: unknown, pointer: string): SchemaPart[] {
    // `true` and `false` are schemas as well.
    const schema = typeof value === 'boolean' ? {} : value;
    if (!isObject(schema)) return [];
    const checked: SchemaPart[] = [];
    const part = { pointer, schema, checked };
    parts.set(pointer, part);
    if (typeof schema['pattern'] === 'string') {
      patterns.push({ pointer: `${pointer}/pattern`, pattern: schema['pattern'] });
    }
    for (const [keyword, value] of Object.entries(schema)) {
      const place = `${pointer}/${escapePointer(keyword)}`;
      if (lists.has(keyword) && Array.isArray(value)) {
        checked.push(...value.flatMap((one, index) => read(one, `${place}/${index}`)));
      } else if (singles.has(keyword)) {
        checked.push(...read(value, place));
      } else if (byName.has(keyword) && isObject(value)) {
        const named = Object.entries(value).flatMap(([name, one]) => read(one, `${place}/${escapePointer(name)}`));
        if (!definitions.has(keyword)) checked.push(...named);
        if (keyword === 'properties' || keyword === 'patternProperties') properties += Object.keys(value).length;
        if (keyword === 'patternProperties') {
          patterns.push(
            ...Object.keys(value).map((name) => ({ pointer: `${place}/${escapePointer(name)}`, pattern: name })),
          );
        }
      }
    }
    return [part];
  }

  read(root, '');
  return { parts, patterns, properties };
}

/**
 * How many schemas one check passes at most, references followed; what refers to itself counts once. It is this number
 * that doubles with every level when two branches refer to the same definition.
 * @param target the part that a part refers to, if it does
 */
export function checksOf({ parts }: SchemaDocument, target: (part: SchemaPart) => SchemaPart | undefined): number {
  const known = new Map<SchemaPart, number>();
  function count(part: SchemaPart): number {
    const before = known.get(part);
    if (before !== undefined) return before;
    known.set(part, 1);
    const referred = target(part);
    const below = referred === undefined ? part.checked : [...part.checked, referred];
    const total = below.reduce((sum, one) => sum + count(one), 1);
    known.set(part, total);
    return total;
  }
  const root = parts.get('');
  return root === undefined ? 0 : count(root);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
