import { claimsOf, emptyDraft, faultsAt, faultsIn } from './draft';
import { claimLabel, type Field, formOf } from './field';
import type { JsonObject } from '../json';
import { speak } from '../texts';
import forms from '../texts/en/forms.json';

speak('en', { forms });

const member = (schema: JsonObject, definitions: JsonObject = {}): Field => {
  const form = formOf({ type: 'object', properties: { member: schema }, $defs: definitions });
  if (form.kind !== 'group' || !form.members[0]) throw new Error('The form has no member.');
  return form.members[0].field;
};

describe('the form of a schema', () => {
  it.each([
    ['a text', { type: 'string' }, { kind: 'text', isDate: false }],
    ['a date', { type: 'string', format: 'date' }, { kind: 'text', isDate: true }],
    ['a text with an example', { type: 'string', examples: ['Erika'] }, { kind: 'text', example: 'Erika' }],
    ['a whole number', { type: 'integer', default: 3 }, { kind: 'number', isWhole: true, initial: '3' }],
    ['a number or null', { type: ['number', 'null'] }, { kind: 'number', isWhole: false }],
    ['yes or no', { type: 'boolean' }, { kind: 'choice', options: [{ label: 'Yes' }, { label: 'No' }] }],
    ['one of several', { enum: ['a', 2], default: 2 }, { kind: 'choice', initial: '1' }],
    ['titled constants', { oneOf: [{ const: 'm', title: 'Male' }] }, { kind: 'choice', options: [{ label: 'Male' }] }],
    ['a constant', { const: 3 }, { kind: 'constant', value: 3 }],
    ['a list', { type: 'array', items: { type: 'string' } }, { kind: 'list', item: { kind: 'text' } }],
    ['a group', { properties: { a: { type: 'string' } } }, { kind: 'group', members: [{ name: 'a' }] }],
    ['an object without members', { type: 'object' }, { kind: 'json' }],
    ['alternatives', { oneOf: [{ type: 'string' }, { type: 'integer' }] }, { kind: 'json' }],
    ['anything', {}, { kind: 'json' }],
  ])('has a control for %s', (_what, schema, field) => {
    expect(member(schema as JsonObject)).toMatchObject(field);
  });

  it('follows local references, and writes schemas that contain themselves as JSON in the end', () => {
    const street = { type: 'string', title: 'Street' };
    expect(member({ $ref: '#/$defs/street' }, { street })).toMatchObject({ kind: 'text', label: 'Street' });
    expect(member({ $ref: '#/$defs/a' }, { a: { $ref: '#/$defs/a' } })).toMatchObject({ kind: 'json' });
    expect(member({ $ref: '#street' }, { street: { ...street, $anchor: 'street' } })).toMatchObject({ kind: 'json' });
    const child = { type: 'object', properties: { child: { $ref: '#/$defs/child' } } };
    expect(JSON.stringify(member({ $ref: '#/$defs/child' }, { child }))).toContain('"kind":"json"');
  });

  it('shows what is required first, by its title or the words of its name', () => {
    const form = formOf({
      type: 'object',
      properties: { middleName: { type: 'string' }, given_name: { type: 'string' }, dob: { title: 'Date of birth' } },
      required: ['given_name'],
    });
    if (form.kind !== 'group') throw new Error('It is no group.');
    expect(form.members.map(({ field }) => field.label)).toEqual(['Given name', 'Middle name', 'Date of birth']);
    expect(form.members.map(({ field }) => field.isRequired)).toEqual([true, false, false]);
  });
});

describe('what is written into a form', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      level: { type: 'integer' },
      member: { type: 'boolean' },
      kind: { const: 'person' },
      tags: { type: 'array', items: { type: 'string' } },
      address: { type: 'object', properties: { country: { const: 'NL' }, city: { type: 'string' } } },
      more: {},
    },
    required: ['name'],
  };
  const form = formOf(schema);

  it('becomes claims of the types of the schema', () => {
    const draft = {
      name: 'Erika',
      level: '3',
      member: '1',
      tags: ['a', 'b'],
      address: { city: 'Delft' },
      more: '{"a":1}',
    };
    expect(claimsOf(form, draft)).toEqual({
      value: {
        ...{ name: 'Erika', level: 3, member: false, kind: 'person', tags: ['a', 'b'] },
        ...{ address: { country: 'NL', city: 'Delft' }, more: { a: 1 } },
      },
      faults: [],
    });
  });

  it('is left out where nothing was written, also a group of constants', () => {
    expect(claimsOf(form, emptyDraft(form))).toEqual({ value: { kind: 'person' }, faults: [] });
  });

  it('has faults where it cannot be sent', () => {
    const { faults } = claimsOf(form, { level: 'three', more: '{', address: {} });
    expect(faults).toEqual([
      { pointer: '/level', message: 'must be a whole number' },
      { pointer: '/more', message: 'must be JSON; a text needs quotation marks' },
    ]);
  });

  it('shows the faults that the service found beside the controls', () => {
    const at = '/credential/credentialSubject';
    const violations = [
      { pointer: `${at}/address/city`, message: 'is required' },
      { pointer: '/expiresAt', message: 'must be later' },
    ];
    expect([...faultsIn(violations, at)]).toEqual([
      ['/address/city', 'is required'],
      ['body:/expiresAt', 'must be later'],
    ]);
  });

  it('shows the faults within what is written as JSON beside its control', () => {
    const faults = new Map([
      ['/more/a', 'must be string'],
      ['/moreover', 'is required'],
      ['body:/expiresAt', 'must be later'],
    ]);
    const more = member({});
    expect(faultsAt(more, '/more', faults)).toEqual(['/a must be string']);
    expect(faultsAt(more, '', faults)).toEqual(['/more/a must be string', '/moreover is required']);
    expect(faultsAt(member({ type: 'string' }), '/more', faults)).toEqual([]);
    expect(faultsAt(member({ type: 'string' }), '/moreover', faults)).toEqual(['is required']);
  });
});

it('a claim is called as in the form, also where its schema is not known', () => {
  const city = { type: 'string', title: 'Town' };
  const form = formOf({ properties: { address: { title: 'Home', properties: { city } }, languages: { items: city } } });
  expect(claimLabel(form, ['address', 'city'])).toBe('Home, Town');
  expect(claimLabel(form, ['languages', null])).toBe('Languages');
  expect(claimLabel(formOf({}), ['birth_place', 'country'])).toBe('Birth place, Country');
});
