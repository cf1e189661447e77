import { type ClaimDescription } from '../formats/configuration-members';
import { faultsOfConfiguration } from './credential-configuration';
import { type JwtVcJsonConfiguration } from '../formats/jwt-vc-json/issued';

const sound: JwtVcJsonConfiguration = {
  id: 'degree',
  scope: 'degree',
  format: 'jwt_vc_json',
  types: ['VerifiableCredential', 'Degree'],
  signingAlgorithm: 'ES256',
  display: [{ name: 'Degree', locale: 'en' }, { name: 'Abschluss', locale: 'de' }, { name: 'Degree' }],
  claims: [
    { path: ['name'], mandatory: true, display: [{ name: 'Name', locale: 'en' }] },
    { path: ['courses', null, 'title'] },
    { path: ['courses', null, 'grade'] },
    { path: ['address'] },
    { path: ['address', 'city'] },
  ],
};

describe('a credential configuration', () => {
  it('is sound with claims, arrays and several languages', () => {
    expect(faultsOfConfiguration(sound)).toEqual([]);
    const { types: _types, ...rest } = sound;
    expect(faultsOfConfiguration({ ...rest, format: 'dc+sd-jwt', vct: 'https://example.com/vct' })).toEqual([]);
  });

  it.each<[string, Partial<JwtVcJsonConfiguration>, RegExp]>([
    ['an empty id', { id: '' }, /id must not be empty/],
    ['types without VerifiableCredential', { types: ['Degree'] }, /VerifiableCredential/],
    ['a repeated type', { types: ['VerifiableCredential', 'A', 'A'] }, /repeats/],
    ['an empty display', { display: [] }, /display must not be empty/],
    [
      'two displays for one locale',
      {
        display: [
          { name: 'a', locale: 'en' },
          { name: 'b', locale: 'en' },
        ],
      },
      /locale/,
    ],
    ['empty claims', { claims: [] }, /claims must not be empty/],
  ])('is refused with %s', (_name, change, fault) => {
    expect(faultsOfConfiguration({ ...sound, ...change }).join()).toMatch(fault);
  });

  it('is refused as dc+sd-jwt with an empty vct', () => {
    const { types: _types, ...rest } = sound;
    expect(faultsOfConfiguration({ ...rest, format: 'dc+sd-jwt', vct: '' }).join()).toMatch(/vct is missing/);
  });

  it.each<[string, ClaimDescription[], RegExp]>([
    ['an empty path', [{ path: [] }], /must not be empty/],
    ['the same path twice', [{ path: ['a', null] }, { path: ['a', null] }], /appears twice/],
    ['an object that is an array elsewhere', [{ path: ['a', 'b'] }, { path: ['a', 0] }], /contradicts/],
    ['every element together with a single one', [{ path: ['a', null] }, { path: ['a', 1] }], /contradicts/],
    ['a negative index', [{ path: ['a', -1] }], /non-negative/],
    ['a broken index', [{ path: ['a', 0.5] }], /non-negative/],
    ['an empty claim display', [{ path: ['a'], display: [] }], /leave it out/],
    ['a claim display with a locale twice', [{ path: ['a'], display: [{ name: 'x' }, { name: 'y' }] }], /repeats/],
  ])('is refused when its claims hold %s', (_name, claims, fault) => {
    expect(faultsOfConfiguration({ ...sound, claims }).join()).toMatch(fault);
  });
});
