import { Problem } from '@app/primitives/problems';
import { assertUsableSchema, type JsonSchema } from './json-schema';
import { unknownClaim } from './schema-names';

async function faults(schema: JsonSchema): Promise<Readonly<Record<string, string>>> {
  try {
    await assertUsableSchema(schema);
    return {};
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return Object.fromEntries(error.violations.map(({ pointer, message }) => [pointer, message]));
  }
}

const person = { given_name: { type: 'string' }, iban: { type: 'string' } };
const draft07 = 'http://json-schema.org/draft-07/schema#';

describe('the names in a schema', () => {
  it('are refused where they are unknown, all at once and however deep, with the one that was meant', async () => {
    const schema = {
      type: 'object',
      requird: ['given_name'],
      properties: {
        given_name: { type: 'string', maxlength: 20 },
        born: { type: 'string', format: 'dat' },
        address: { anyOf: [{ properties: { city: { $ref: '#/$defs/text' } } }] },
        tags: { type: 'array', items: { enums: ['a'] } },
      },
      $defs: { text: { type: 'string', min_length: 1 } },
      color: 'red',
    };
    expect(await faults(schema)).toEqual({
      '/schema/requird': 'is an unknown keyword. Did you mean required?',
      '/schema/color': 'is an unknown keyword; one of your own begins with x-',
      '/schema/properties/given_name/maxlength': 'is an unknown keyword. Did you mean maxLength?',
      '/schema/properties/born/format': 'is an unknown format. Did you mean date?',
      '/schema/properties/tags/items/enums': 'is an unknown keyword. Did you mean enum?',
      '/schema/$defs/text/min_length': 'is an unknown keyword. Did you mean minLength?',
    });
  });

  it.each<[string, JsonSchema, string]>([
    ['2020-12', { properties: { a: { additionalItems: false } } }, '2019-09'],
    ['draft-07', { $schema: draft07, properties: { a: { unevaluatedProperties: false } } }, '2020-12'],
    ['draft-07', { $schema: draft07, properties: { a: { prefixItems: [{ type: 'string' }] } } }, '2020-12'],
  ])('of %s are not those of other versions', async (dialect, schema, other) => {
    const messages = Object.values(await faults(schema));
    expect(messages).toEqual([`is not a keyword of ${dialect}, in which the schema is written, but of ${other}`]);
  });

  it("are left alone where they are data, the author's own, or words about the schema", async () => {
    const words = {
      title: 'A',
      description: 'a',
      $comment: 'c',
      default: { x: 1 },
      examples: [{ requird: 1 }],
      deprecated: true,
    };
    const data = { enum: [{ requird: 1 }], const: { requird: 1 }, readOnly: true, contentMediaType: 'image/png' };
    const properties = {
      requird: { ...words, ...data, 'x-order': 1 },
      mail: { format: 'idn-email' },
      own: { format: 'x-own' },
    };
    expect(await faults({ type: 'object', properties, $defs: { maxlength: { $anchor: 'b' } } })).toEqual({});
  });

  it.each<[string, JsonSchema, string]>([
    ['required', { required: ['given_name', 'ibam'] }, '/schema/required/1'],
    ['a condition', { if: { required: ['ibam'] }, then: {} }, '/schema/if/required/0'],
    [
      'what a condition looks at',
      { anyOf: [{ properties: { ibam: { const: 'x' } } }] },
      '/schema/anyOf/0/properties/ibam',
    ],
    ['a dependency', { dependentRequired: { iban: ['ibam'] } }, '/schema/dependentRequired/iban/0'],
  ])('of properties that an object cannot have are refused: %s', async (_what, rest, pointer) => {
    const schema = { type: 'object', properties: person, additionalProperties: false, ...rest };
    const message = 'names a property that the object cannot have, by its additionalProperties. Did you mean iban?';
    expect(await faults(schema)).toEqual({ [pointer]: message });
    expect(await faults({ type: 'object', properties: { person: schema } })).toEqual({
      [pointer.replace('/schema', '/schema/properties/person')]: message,
    });
    expect(await faults({ ...schema, additionalProperties: undefined })).toEqual({});
    expect(await faults({ ...schema, patternProperties: { '^i': {} } })).toEqual({});
  });

  it('of properties that no schema leaves to an object without unevaluated ones are refused', async () => {
    const closed = {
      type: 'object',
      properties: person,
      unevaluatedProperties: false,
      required: ['given_name', 'ibam'],
    };
    const message = 'names a property that the object cannot have, by its unevaluatedProperties. Did you mean iban?';
    const refused = { '/schema/required/1': message };
    expect(await faults(closed)).toEqual(refused);
    expect(await faults({ ...closed, $ref: '#/$defs/level', $defs: { level: { properties: { level: {} } } } })).toEqual(
      refused,
    );
    for (const open of [
      { $ref: '#/$defs/more', $defs: { more: { properties: { ibam: {} } } } },
      { anyOf: [{ properties: { ibam: {} } }] },
      { patternProperties: { '^i': {} } },
      { allOf: [{ additionalProperties: { type: 'string' } }] },
    ]) {
      expect(await faults({ ...closed, ...open })).toEqual({});
    }
  });

  it('are all named with what is malformed', async () => {
    const schema = { properties: { a: { type: 'text' }, b: { minLength: 'x' } } };
    expect(Object.keys(await faults(schema))).toEqual(['/schema/properties/a/type', '/schema/properties/b/minLength']);
  });
});

describe('a claim', () => {
  const address = { type: 'object', properties: { street: {}, city: {} }, additionalProperties: false };
  const open: JsonSchema = {
    properties: { ...person, address, tags: { type: 'array', items: { properties: { name: {} } } } },
  };
  const referring: JsonSchema = { $ref: '#/$defs/person', $defs: { person: open } };

  it.each([
    ['/ibam', '. Did you mean /iban?', false],
    ['/address/stret', '. Did you mean /address/street?', true],
    ['/address/planet', '', true],
    ['/iban/country', '', true],
    ['/tags/name', '', true],
    ['/tags/0/nmae', '. Did you mean /tags/0/name?', false],
  ])('is not known to a schema: %s', (pointer, question, isRuledOut) => {
    for (const schema of [open, referring, { allOf: [open] }]) {
      expect(unknownClaim(schema, pointer, [])).toEqual({ isRuledOut, question });
    }
  });

  it.each(['/iban', '/address', '/address/city', '/tags/0', '/tags/0/name', '/level', '/level/ibam'])(
    'is one that a schema names or leaves open: %s',
    (pointer) => {
      for (const schema of [open, referring, {}]) expect(unknownClaim(schema, pointer, [])).toBeUndefined();
    },
  );

  it('may be spelt like another one that is meant as well, or where the schema says that names are free', () => {
    expect(unknownClaim(open, '/ibam', ['/iban', '/ibam'])).toBeUndefined();
    expect(unknownClaim({ ...open, additionalProperties: { type: 'string' } }, '/ibam', [])).toBeUndefined();
    expect(unknownClaim({ ...open, patternProperties: { '^i': {} } }, '/ibam', [])).toBeUndefined();
  });
});
