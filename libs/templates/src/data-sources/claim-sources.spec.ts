import { claimsFrom, faultsOfSources } from './claim-sources';

describe('sources of claims', () => {
  it('give each claim its place, also inside of others, and leave out what is not known', () => {
    const sources = {
      '/given_name': 'login:/given_name',
      '/address/city': 'login:/address/locality',
      '/address/country': 'login:/address/country',
      '/first_group': 'login:/groups/0',
      '/email': 'login:/email',
      '/a~1b': 'login:/odd~0name',
    };
    const known = {
      given_name: 'Erika',
      address: { locality: 'Köln', country: 'DE', street: 'not mapped' },
      groups: ['staff', 'students'],
      'odd~name': 1,
      sub: 'not mapped',
    };
    expect(claimsFrom(sources, 'login', known)).toEqual({
      given_name: 'Erika',
      address: { city: 'Köln', country: 'DE' },
      first_group: 'staff',
      'a/b': 1,
    });
  });

  it('give nothing of a person who was identified in another way', () => {
    expect(claimsFrom({ '/given_name': 'presentation:/given_name' }, 'login', { given_name: 'Erika' })).toEqual({});
  });

  it('read no member that every object has', () => {
    expect(claimsFrom({ '/name': 'login:/constructor/name', '/to': 'login:/toString' }, 'login', {})).toEqual({});
  });

  it.each([
    ['a list', ['/given_name'], '/claims'],
    ['nothing', {}, '/claims'],
    ['a claim without a slash', { given_name: 'login:/given_name' }, '/claims/given_name'],
    ['a member that objects are made with', { '/__proto__/x': 'login:/x' }, '/claims/~1__proto__~1x'],
    ['a source of another name', { '/given_name': 'token:/given_name' }, '/claims/~1given_name'],
    ['a source without a place', { '/given_name': 'login:given_name' }, '/claims/~1given_name'],
    ['a value in the place of a source', { '/given_name': 1 }, '/claims/~1given_name'],
    ['a claim inside of another one', { '/a': 'login:/a', '/a/b': 'login:/b' }, '/claims/~1a~1b'],
    ['a login beside a presentation', { '/a': 'login:/a', '/b': 'presentation:/b' }, '/claims'],
  ])('are not %s', (_what, claims, pointer) => {
    expect(faultsOfSources(claims).map((fault) => fault.pointer)).toEqual([pointer]);
  });

  it('can be those of a hundred claims', () => {
    const claims = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`/c${index}`, 'login:/c']));
    expect(faultsOfSources(claims(100))).toEqual([]);
    expect(faultsOfSources(claims(101))).toHaveLength(1);
  });
});
