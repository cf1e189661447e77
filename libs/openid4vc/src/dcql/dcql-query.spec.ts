import { DcqlQuery as DcqlOracle } from 'dcql';
import fc from 'fast-check';
import { parseDcqlQuery } from './dcql-query';
import { DcqlQueryError, type DcqlViolation } from './dcql-reader';
import recorded from '../recorded/dcql-queries.json';

type Json = Record<string, unknown>;

const claim = { id: 'a', path: ['name'], values: ['Ann', 1, true] };
const sdJwt = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['https://example.com/pid'] }, claims: [claim] };
const jwtVc = { id: 'degree', format: 'jwt_vc_json', meta: { type_values: [['Degree']] } };
const valid = { credentials: [sdJwt, jwtVc], credential_sets: [{ options: [['pid'], ['degree', 'pid']] }] };

const violations = (query: unknown): readonly DcqlViolation[] => {
  try {
    parseDcqlQuery(query);
  } catch (error) {
    if (error instanceof DcqlQueryError) return error.violations;
    throw error;
  }
  return [];
};
const withCredential = (change: Json) => ({ credentials: [{ ...sdJwt, ...change }] });
const withClaims = (claims: unknown, change: Json = {}) => withCredential({ claims, ...change });
const many = <T>(count: number, item: (index: number) => T) => Array.from({ length: count }, (_, index) => item(index));

describe('the recorded queries', () => {
  const readable = recorded.queries.filter(({ query }) => !JSON.stringify(query).includes('"namespace"'));

  it.each(readable)('$source is understood', ({ query }) => {
    const expected = JSON.parse(JSON.stringify(query).replaceAll('vc+sd-jwt', 'dc+sd-jwt')) as Json;
    expect(parseDcqlQuery(query)).toEqual(withoutPurpose(expected));
  });

  it.each(recorded.queries.filter((entry) => !readable.includes(entry)))(
    '$source asks for elements in the words of drafts 22 and 23, which are refused by name',
    ({ query }) => {
      const refused = violations(query).filter(({ pointer }) => pointer.endsWith('/path'));
      expect(refused.length).toBeGreaterThan(0);
      const names = violations(query).map(({ pointer }) => pointer.split('/').at(-1) ?? '');
      expect([...new Set(names)].sort()).toEqual(['claim_name', 'namespace', 'path']);
    },
  );

  // Drafts before 1.0 let a set of credentials say its purpose.
  function withoutPurpose({ credential_sets, ...rest }: Json): Json {
    if (credential_sets === undefined) return rest;
    const sets = (credential_sets as Json[]).map(({ purpose: _purpose, ...set }) => set);
    return { ...rest, credential_sets: sets };
  }
});

describe('a query for an mdoc', () => {
  const path = ['org.iso.18013.5.1', 'given_name'];
  const mdoc = {
    id: 'licence',
    format: 'mso_mdoc',
    meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
    claims: [
      { path, intent_to_retain: false, values: ['Ada'] },
      { path: [path[0], 'sex'], intent_to_retain: true },
    ],
  };
  const of = (change: Json) => ({ credentials: [{ ...mdoc, ...change }] });

  it('stays what it is, with what is said of retaining', () => {
    const bound = of({ require_cryptographic_holder_binding: true });
    expect(parseDcqlQuery(bound)).toEqual(bound);
  });

  it.each<[string, unknown, string]>([
    ['no meta', of({ meta: undefined }), '/meta'],
    ['no doctype', of({ meta: {} }), '/meta/doctype_value'],
    ['an empty doctype', of({ meta: { doctype_value: '' } }), '/meta/doctype_value'],
    ['a path of one name', of({ claims: [{ path: ['given_name'] }] }), '/claims/0/path'],
    ['a path of three names', of({ claims: [{ path: [...path, 'x'] }] }), '/claims/0/path'],
    ['a number in a path', of({ claims: [{ path: [path[0], 0] }] }), '/claims/0/path'],
    ['null in a path', of({ claims: [{ path: [path[0], null] }] }), '/claims/0/path'],
    ['a text in intent_to_retain', of({ claims: [{ path, intent_to_retain: 'no' }] }), '/claims/0/intent_to_retain'],
    [
      'no binding to a holder',
      of({ require_cryptographic_holder_binding: false }),
      '/require_cryptographic_holder_binding',
    ],
    [
      'intent_to_retain of another format',
      withClaims([{ path: ['name'], intent_to_retain: true }]),
      '/claims/0/intent_to_retain',
    ],
  ])('is refused with %s', (_, query, pointer) => {
    expect(violations(query).map((one) => one.pointer)).toEqual([`/credentials/0${pointer}`]);
  });
});

describe('a DCQL query', () => {
  it('stays what it is when it is read again', () => {
    expect(parseDcqlQuery(valid)).toEqual(valid);
    expect(parseDcqlQuery(parseDcqlQuery(valid))).toEqual(valid);
  });

  it.each<[string, unknown, string, string]>([
    ['value', withClaims([{ path: ['type'], value: ['PhD'] }]), '/credentials/0/claims/0/value', 'values'],
    ['claim', withCredential({ claims: undefined, claim: [claim] }), '/credentials/0/claim', 'claims'],
    ['credentialSets', { ...valid, credentialSets: [] }, '/credentialSets', 'credential_sets'],
    [
      'trustedAuthorities',
      withCredential({ trustedAuthorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }] }),
      '/credentials/0/trustedAuthorities',
      'trusted_authorities',
    ],
    [
      'require_holder_binding',
      withCredential({ require_holder_binding: false }),
      '/credentials/0/require_holder_binding',
      'require_cryptographic_holder_binding',
    ],
    [
      'vct_value',
      withCredential({ meta: { ...sdJwt.meta, vct_value: ['x'] } }),
      '/credentials/0/meta/vct_value',
      'vct_values',
    ],
    [
      'requird',
      { ...valid, credential_sets: [{ options: [['pid']], requird: false }] },
      '/credential_sets/0/requird',
      'required',
    ],
  ])('is refused with the member %s, and hears which one was meant', (_name, query, pointer, meant) => {
    expect(violations(query)).toEqual([{ pointer, message: `Unknown member. Did you mean ${meant}?` }]);
  });

  it('is refused with an extension that means nothing here', () => {
    const retained = withClaims([{ ...claim, intent_to_retain: true }]);
    expect(violations(retained)).toEqual([
      { pointer: '/credentials/0/claims/0/intent_to_retain', message: 'Unknown member. Known: path, id, values.' },
    ]);
  });

  it('hears which id was meant', () => {
    const sets = withClaims([{ ...claim, id: 'given_name' }], { claim_sets: [['givn_name']] });
    const options = { ...valid, credential_sets: [{ options: [['pidd']] }] };
    expect([sets, options].flatMap((query) => violations(query).map(({ message }) => message))).toEqual([
      "'givn_name' is the id of nothing in this query. Did you mean given_name?",
      "'pidd' is the id of nothing in this query. Did you mean pid?",
    ]);
  });

  it('keeps every optional member', () => {
    const full = {
      credentials: [
        {
          ...sdJwt,
          multiple: true,
          require_cryptographic_holder_binding: false,
          trusted_authorities: [
            { type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] },
            { type: 'etsi_tl', values: ['https://lotl.example.com'] },
          ],
          claims: [claim, { id: 'b', path: ['list', null, 0, ''] }],
          claim_sets: [['a', 'b'], ['a']],
        },
      ],
      credential_sets: [{ options: [['pid']], required: false }],
    };
    expect(parseDcqlQuery(full)).toEqual(full);
  });

  it.each<[string, unknown, string[]]>([
    ['is no object', [], ['']],
    ['is null', null, ['']],
    ['is a string', '{}', ['']],
    ['has no credentials', {}, ['/credentials']],
    ['has an object as credentials', { credentials: {} }, ['/credentials']],
    ['has a string as credential', { credentials: ['pid'] }, ['/credentials/0']],
    ['has empty credentials', { credentials: [] }, ['/credentials']],
    ['has no id', withCredential({ id: undefined }), ['/credentials/0/id']],
    ['has an empty id', withCredential({ id: '' }), ['/credentials/0/id']],
    ['has an id with a space', withCredential({ id: 'a b' }), ['/credentials/0/id']],
    ['has an id that is no safe key', withCredential({ id: '__proto__' }), ['/credentials/0/id']],
    ['has an id twice', { credentials: [sdJwt, { ...jwtVc, id: 'pid' }] }, ['/credentials/1/id']],
    ['has no format', withCredential({ format: undefined }), ['/credentials/0/format']],
    ['has an unknown format', withCredential({ format: 'ldp_vc' }), ['/credentials/0/format']],
    ['has no meta', withCredential({ meta: undefined }), ['/credentials/0/meta']],
    ['has null for meta', withCredential({ meta: null }), ['/credentials/0/meta']],
    ['has no vct_values', withCredential({ meta: {} }), ['/credentials/0/meta/vct_values']],
    ['has empty vct_values', withCredential({ meta: { vct_values: [] } }), ['/credentials/0/meta/vct_values']],
    [
      'has a vct that is no string',
      withCredential({ meta: { vct_values: [1] } }),
      ['/credentials/0/meta/vct_values/0'],
    ],
    [
      'has empty type_values',
      { credentials: [{ ...jwtVc, meta: { type_values: [] } }] },
      ['/credentials/0/meta/type_values'],
    ],
    ['has no type_values', { credentials: [{ ...jwtVc, meta: {} }] }, ['/credentials/0/meta/type_values']],
    [
      'has flat type_values',
      { credentials: [{ ...jwtVc, meta: { type_values: ['Degree'] } }] },
      ['/credentials/0/meta/type_values/0'],
    ],
    ['says multiple with a word', withCredential({ multiple: 'yes' }), ['/credentials/0/multiple']],
    [
      'says holder binding with a number',
      withCredential({ require_cryptographic_holder_binding: 0 }),
      ['/credentials/0/require_cryptographic_holder_binding'],
    ],
    [
      'trusts an unknown kind of authority',
      withCredential({ trusted_authorities: [{ type: 'mine', values: ['x'] }] }),
      ['/credentials/0/trusted_authorities/0/type'],
    ],
    [
      'trusts a list that is no URL',
      withCredential({ trusted_authorities: [{ type: 'etsi_tl', values: ['list'] }] }),
      ['/credentials/0/trusted_authorities/0/values/0'],
    ],
    ['has empty claims', withClaims([]), ['/credentials/0/claims']],
    ['has a claim without path', withClaims([{ id: 'a' }]), ['/credentials/0/claims/0/path']],
    ['has a claim with an empty path', withClaims([{ path: [] }]), ['/credentials/0/claims/0/path']],
    ['has a negative index', withClaims([{ path: ['a', -1] }]), ['/credentials/0/claims/0/path/1']],
    ['has a fraction in a path', withClaims([{ path: ['a', 0.5] }]), ['/credentials/0/claims/0/path/1']],
    ['has a boolean in a path', withClaims([{ path: [true] }]), ['/credentials/0/claims/0/path/0']],
    [
      'addresses a claim twice',
      withClaims([{ path: ['a', null] }, { path: ['a', 0] }, { path: ['a', null] }]),
      ['/credentials/0/claims/2/path'],
    ],
    ['has a claim id twice', withClaims([claim, { id: 'a', path: ['b'] }]), ['/credentials/0/claims/1/id']],
    ['has empty values', withClaims([{ path: ['a'], values: [] }]), ['/credentials/0/claims/0/values']],
    ['has a fraction as value', withClaims([{ path: ['a'], values: [1.5] }]), ['/credentials/0/claims/0/values/0']],
    ['has an object as value', withClaims([{ path: ['a'], values: [{}] }]), ['/credentials/0/claims/0/values/0']],
    ['has null as value', withClaims([{ path: ['a'], values: [null] }]), ['/credentials/0/claims/0/values/0']],
    ['has claim_sets without claims', withClaims(undefined, { claim_sets: [['a']] }), ['/credentials/0/claim_sets']],
    ['has empty claim_sets', withClaims([claim], { claim_sets: [] }), ['/credentials/0/claim_sets']],
    ['has an empty claim set', withClaims([claim], { claim_sets: [[]] }), ['/credentials/0/claim_sets/0']],
    ['has a dangling claim set', withClaims([claim], { claim_sets: [['b']] }), ['/credentials/0/claim_sets/0/0']],
    [
      'has claim_sets over a claim without id',
      withClaims([claim, { path: ['b'] }], { claim_sets: [['a']] }),
      ['/credentials/0/claims/1/id'],
    ],
    ['has empty credential_sets', { ...valid, credential_sets: [] }, ['/credential_sets']],
    ['has a set without options', { ...valid, credential_sets: [{}] }, ['/credential_sets/0/options']],
    ['has an empty option', { ...valid, credential_sets: [{ options: [[]] }] }, ['/credential_sets/0/options/0']],
    [
      'has a dangling option',
      { ...valid, credential_sets: [{ options: [['pid', 'x']] }] },
      ['/credential_sets/0/options/0/1'],
    ],
    [
      'says required with a word',
      { ...valid, credential_sets: [{ options: [['pid']], required: 'no' }] },
      ['/credential_sets/0/required'],
    ],
  ])('is refused when it %s', (_fault, query, pointers) => {
    expect(violations(query).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it.each<[string, unknown, string]>([
    ['21 credentials', { credentials: many(21, (n) => ({ ...sdJwt, id: `c${n}` })) }, '/credentials'],
    ['51 claims', withClaims(many(51, (n) => ({ path: [`c${n}`] }))), '/credentials/0/claims'],
    ['21 claim sets', withClaims([claim], { claim_sets: many(21, () => ['a']) }), '/credentials/0/claim_sets'],
    ['11 sets', { ...valid, credential_sets: many(11, () => ({ options: [['pid']] })) }, '/credential_sets'],
    ['a path of 17 steps', withClaims([{ path: many(17, String) }]), '/credentials/0/claims/0/path'],
    ['101 values', withClaims([{ path: ['a'], values: many(101, (n) => n) }]), '/credentials/0/claims/0/values'],
    ['a name of 2,049 characters', withClaims([{ path: ['a'.repeat(2_049)] }]), '/credentials/0/claims/0/path/0'],
    ['a million claims', withClaims(Array(1_000_000).fill(claim)), '/credentials/0/claims'],
  ])('is refused when it has %s', (_fault, query, pointer) => {
    expect(violations(query).map((violation) => violation.pointer)).toEqual([pointer]);
  });

  it('may use every limit to the full', () => {
    const credentials = many(20, (n) => ({
      ...sdJwt,
      id: `c${n}`,
      claims: many(50, (index) => ({ id: `a${index}`, path: many(16, (step) => `${index}-${step}`) })),
      claim_sets: many(20, () => many(50, (index) => `a${index}`)),
    }));
    const query = { credentials, credential_sets: many(10, () => ({ options: many(20, () => ['c0']) })) };
    const before = process.cpuUsage();
    expect(violations(query)).toEqual([]);
    // Of the processor, so that what else runs on the machine does not matter.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(500);
  });

  it('hears of all its faults at once, and of those that follow from others not at all', () => {
    const query = {
      credentials: [
        { ...sdJwt, meta: {} },
        { ...jwtVc, claims: [{ id: 'x', path: [] }], claim_sets: [['x']] },
      ],
      credential_sets: [{ options: [['pid', 'degree']] }, { options: [['nobody']] }],
    };
    expect(violations(query)).toEqual([
      { pointer: '/credentials/0/meta/vct_values', message: 'is required and must be an array' },
      { pointer: '/credentials/1/claims/0/path', message: 'must not be empty; leave it out instead' },
      { pointer: '/credential_sets/1/options/0/0', message: "'nobody' is the id of nothing in this query" },
    ]);
    expect(violations({ credentials: many(20, () => ({ ...sdJwt, claims: many(50, () => 0) })) })).toHaveLength(100);
  });
});

describe('whatever is sent as a query', () => {
  const keys = ['credentials', 'id', 'format', 'meta', 'vct_values', 'type_values', 'claims', 'claim_sets', 'path'];
  const others = ['values', 'multiple', 'trusted_authorities', 'credential_sets', 'options', 'required', '__proto__'];
  const anything = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom<unknown>('pid', 'a', 'dc+sd-jwt', 'jwt_vc_json', '', null, true, 0, -1, 1.5, 'aki'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys, ...others), tie('json'), { maxKeys: 6 }),
    ),
  })).json;

  it('is read or refused, never more', () => {
    fc.assert(
      fc.property(fc.oneof(anything, fc.anything()), (value) => {
        expect(Array.isArray(violations(value))).toBe(true);
        expect(({} as Json)['id']).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it('is accepted by the library dcql when it is accepted here', () => {
    const spoiled = fc.tuple(fc.integer({ min: 0, max: 40 }), anything).map(([place, value]) => {
      let at = 0;
      const text = JSON.stringify(full, (_key, present: unknown) => (at++ === place ? value : present));
      return JSON.parse(text) as unknown;
    });
    let accepted = 0;
    fc.assert(
      fc.property(spoiled, (query) => {
        if (violations(query).length > 0) return;
        accepted++;
        const oracle = DcqlOracle.parse(query as Parameters<typeof DcqlOracle.parse>[0]);
        expect(() => {
          DcqlOracle.validate(oracle);
        }).not.toThrow();
        expect(() => DcqlOracle.parse(structuredClone(parseDcqlQuery(query)) as never)).not.toThrow();
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  it('is refused with one member misspelt, wherever it is', () => {
    const places = membersOf(full);
    const misspelt = fc
      .tuple(fc.constantFrom(...places), fc.nat(), fc.constantFrom('x', '_', 'X', ''), fc.boolean())
      .map(([{ pointer, name }, at, letter, isReplaced]) => {
        const place = at % name.length;
        return { pointer, name: name.slice(0, place) + letter + name.slice(place + (isReplaced ? 1 : 0)) };
      })
      .filter(({ pointer, name }) => !pointer.endsWith(`/${name}`));
    expect(places.length).toBeGreaterThan(20);
    fc.assert(
      // Also beside the member that was meant.
      fc.property(misspelt, fc.boolean(), ({ pointer, name }, isAdded) => {
        const query = structuredClone(full) as Json;
        const place = pointer.split('/').slice(1, -1);
        const object = place.reduce<Json>((inside, step) => inside[step] as Json, query);
        const meant = pointer.split('/').at(-1) ?? '';
        object[name] = object[meant];
        if (!isAdded) Reflect.deleteProperty(object, meant);
        expect(violations(query).map((violation) => violation.pointer)).toContain(
          [...pointer.split('/').slice(0, -1), name].join('/'),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  /** The members of all objects inside, with their pointers. */
  function membersOf(value: unknown, pointer = ''): { pointer: string; name: string }[] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inside]) => {
      const place = `${pointer}/${name}`;
      return [...(Array.isArray(value) ? [] : [{ pointer: place, name }]), ...membersOf(inside, place)];
    });
  }

  const full = {
    credentials: [
      {
        ...sdJwt,
        multiple: false,
        trusted_authorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }],
        claims: [claim, { id: 'b', path: ['list', null, 0] }],
        claim_sets: [['a', 'b'], ['a']],
      },
      { ...jwtVc, require_cryptographic_holder_binding: true },
    ],
    credential_sets: [{ options: [['pid'], ['degree']], required: false }],
  };
});
