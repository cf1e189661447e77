import { escapePointer } from '@app/primitives/json';
import { type Problem, validationFailed, type Violation } from '@app/primitives/problems';
import { patternVerdicts } from './pattern-safety';
import { type Dialect, dialectOf } from './schema-dialect';
import { faultsOfNames } from './schema-names';
import { checksOf, readSchema, type SchemaDocument, type SchemaPart } from './schema-parts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const largestSchema = 64 * 1024;
const deepestSchema = 32;
const mostProperties = 500;
const mostParts = 1000;
const mostChecks = 5000;
/** `uniqueItems` writes every item out to find it again; plain values are short. */
const mostUniqueItems = 200;

/**
 * Rejects a schema whose checks could harm the service: by fetching, by endless regular expressions or by
 * their cost. It comes from a portal, but portals are built by many people.
 * @throws Problem `invalid-template-schema` with the place
 */
export async function assertSafeSchema(schema: JsonSchema): Promise<void> {
  if (Buffer.byteLength(JSON.stringify(schema)) > largestSchema) {
    throw refused('/schema', `is larger than ${largestSchema} bytes`);
  }
  if (!isOfObjects(schema['type'])) {
    throw refused('/schema/type', 'must be "object" or left out: claims are one JSON object');
  }
  const dialect = dialectOf(schema);
  if (!dialect) throw refused('/schema/$schema', unknownDialect(schema['$schema']));
  refuseDeep(schema, '/schema', 0);
  const document = readSchema(schema);
  if (document.properties > mostProperties)
    throw refused('/schema', `describes more than ${mostProperties} properties`);
  if (document.parts.size > mostParts) throw refused('/schema', `holds more than ${mostParts} schemas`);
  for (const part of document.parts.values()) refuseUnsafeKeywords(part, dialect);
  refuseFanOut(document);
  await refuseSlowPatterns(document);
  const faults = faultsOfNames(document, dialect);
  if (faults.length > 0) {
    throw refusedFor(faults.map(({ pointer, message }) => ({ pointer: `/schema${pointer}`, message })));
  }
}

/** @param pointer into the template, so `/schema/...` */
export function refused(pointer: string, message: string): Problem {
  return refusedFor([{ pointer, message }]);
}

/** @param violations with pointers into the template */
export function refusedFor(violations: readonly Violation[]): Problem {
  return validationFailed(violations, 'invalid-template-schema', 'The schema cannot be used: ', ' ');
}

function refuseDeep(value: unknown, pointer: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > deepestSchema) throw refused(pointer, `is nested deeper than ${deepestSchema} levels`);
  for (const [name, member] of Object.entries(value))
    refuseDeep(member, `${pointer}/${escapePointer(name)}`, depth + 1);
}

function refuseUnsafeKeywords({ pointer, schema }: SchemaPart, dialect: Dialect): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const place = `/schema${pointer}/${escapePointer(keyword)}`;
    switch (keyword) {
      case '$ref':
        if (typeof value === 'string' && !value.startsWith('#')) {
          throw refused(place, 'is a remote reference; only references inside the schema (#...) are followed');
        }
        break;
      case '$dynamicRef':
      case '$dynamicAnchor':
      case '$recursiveRef':
      case '$recursiveAnchor':
        throw refused(place, 'is not followed; use $ref');
      case '$schema':
        if (dialectOf(schema) !== dialect) throw refused(place, 'must be that of the root of the schema, or left out');
        break;
      case '$id':
        // An identifier further in would change what the references below it mean; draft-07 also names anchors so.
        if (pointer !== '' && !(dialect === 'draft-07' && typeof value === 'string' && value.startsWith('#'))) {
          throw refused(place, 'belongs to the root of the schema only');
        }
        break;
      // Ajv would answer with a promise, which counts as valid.
      case '$async':
        throw refused(place, 'is not part of JSON Schema');
      case 'uniqueItems':
        if (value === true && !hasPlainItems(schema) && !isBounded(schema['maxItems'])) {
          throw refused(place, `needs a maxItems of at most ${mostUniqueItems}, or items of a plain type`);
        }
    }
    if (keyword !== 'const' && isReferenceToData(value)) throw refused(place, 'refers to data; $data is not followed');
  }
}

/** Claims are one JSON object whether the schema says so or not; a list of types has to hold it. */
function isOfObjects(type: unknown): boolean {
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function unknownDialect(address: unknown): string {
  const named = typeof address === 'string' ? /draft-0[0-6]\b|draft\/[\w-]+/.exec(address)?.[0] : undefined;
  return `${named === undefined ? 'names no supported version of JSON Schema' : `names ${named}, which is not supported`}; write https://json-schema.org/draft/2020-12/schema, https://json-schema.org/draft/2019-09/schema or http://json-schema.org/draft-07/schema#, or leave it out for 2020-12`;
}

function hasPlainItems(schema: JsonSchema): boolean {
  const items = schema['items'];
  const type = typeof items === 'object' && items !== null && 'type' in items ? items.type : undefined;
  return ['string', 'number', 'integer', 'boolean', 'null'].some((plain) => plain === type);
}

function isBounded(maxItems: unknown): boolean {
  return typeof maxItems === 'number' && maxItems <= mostUniqueItems;
}

function isReferenceToData(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '$data' in value && typeof value.$data === 'string';
}

function refuseFanOut(document: SchemaDocument): void {
  const anchors = new Map<string, SchemaPart>();
  for (const part of document.parts.values()) {
    const { $anchor, $id } = part.schema;
    if (typeof $anchor === 'string') anchors.set(`#${$anchor}`, part);
    if (typeof $id === 'string' && $id.startsWith('#')) anchors.set($id, part);
  }
  const target = ({ pointer, schema }: SchemaPart): SchemaPart | undefined => {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return undefined;
    const found = anchors.get(reference) ?? document.parts.get(fragment(reference));
    if (!found) throw refused(`/schema${pointer}/$ref`, 'names no schema of this document');
    return found;
  };
  for (const part of document.parts.values()) target(part);
  if (checksOf(document, target) > mostChecks) {
    throw refused('/schema', `leads to more than ${mostChecks} checks when its references are followed`);
  }
}

/** The JSON Pointer in a reference such as `#/$defs/a%25b`; something that is no pointer of ours when it is malformed. */
function fragment(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference;
  }
}

async function refuseSlowPatterns({ patterns }: SchemaDocument): Promise<void> {
  for (const { pointer, pattern } of patterns) {
    if (!isExpression(pattern)) throw refused(`/schema${pointer}`, 'is not a regular expression of ECMAScript');
  }
  const verdicts = await patternVerdicts(patterns.map(({ pattern }) => pattern));
  for (const { pointer, pattern } of patterns) {
    const verdict = verdicts.get(pattern);
    if (verdict === 'vulnerable') {
      throw refused(`/schema${pointer}`, 'can be matched in so many ways that a crafted text takes very long');
    }
    if (verdict !== 'safe') {
      throw refused(`/schema${pointer}`, 'cannot be shown to match every text quickly; write it more simply');
    }
  }
}

function isExpression(pattern: string): boolean {
  try {
    // As Ajv compiles it.
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
