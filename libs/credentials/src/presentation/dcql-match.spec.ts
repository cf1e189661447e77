import type { JsonObject, JsonValue } from '@app/primitives/json';
import { DcqlPresentationResult, DcqlQuery } from 'dcql';
import fc from 'fast-check';
import type { ClaimsPath, DcqlCredentialQuery, DcqlJwtVcQuery, DcqlSdJwtQuery } from '@app/openid4vc';
import {
  matchCredential,
  type MatchableCredential,
  type MatchFault,
  satisfiesCredentialSets,
  selectClaims,
} from './dcql-match';

const credential: MatchableCredential = {
  format: 'dc+sd-jwt',
  types: ['urn:diploma'],
  claims: {
    name: 'Ada',
    age: 36,
    honours: true,
    address: { city: 'London', lines: ['a', 'b'] },
    degrees: [{ type: 'BSc', year: 1 }, { type: 'MSc' }],
    empty: [],
    nothing: null,
  },
};
const query: DcqlSdJwtQuery = {
  id: 'a',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:other', 'urn:diploma'] },
};

const vc: MatchableCredential = {
  format: 'jwt_vc_json',
  types: ['VerifiableCredential', 'Diploma'],
  claims: { credentialSubject: { given_name: 'Ada' } },
};
const vcQuery: DcqlJwtVcQuery = { id: 'b', format: 'jwt_vc_json', meta: { type_values: [['Diploma']] } };

describe('a claims path', () => {
  it.each<[ClaimsPath, JsonValue[]]>([
    [['name'], ['Ada']],
    [['address', 'city'], ['London']],
    [['address', 'lines', 1], ['b']],
    [
      ['address', 'lines', null],
      ['a', 'b'],
    ],
    [['degrees', null, 'year'], [1]],
    [['degrees', 1, 'type'], ['MSc']],
    [['nothing'], [null]],
    [
      ['degrees', null],
      [{ type: 'BSc', year: 1 }, { type: 'MSc' }],
    ],
    [['missing'], []],
    [['address', 'lines', 2], []],
    [['address', 'lines', -1], []],
    [['address', 'lines', 0.5], []],
    [['address', 'lines', '1'], []],
    [['address', 'lines', 'length'], []],
    [['address', 0], []],
    [['address', null], []],
    [['name', 0], []],
    [['name', null], []],
    [['name', 'length'], []],
    [['empty', null], []],
    [['nothing', 'x'], []],
    [['__proto__'], []],
    [['constructor'], []],
    [['constructor', 'prototype'], []],
    [['degrees', null, 'missing'], []],
    [[null], []],
    [[0], []],
  ])('%j selects %j', (path, selected) => {
    expect(selectClaims(path, credential.claims)).toEqual(selected);
  });

  it('stops at the end of the claims, however long it is', () => {
    expect(selectClaims(Array<null>(1_000_000).fill(null), credential.claims)).toEqual([]);
    expect(selectClaims(['degrees', ...Array<null>(1_000_000).fill(null)], credential.claims)).toEqual([]);
    expect(selectClaims(['address', 'lines', 1e300], credential.claims)).toEqual([]);
  });
});

describe('a credential query', () => {
  it.each<[string, Partial<DcqlSdJwtQuery>]>([
    ['nothing more', {}],
    ['claims that are there', { claims: [{ path: ['name'] }, { path: ['address', 'city'] }] }],
    ['a value', { claims: [{ path: ['name'], values: ['Eve', 'Ada'] }] }],
    ['a number', { claims: [{ path: ['age'], values: [36] }] }],
    ['a truth', { claims: [{ path: ['honours'], values: [true] }] }],
    ['a value of some element', { claims: [{ path: ['degrees', null, 'type'], values: ['MSc'] }] }],
    [
      'a claim set of several',
      {
        claims: [
          { id: 'x', path: ['x'] },
          { id: 'n', path: ['name'] },
        ],
        claim_sets: [['x', 'n'], ['n']],
      },
    ],
  ])('is answered when it asks for %s', (_, changes) => {
    expect(matchCredential({ ...query, ...changes }, credential)).toBeUndefined();
  });

  it.each<[string, Partial<DcqlSdJwtQuery>, MatchFault]>([
    ['another vct', { meta: { vct_values: ['urn:diploma:2'] } }, 'type'],
    ['a claim that is missing', { claims: [{ path: ['name'] }, { path: ['email'] }] }, 'claims'],
    ['a number instead of text', { claims: [{ path: ['age'], values: ['36'] }] }, 'claims'],
    ['text instead of a truth', { claims: [{ path: ['honours'], values: ['true', 1] }] }, 'claims'],
    ['another value', { claims: [{ path: ['name'], values: ['ada'] }] }, 'claims'],
    ['a value of an object', { claims: [{ path: ['address'], values: ['[object Object]'] }] }, 'claims'],
    [
      'no claim set complete',
      {
        claims: [
          { id: 'x', path: ['x'] },
          { id: 'n', path: ['name'] },
          { id: 'y', path: ['y'] },
        ],
        claim_sets: [
          ['x', 'n'],
          ['n', 'y'],
        ],
      },
      'claims',
    ],
    ['a member of an array', { claims: [{ path: ['degrees', 'type'] }] }, 'claims'],
  ])('is not answered when it asks for %s', (_, changes, fault) => {
    expect(matchCredential({ ...query, ...changes }, credential)).toBe(fault);
  });

  it('is not answered by a credential of another format', () => {
    expect(matchCredential(vcQuery, credential)).toBe('format');
    expect(matchCredential(query, vc)).toBe('format');
  });

  it.each<[readonly (readonly string[])[], MatchFault | undefined]>([
    [[['VerifiableCredential', 'Diploma']], undefined],
    [[['https://www.w3.org/2018/credentials#VerifiableCredential']], undefined],
    [[['Licence'], ['Diploma', 'VerifiableCredential']], undefined],
    [[['Diploma', 'Licence']], 'type'],
    [[['https://issuer.example#Diploma']], 'type'],
    [[['https://www.w3.org/2018/credentials#Diploma']], 'type'],
  ])('for types %j of a jwt_vc_json finds %s', (types, fault) => {
    expect(matchCredential({ ...vcQuery, meta: { type_values: types } }, vc)).toBe(fault);
  });

  it('reads the claims of a jwt_vc_json from its vc object', () => {
    const asking = (path: ClaimsPath): DcqlCredentialQuery => ({ ...vcQuery, claims: [{ path }] });
    expect(matchCredential(asking(['credentialSubject', 'given_name']), vc)).toBeUndefined();
    expect(matchCredential(asking(['vc', 'credentialSubject', 'given_name']), vc)).toBe('claims');
  });
});

describe('the credentials of a whole query', () => {
  const credentials = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
  const sets = [{ options: [['a'], ['b', 'c']] }, { options: [['c']], required: false }];

  it.each<[string, string[], boolean]>([
    ['a', ['a'], true],
    ['a, with c that is optional', ['a', 'c'], true],
    ['b and c', ['b', 'c'], true],
    ['b alone', ['b'], false],
    ['c alone', ['c'], false],
    ['nothing', [], false],
    ['one that was not requested', ['a', 'x'], false],
  ])('with sets, given %s', (_, verified, satisfied) => {
    expect(satisfiesCredentialSets({ credentials, credential_sets: sets }, verified)).toBe(satisfied);
  });

  it('without sets must all be there', () => {
    expect(satisfiesCredentialSets({ credentials }, ['a', 'b', 'c'])).toBe(true);
    expect(satisfiesCredentialSets({ credentials }, ['a', 'b'])).toBe(false);
  });

  it('may all be optional', () => {
    const optional = [{ options: [['a']], required: false }];
    expect(satisfiesCredentialSets({ credentials, credential_sets: optional }, [])).toBe(true);
  });
});

describe('the public DCQL library', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  // null is left out: the library takes a claim that is null for missing.
  const scalar = fc.oneof(fc.constantFrom('x', 'y', '1'), fc.integer({ min: 0, max: 2 }), fc.boolean());
  const claim = fc.letrec<{ any: JsonValue }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('any'), { minLength: 1, maxLength: 3 }),
      fc.dictionary(name, tie('any'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    ),
  })).any;
  const claims = fc.dictionary(name, claim, { minKeys: 2, maxKeys: 3, noNullPrototype: true });
  // Numbers are left out too: of a presentation the library lets any element stand for every index.
  const path = fc.array(fc.oneof({ weight: 3, arbitrary: name }, { weight: 1, arbitrary: fc.constant(null) }), {
    minLength: 1,
    maxLength: 3,
  });
  const values = fc.option(fc.array(scalar, { minLength: 1, maxLength: 5 }), { nil: undefined, freq: 1 });
  const claimQueries = fc.array(fc.record({ path, values }), { minLength: 1, maxLength: 2 });
  const vcts = fc.constantFrom(['urn:diploma'], ['urn:other'], ['urn:other', 'urn:diploma']);

  it('matches the same credentials', () => {
    let matched = 0;
    fc.assert(
      fc.property(
        claims,
        claimQueries,
        vcts,
        fc.array(fc.subarray([0, 1], { minLength: 1 })),
        (object, asked, vct, sets) => {
          const ids = asked.map((_, index) => `q${index}`);
          const claimSets = sets
            .map((set) => set.flatMap((index) => ids[index] ?? []))
            .filter(({ length }) => length > 0);
          const ours: DcqlSdJwtQuery = {
            id: 'one',
            format: 'dc+sd-jwt',
            meta: { vct_values: vct },
            claims: asked.map(({ path: steps, values: wanted }, index) => ({
              id: `q${index}`,
              path: steps,
              ...(wanted && { values: wanted }),
            })),
            ...(claimSets.length > 0 && { claim_sets: claimSets }),
          };
          const mine = matchCredential(ours, { ...credential, claims: object }) === undefined;
          const theirs = matchesByLibrary(ours, object);
          // Where elements of an array have different types the specification ends with an error and the library goes
          // on with the others, so it may match more.
          if (mine) matched++;
          if (mine || isUniform(object)) expect(mine).toBe(theirs);
        },
      ),
      { numRuns: 2_000 },
    );
    expect(matched).toBeGreaterThan(100);
  });
});

function matchesByLibrary(query: DcqlSdJwtQuery, claims: JsonObject): boolean {
  const dcql = DcqlQuery.parse({ credentials: [query] } as unknown as DcqlQuery.Input);
  DcqlQuery.validate(dcql);
  const presentation = {
    credential_format: 'dc+sd-jwt',
    vct: 'urn:diploma',
    claims,
    cryptographic_holder_binding: true,
  };
  const result = DcqlPresentationResult.fromDcqlPresentation(
    { one: [presentation] } as unknown as Parameters<typeof DcqlPresentationResult.fromDcqlPresentation>[0],
    { dcqlQuery: dcql },
  );
  return result.can_be_satisfied;
}

/** Whether the elements of every array are of one kind. */
function isUniform(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const members = Object.values(value);
  const kinds = new Set(members.map((member) => (Array.isArray(member) ? 'array' : typeof member)));
  return (!Array.isArray(value) || kinds.size <= 1) && members.every(isUniform);
}
