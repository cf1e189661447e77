import { parseTrustList, trustPolicy } from './trusted-issuers';

const own = 'https://service.example/openid4vci';
const list = parseTrustList([
  'did:web:university.example Degree  Diploma ',
  'did:web:university.example Transcript',
  'https://state.example https://state.example/vct/id',
  'did:web:everything.example',
]);
const isTrusted = trustPolicy(list, (issuer) => issuer === own, false);
const degree = ['VerifiableCredential', 'Degree'];

describe('the trust list', () => {
  it('reads an issuer and the types behind it', () => {
    expect(parseTrustList(['  did:web:a.example   A\tB ', 'https://b.example'])).toEqual([
      { issuer: 'did:web:a.example', types: ['A', 'B'] },
      { issuer: 'https://b.example', types: [] },
    ]);
  });

  it.each<[string, string, readonly string[], string]>([
    ['an issuer for the type it is listed with', 'did:web:university.example', degree, 'trusted'],
    ['the types of two entries together', 'did:web:university.example', [...degree, 'Transcript'], 'trusted'],
    ['a vct', 'https://state.example', ['https://state.example/vct/id'], 'trusted'],
    ['an issuer for all types', 'did:web:everything.example', ['Anything'], 'trusted'],
    ['this service itself', own, ['Anything'], 'trusted'],
    ['an unlisted issuer', 'did:web:unlisted.example', degree, 'untrusted'],
    [
      'a listed issuer for another type',
      'did:web:university.example',
      ['VerifiableCredential', 'Passport'],
      'untrusted',
    ],
    ['another type next to the listed one', 'did:web:university.example', [...degree, 'Passport'], 'untrusted'],
    ['the base type alone', 'did:web:university.example', ['VerifiableCredential'], 'untrusted'],
    ['no type', 'did:web:university.example', [], 'untrusted'],
    ['another vct', 'https://state.example', ['https://state.example/vct/other'], 'untrusted'],
    ['an issuer with a slash more', 'https://state.example/', ['https://state.example/vct/id'], 'untrusted'],
    ['an issuer in capitals', 'DID:WEB:UNIVERSITY.EXAMPLE', degree, 'untrusted'],
    ['a name of every object', 'constructor', degree, 'untrusted'],
  ])('judges %s', (_, issuer, types, verdict) => {
    expect(isTrusted(issuer, types)).toBe(verdict);
  });

  it('may trust for the base type', () => {
    const generous = trustPolicy(parseTrustList(['did:web:a.example VerifiableCredential']), () => false, false);
    expect(generous('did:web:a.example', ['VerifiableCredential'])).toBe('trusted');
    expect(generous('did:web:a.example', degree)).toBe('untrusted');
  });
});

describe('in development', () => {
  const lenient = trustPolicy(list, (issuer) => issuer === own, true);

  it('everybody else is accepted, and the result says so', () => {
    expect(lenient('did:web:unlisted.example', degree)).toBe('accepted-in-development');
    expect(lenient('did:web:university.example', [...degree, 'Passport'])).toBe('accepted-in-development');
    expect(lenient('did:web:university.example', degree)).toBe('trusted');
  });
});
