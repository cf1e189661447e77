/** @jest-environment node */
import { type CborValue, encodeCbor } from '@app/primitives/cbor';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import { elementsOf, faultsOfTypes } from './elements';

const nameSpace = 'org.iso.18013.5.1';

function schemaOf(element: JsonObject): JsonObject {
  return { type: 'object', properties: { [nameSpace]: { type: 'object', properties: { element } } } };
}

function written(element: JsonObject, value: JsonValue): string {
  const elements = elementsOf({ [nameSpace]: { element: value } }, schemaOf(element));
  return encodeCbor(elements.get(nameSpace)?.get('element') as CborValue).toString('hex');
}

const text = { type: 'string' };
const privileges = {
  type: 'array',
  items: {
    type: 'object',
    properties: { vehicle_category_code: text, issue_date: { type: 'string', format: 'date' } },
  },
};

describe('the type of an element in its schema', () => {
  it.each<[string, JsonObject, JsonValue, string]>([
    ['a text', text, '1990-01-01', '6a313939302d30312d3031'],
    ['a text of another format', { type: 'string', format: 'email' }, 'a@b', '63614062'],
    ['a full-date', { type: 'string', format: 'date' }, '1990-01-01', 'd903ec6a313939302d30312d3031'],
    [
      'a tdate in UTC without fraction',
      { type: 'string', format: 'date-time' },
      '2027-06-30T14:00:00.250+02:00',
      'c074323032372d30362d33305431323a30303a30305a',
    ],
    ['bytes', { type: 'string', contentEncoding: 'base64' }, '/9j/4A==', '44ffd8ffe0'],
    ['bytes without padding', { type: 'string', contentEncoding: 'base64url' }, '_9j_4A', '44ffd8ffe0'],
    ['an integer', { type: 'integer' }, 180, '18b4'],
    ['a number', { type: 'number' }, 1.5, 'fb3ff8000000000000'],
    ['a truth', { type: 'boolean' }, true, 'f5'],
    ['a constant', { const: 'AT' }, 'AT', '624154'],
    ['one of several integers', { enum: [0, 1, 2, 9] }, 9, '09'],
    [
      'a list of maps',
      privileges,
      [{ vehicle_category_code: 'B', issue_date: '2020-02-29' }],
      '81a27576656869636c655f63617465676f72795f636f646561426a69737375655f64617465d903ec6a323032302d30322d3239',
    ],
  ])('says that it is written as %s', (_, element, value, hex) => {
    expect(faultsOfTypes(schemaOf(element))).toEqual([]);
    expect(written(element, value)).toBe(hex);
  });

  it('may be a reference', () => {
    const schema = {
      $defs: { date: { type: 'string', format: 'date' } },
      properties: { [nameSpace]: { properties: { birth_date: { $ref: '#/$defs/date' } } } },
    };
    expect(faultsOfTypes(schema)).toEqual([]);
    const elements = elementsOf({ [nameSpace]: { birth_date: '1990-01-01' } }, schema);
    expect(elements.get(nameSpace)?.get('birth_date')).toMatchObject({ tag: 1004 });
  });

  it.each<[string, JsonObject, string]>([
    ['has none', {}, ''],
    ['has two', { type: ['string', 'integer'] }, ''],
    ['may be null', { type: ['string', 'null'] }, ''],
    ['has constants of two', { enum: [1, 'one'] }, ''],
    ['is bytes in an encoding that is not known', { type: 'string', contentEncoding: 'base32' }, '/contentEncoding'],
    ['is a date and bytes', { type: 'string', format: 'date', contentEncoding: 'base64' }, ''],
    ['depends on the value', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, '/anyOf'],
    ['depends on a condition', { type: 'string', if: { minLength: 5 }, then: { format: 'date' } }, '/then'],
    ['is a list of anything', { type: 'array' }, '/items'],
    ['is a tuple', { type: 'array', prefixItems: [text] }, '/prefixItems'],
    ['is an object with any member', { type: 'object' }, ''],
    [
      'is an object with further members',
      { properties: { a: text }, additionalProperties: true },
      '/additionalProperties',
    ],
    [
      'is an object with members by pattern',
      { properties: { a: text }, patternProperties: { b: text } },
      '/patternProperties',
    ],
    ['refers to what is not there', { $ref: '#/$defs/none' }, '/$ref'],
    ['refers to itself', { $ref: `#/properties/${nameSpace}/properties/element` }, '/$ref'],
    ['is of a nested member without one', { properties: { a: { title: 'A' } } }, '/properties/a'],
  ])('is refused when it %s', (_, element, place) => {
    const [fault] = faultsOfTypes(schemaOf(element));
    expect(fault?.pointer).toBe(`/properties/${nameSpace}/properties/element${place}`);
  });

  it('may have conditions that say nothing of types', () => {
    const properties = { country: text, locality: text };
    expect(
      faultsOfTypes(schemaOf({ properties, anyOf: [{ required: ['country'] }, { required: ['locality'] }] })),
    ).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [{}, ''],
    [{ type: 'object', properties: {} }, ''],
    [{ properties: { given_name: text } }, '/properties/given_name'],
    [{ properties: { '': { properties: { a: text } } } }, '/properties/'],
    [{ properties: { a: { properties: { '': text } } } }, '/properties/a/properties/'],
  ])('belongs to an element with a name in a name space with a name: %j', (schema, pointer) => {
    expect(faultsOfTypes(schema)).toEqual([{ pointer, message: expect.any(String) as string }]);
  });
});

describe('elements', () => {
  it.each<[string, JsonObject, JsonValue]>([
    ['a day that does not exist', { type: 'string', format: 'date' }, '2027-02-29'],
    ['a date with a time', { type: 'string', format: 'date' }, '2027-02-28T00:00:00Z'],
    ['a time without a zone', { type: 'string', format: 'date-time' }, '2027-02-28T00:00:00'],
    ['a data URL', { type: 'string', contentEncoding: 'base64' }, 'data:image/jpeg;base64,/9j/4A=='],
    ['base64 without padding', { type: 'string', contentEncoding: 'base64' }, '/9j/4A'],
    ['base64 in lines', { type: 'string', contentEncoding: 'base64' }, '/9j/\n4A=='],
    ['a text for an integer', { type: 'integer' }, '1'],
    ['a fraction for an integer', { type: 'integer' }, 1.5],
    ['an integer that doubles do not hold', { type: 'integer' }, 2 ** 53],
    ['a text for a truth', { type: 'boolean' }, 'true'],
    ['null', text, null],
    ['an object for a list', { type: 'array', items: text }, {}],
  ])('are refused with %s', (_, element, value) => {
    const pointer = `/${nameSpace}/element`;
    expect(() => written(element, value)).toThrow(expect.objectContaining({ reason: 'wrong-type', pointer }) as Error);
  });

  it.each<[JsonObject, string]>([
    [{}, ''],
    [{ [nameSpace]: {} }, `/${nameSpace}`],
    [{ [nameSpace]: { other: 'x' } }, `/${nameSpace}/other`],
    [{ other: { element: [] } }, '/other'],
    [{ [nameSpace]: { element: [{ issue_date: 'soon' }] } }, `/${nameSpace}/element/0/issue_date`],
    [{ [nameSpace]: { element: [{ sign: '>' }] } }, `/${nameSpace}/element/0/sign`],
  ])('are refused in %j', (claims, pointer) => {
    expect(() => elementsOf(claims, schemaOf(privileges))).toThrow(expect.objectContaining({ pointer }) as Error);
  });
});
