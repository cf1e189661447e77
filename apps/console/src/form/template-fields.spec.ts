import { fieldsOf, labelsOf, newField, schemaOf, unnamed } from './template-fields';

const schema = {
  type: 'object',
  properties: {
    family_name: { type: 'string', title: 'Family name', examples: ['Mustermann'] },
    born: { type: 'string', format: 'date', title: 'Born' },
    level: { type: 'integer', examples: [3] },
    grade: { type: 'string', enum: ['A', 'B'] },
    active: { type: 'boolean' },
  },
  required: ['family_name'],
};
const labels = { '/family_name': { de: 'Nachname' } };

it('a schema is the same after it was shown as fields, in their order', () => {
  const fields = fieldsOf(schema, labels) ?? [];
  expect(fields.map(({ type }) => type)).toEqual(['text', 'date', 'integer', 'choice', 'boolean']);
  expect(JSON.stringify(schemaOf(fields))).toBe(JSON.stringify(schema));
  expect(labelsOf(fields)).toEqual(labels);
});

it.each([
  { ...schema, additionalProperties: false },
  { type: 'object', properties: { a: { type: 'object' } } },
  { type: 'object', properties: { a: { type: 'string', pattern: 'a' } } },
  { type: 'object', properties: { a: { type: 'string', format: 'email' } } },
  { type: 'object', properties: { a: { enum: [1] } } },
  { type: 'object', properties: {}, required: ['a'] },
  { type: 'object', properties: { a: true } },
])('a schema that says more is not shown as fields: %j', (one) => {
  expect(fieldsOf(one)).toBeUndefined();
});

it('a field is called after its label', () => {
  const [given, again] = [
    { ...newField, label: 'Größe (cm)' },
    { ...newField, label: 'grosse cm' },
  ];
  expect(schemaOf([given])).toEqual({
    type: 'object',
    properties: { grosse_cm: { type: 'string', title: 'Größe (cm)' } },
  });
  expect(unnamed([given, again, newField])).toEqual([1, 2]);
});
