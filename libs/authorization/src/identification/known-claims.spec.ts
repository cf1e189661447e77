import type { JsonObject } from '@app/primitives/json';
import type { ClaimsPath } from '@app/openid4vc';
import { claimsAsked, identifyingClaims, keptClaims, matchOf, mergedClaims } from './known-claims';

const claims = {
  sub: 'u-1',
  iss: 'https://login.example',
  auth_time: 1,
  email: 'erika@example.com',
  student_number: 4711,
  address: { country: 'DE', locality: 'Köln' },
  'a/b': 'c',
  is_student: true,
};

describe('the claims of a person', () => {
  it('are kept as far as the credentials need them', () => {
    expect(keptClaims(claims, new Set([...identifyingClaims, 'student_number', 'phone']))).toEqual({
      sub: 'u-1',
      iss: 'https://login.example',
      auth_time: 1,
      student_number: 4711,
    });
  });

  it.each<[string, ClaimsPath[], JsonObject]>([
    ['whole', [['address'], ['a/b']], { address: claims.address, 'a/b': 'c' }],
    [
      'by what is inside',
      [
        ['address', 'country'],
        ['phone', 0],
      ],
      { address: { country: 'DE' } },
    ],
    [
      'in lists',
      [
        ['degrees', null, 'name'],
        ['lists', 1],
      ],
      { degrees: [{ name: 'B' }, { name: 'M' }], lists: [[null]] },
    ],
    ['where a value is no object', [['sub', 'x'], ['degrees', 'name'], ['toString']], { degrees: [] }],
  ])('are kept as far as a presentation was asked for them: %s', (_how, paths, kept) => {
    const shown = { ...claims, degrees: [{ name: 'B', grade: 1 }, { name: 'M' }, 'x'], lists: [[null]] };
    const format = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } } as const;
    const asked = paths.map((path) => ({ path }));
    expect(claimsAsked({ credentials: [{ ...format, claims: asked }] }, shown)).toEqual(kept);
  });

  it('of an ID token and UserInfo are merged in depth, and of one thing the first is believed', () => {
    const first: JsonObject = { sub: '1', address: { country: 'DE', geo: { lat: 1 } }, roles: ['a'], name: 'x' };
    const second: JsonObject = { sub: '2', address: { country: 'FR', city: 'Köln', geo: { lon: 2 } }, roles: ['b'] };
    expect(mergedClaims(first, { ...second, name: { given: 'y' }, extra: null })).toEqual({
      sub: '1',
      address: { country: 'DE', city: 'Köln', geo: { lat: 1, lon: 2 } },
      roles: ['a'],
      name: 'x',
      extra: null,
    });
    const hostile = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":1}}') as JsonObject;
    const merged = mergedClaims({ constructor: { c: 1 } }, hostile);
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"a":1},"constructor":{"b":1,"c":1}}');
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) as JsonObject;
    expect(() => mergedClaims(deep, deep)).not.toThrow();
  });

  it.each([
    ['sub', 'u-1', 'expected'],
    ['sub', 'U-1', 'unexpected'],
    ['sub', 'u-1 ', 'unexpected'],
    ['student_number', '4711', 'expected'],
    ['student_number', '04711', 'unexpected'],
    ['/address/country', 'DE', 'expected'],
    ['/a~1b', 'c', 'expected'],
    ['address', '[object Object]', 'unexpected'],
    ['is_student', 'true', 'unexpected'],
    ['toString', 'function', 'unproven'],
    ['/address/constructor', '', 'unproven'],
    ['missing', 'undefined', 'unproven'],
  ])('tell by %s = %j whether they are of the expected subject: %s', (claim, value, match) => {
    expect(matchOf({ claim, value }, claims)).toBe(match);
  });
});
