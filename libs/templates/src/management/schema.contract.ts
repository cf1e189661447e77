import { anyObject, is, text } from '@app/http';
import { isJsonObject } from '@app/primitives/json';
import { dialectPattern } from '../schema/schema-dialect';

const schemas = [
  { type: 'object', properties: { given_name: { type: 'string' } }, required: ['given_name'] },
  { type: 'object', properties: { level: { const: 3 } } },
];
/** The schema of a template. @param condition of its being given */
export const isSchema = (condition: PropertyDecorator[] = []) =>
  is.Required(
    'JSON Schema (2020-12, 2019-09 or draft-07) of the claims, which are an object; no remote references. Of an mdoc it names ' +
      'the elements of each name space, each of one type: `format` date or date-time, `contentEncoding` base64 or base64url for bytes.',
    ...condition,
    is.Check('isSchema', 'must be a JSON object, such as { "type": "object", "properties": { } }', isJsonObject, {
      problem: 'invalid-template-schema',
    }),
    is.Shown({
      ...anyObject,
      properties: {
        $schema: { ...text, pattern: dialectPattern },
        type: { anyOf: [{ const: 'object' }, { type: 'array', contains: { const: 'object' } }] },
      },
      examples: schemas,
    }),
  );
