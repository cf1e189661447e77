import { escapePointer } from '@app/credentials';
import { Problem } from '@app/problem-details';
import { patternVerdicts } from './pattern-safety';
import { checksOf, readSchema, type SchemaDocument, type SchemaPart } from './schema-parts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const largestSchema = 64 * 1024;
const deepestSchema = 32;
const mostProperties = 500;
const mostParts = 1000;
const mostChecks = 5000;
/** `uniqueItems` compares every item with every other one, unless they are plain values. */
const mostUniqueItems = 200;
const draft7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';

export function isDraft7(dialect: unknown): boolean {
  return typeof dialect === 'string' && draft7.test(dialect);
}

/**
 * Refuses a schema that could harm whoever checks claims with it: by fetching, by endless regular expressions or by
 * sheer work. It comes from a portal, but portals are built by many people.
 * @throws Problem `invalid-template-schema` with the place
 */
export async function assertSafeSchema(schema: JsonSchema): Promise<void> {
  if (Buffer.byteLength(JSON.stringify(schema)) > largestSchema) {
    throw refused('/schema', `is larger than ${largestSchema} bytes`);
  }
  if (schema['type'] !== 'object') {
    throw refused('/schema/type', 'must be "object": claims are one JSON object');
  }
  refuseDeep(schema, '/schema', 0);
  const document = readSchema(schema);
  if (document.properties > mostProperties)
    throw refused('/schema', `describes more than ${mostProperties} properties`);
  if (document.parts.size > mostParts) throw refused('/schema', `holds more than ${mostParts} schemas`);
  for (const part of document.parts.values()) refuseUnsafeKeywords(part, isDraft7(schema['$schema']));
  refuseFanOut(document);
  await refuseSlowPatterns(document);
}

/** @param pointer into the template, so `/schema/...` */
export function refused(pointer: string, message: string): Problem {
  return new Problem('invalid-template-schema', `The schema cannot be used: ${pointer} ${message}.`, [
    { pointer, message },
  ]);
}

function refuseDeep(value: unknown, pointer: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > deepestSchema) throw refused(pointer, `is nested deeper than ${deepestSchema} levels`);
  for (const [name, member] of Object.entries(value))
    refuseDeep(member, `${pointer}/${escapePointer(name)}`, depth + 1);
}

function refuseUnsafeKeywords({ pointer, schema }: SchemaPart, isOlder: boolean): void {
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
        if (value !== draft2020 && !isDraft7(value)) throw refused(place, 'must be JSON Schema 2020-12 or draft-07');
        break;
      case '$id':
        // An identifier further in would change what the references below it mean; draft-07 also names anchors so.
        if (pointer !== '' && !(isOlder && typeof value === 'string' && value.startsWith('#'))) {
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
