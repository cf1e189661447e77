import { faultIn, matched } from './mapping';
import { submissionOf } from './submission';
import { constantsOf, targetsOf } from './targets';

const configuration = {
  schema: {
    type: 'object',
    properties: {
      given_name: { type: 'string', title: 'Vorname' },
      birthdate: { type: 'string', format: 'date' },
      level: { type: 'integer' },
      share: { type: 'number' },
      member: { type: 'boolean' },
      kind: { const: 'regular' },
      address: { $ref: '#/$defs/address' },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['given_name', 'kind'],
    $defs: { address: { type: 'object', properties: { 'street/no': { type: 'string' } } } },
  },
  claims: [{ path: ['given_name'], display: [{ name: 'Given name', locale: 'en' }] }],
};
const targets = targetsOf(configuration);
const constants = constantsOf(configuration);
const columns = [
  '/given_name',
  '/birthdate',
  '/level',
  '/share',
  '/member',
  '/address/street~1no',
  '/tags',
  'reference',
];
const read = (cells: readonly (string | number | boolean)[], locale?: 'de' | 'en-US') =>
  submissionOf(cells, { mapping: { columns, locale }, targets, constants });

describe('A row', () => {
  it('says what its columns are', () => {
    expect(read(['Erika', '1990-12-31', '007', '1.5', 'true', 'Am Markt 1', 'a | b', '0815'])).toEqual({
      claims: {
        given_name: 'Erika',
        birthdate: '1990-12-31',
        level: 7,
        share: 1.5,
        member: true,
        kind: 'regular',
        address: { 'street/no': 'Am Markt 1' },
        tags: ['a', 'b'],
      },
      reference: '0815',
      faults: [],
    });
  });

  it('says nothing in empty cells', () => {
    expect(read(['Erika', ' ', '']).claims).toEqual({ given_name: 'Erika', kind: 'regular' });
  });

  it('is read by the chosen locale, and never by a guess', () => {
    expect(read(['', '31.12.1990', '', '1,5'], 'de').claims).toMatchObject({ birthdate: '1990-12-31', share: 1.5 });
    expect(read(['', '12/31/1990', '', '1.5'], 'en-US').claims).toMatchObject({ birthdate: '1990-12-31', share: 1.5 });
    expect(read(['', '31.12.1990', '', '1,5']).faults.map(({ column }) => column)).toEqual([2, 4]);
    expect(read(['', '1990-12-31', '', '1.5'], 'de').faults.map(({ column }) => column)).toEqual([4]);
  });

  it.each([
    ['a day that does not exist', ['', '30.02.1990'], 2],
    ['thousands', ['', '', '', '1.234,5'], 4],
    ['a part of a whole number', ['', '', 1.5], 3],
    ['a number that is too long', ['', '', '12345678901234567890'], 3],
    ['another word for yes', ['', '', '', '', 'ja'], 5],
    ['a character that nobody sees', ['a\u202eb'], 1],
    ['a reference of two lines', ['', '', '', '', '', '', '', 'a\nb'], 8],
  ])('is faulty with %s, in words without the value', (_what, cells, column) => {
    const { faults } = read(cells, 'de');
    expect(faults).toMatchObject([{ column }]);
    const [, value = ''] = [faults[0]?.message, String(cells[column - 1])];
    expect(faults[0]?.message).not.toContain(value);
  });
});

describe('A recipient', () => {
  const mapping = { columns: ['/given_name', 'email', 'name'] };
  const said = (email: string) => submissionOf(['Erika', email, 'Erika M.'], { mapping, targets, constants });

  it('is whom the offer is for', () => {
    expect(said('erika@example.org')).toMatchObject({ email: 'erika@example.org', name: 'Erika M.', faults: [] });
  });

  it.each(['erika', 'a@b.example, c@d.example', 'Erika <a@b.example>'])('has one address, and not %j', (email) => {
    expect(said(email).faults).toMatchObject([{ column: 2, to: 'email' }]);
  });
});

describe('Columns', () => {
  it('are matched by labels, titles and names of claims, whatever their case and accents', () => {
    expect(matched(['VORNAME', 'Birth-Date', 'référence', 'Nobody', 'given name'], targets).columns).toEqual([
      '/given_name',
      '/birthdate',
      'reference',
      null,
      null,
    ]);
  });

  it('are matched all in a file to begin with, also those that are called alike', () => {
    const named = (title: string) => ({ type: 'string', title });
    const street = { type: 'object', properties: { street: named('Street') } };
    const properties = { email: named('E-mail'), name: named('Name'), home: street, work: street };
    const all = targetsOf({ schema: { type: 'object', properties } });
    expect(
      matched(
        all.map(({ labels: [label] }) => label),
        all,
      ).columns,
    ).toEqual(all.map(({ to }) => to));
    expect(matched(['Name', 'E-mail'], all).columns).toEqual(['/name', '/email']);
  });

  it('cannot be the same, nor what a credential does not have', () => {
    expect(faultIn({ columns: ['/level', '/level'] }, ['a', 'b'], targets)).toBe('Two columns are to be the same.');
    expect(faultIn({ columns: ['/other'] }, ['a'], targets)).toContain('does not have');
    expect(faultIn({ columns: [null, null] }, ['a'], targets)).toContain('has 1 columns');
  });
});
