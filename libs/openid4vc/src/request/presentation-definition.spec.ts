import Ajv from 'ajv';
import { DcqlQuery as DcqlOracle } from 'dcql';
import fc from 'fast-check';
import { parseDcqlQuery } from '../dcql/dcql-query';
import {
  type DerivationOptions,
  derivePresentationDefinition,
  type InputDescriptor,
  type PresentationDefinition,
} from './presentation-definition';
import recordedQueries from '../recorded/dcql-queries.json';
import recorded from '../recorded/presentations.json';
import { type SubmissionRequirement } from './submission-requirements';

const algorithms = ['ES256', 'ES384'];
const derive = (query: unknown, variant: DerivationOptions['variant'] = 'draft-20') =>
  derivePresentationDefinition(parseDcqlQuery(query), 'definition-1', { variant, algorithms });
const derived = (query: unknown, variant?: DerivationOptions['variant']) => {
  const result = derive(query, variant);
  if ('unavailable' in result) throw new Error(result.unavailable);
  return result;
};
const recordedQuery = (file: string): unknown =>
  recordedQueries.queries.find(({ source }) => source === `OpenID4VP 1.0, examples/${file}.json`)?.query;

const sdJwt = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['https://example.com/pid'] } };
const jwtVc = { id: 'degree', format: 'jwt_vc_json', meta: { type_values: [['VerifiableCredential', 'Degree']] } };
const claims = ['a', 'b', 'c'].map((id) => ({ id, path: [id] }));

describe('a derived presentation definition', () => {
  it('says what the example of draft 21 says about an SD-JWT credential', () => {
    const example = recorded.definitions[0]?.definition;
    const query = {
      credentials: [
        {
          id: 'identity_credential',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['https://credentials.example.com/identity_credential'] },
          claims: [{ path: ['family_name'] }, { path: ['given_name'] }],
        },
      ],
    };
    const { definition, descriptorToQueryId } = derived(query);
    expect(definition).toEqual({ ...example, id: 'definition-1' });
    expect(descriptorToQueryId).toEqual({ identity_credential: 'identity_credential' });
  });

  it('asks for a W3C credential at the root of the JWT and of the credential', () => {
    const query = recordedQuery('request/dcql_jwt_vc');
    expect(derived(query).definition.input_descriptors).toEqual([
      {
        id: 'example_jwt_vc',
        format: { jwt_vc_json: { alg: algorithms }, jwt_vc: { alg: algorithms } },
        constraints: {
          fields: [
            { path: ['$.vc.type', '$.type'], filter: { type: 'array', contains: { const: 'IDCredential' } } },
            { path: ['$.vc.credentialSubject.family_name', '$.credentialSubject.family_name'] },
            { path: ['$.vc.credentialSubject.given_name', '$.credentialSubject.given_name'] },
          ],
        },
      },
    ]);
    // These wallets know the format by one name, and have no type for the other.
    expect(derived(query, 'draft-20-redirect').definition.input_descriptors[0]?.format).toEqual({
      jwt_vc_json: { alg: algorithms },
    });
  });

  it.each<[string, string[][], object]>([
    ['the base type alone', [['VerifiableCredential']], { contains: { const: 'VerifiableCredential' } }],
    [
      'the telling type',
      [['https://www.w3.org/2018/credentials#VerifiableCredential', 'A']],
      { contains: { const: 'A' } },
    ],
    ['several types together', [['A', 'B']], { allOf: [{ contains: { const: 'A' } }, { contains: { const: 'B' } }] }],
    ['single alternatives', [['A'], ['B'], ['A']], { contains: { enum: ['A', 'B'] } }],
    [
      'alternatives of several types',
      [['A', 'B'], ['C']],
      {
        anyOf: [{ allOf: [{ contains: { const: 'A' } }, { contains: { const: 'B' } }] }, { contains: { const: 'C' } }],
      },
    ],
  ])('filters by %s', (_what, type_values, filter) => {
    const { definition } = derived({ credentials: [{ ...jwtVc, meta: { type_values } }] });
    expect(definition.input_descriptors[0]?.constraints.fields).toEqual([
      { path: ['$.vc.type', '$.type'], filter: { type: 'array', ...filter } },
    ]);
  });

  it('filters by values, by several vct, and writes odd names in brackets', () => {
    const query = {
      credentials: [
        {
          ...sdJwt,
          meta: { vct_values: ['v1', 'v2'] },
          claims: [
            { path: ["it's", 'a\\b', 2, 'ok_1'], values: ['x', 'y'] },
            { path: ['n'], values: [1] },
          ],
        },
      ],
    };
    expect(derived(query).definition.input_descriptors[0]?.constraints).toEqual({
      limit_disclosure: 'required',
      fields: [
        { path: ['$.vct'], filter: { type: 'string', enum: ['v1', 'v2'] } },
        { path: ["$['it\\'s']['a\\\\b'][2].ok_1"], filter: { type: 'string', enum: ['x', 'y'] } },
        { path: ['$.n'], filter: { type: 'integer', enum: [1] } },
      ],
    });
  });

  it('says credential sets as submission requirements', () => {
    const { definition } = derived(recordedQuery('query_lang/credentials_alternatives'));
    expect(definition.submission_requirements).toEqual([
      {
        rule: 'pick',
        count: 1,
        from_nested: [
          { rule: 'all', from: 'set_0_0' },
          { rule: 'all', from: 'set_0_1' },
          { rule: 'all', from: 'set_0_2' },
        ],
      },
      { rule: 'pick', min: 0, max: 1, from: 'set_1' },
    ]);
    expect(definition.input_descriptors.map(({ id, group }) => [id, group])).toEqual([
      ['pid', ['set_0_0']],
      ['other_pid', ['set_0_1']],
      ['pid_reduced_cred_1', ['set_0_2']],
      ['pid_reduced_cred_2', ['set_0_2']],
      ['nice_to_have', ['set_1']],
    ]);
  });

  it('says alternatives of single credentials as one group, and does not ask for credentials outside all sets', () => {
    const query = {
      credentials: [sdJwt, jwtVc, { ...sdJwt, id: 'unused' }],
      credential_sets: [{ options: [['pid'], ['degree']] }],
    };
    const { definition, descriptorToQueryId } = derived(query);
    expect(definition.submission_requirements).toEqual([{ rule: 'pick', count: 1, from: 'set_0' }]);
    expect(descriptorToQueryId).toEqual({ pid: 'pid', degree: 'degree' });
  });

  it('turns each claim set into a descriptor of its own, whose id leads back', () => {
    const query = {
      credentials: [
        { ...sdJwt, claims, claim_sets: [['a', 'b'], ['c']] },
        { ...sdJwt, id: 'pid__0' },
      ],
    };
    const { definition, descriptorToQueryId } = derived(query);
    expect(descriptorToQueryId).toEqual({ pid__0_: 'pid', pid__1: 'pid', pid__0: 'pid__0' });
    expect(definition.submission_requirements).toEqual([
      { rule: 'all', from: 'credentials' },
      { rule: 'pick', count: 1, from: 'claims_of_pid' },
    ]);
    const [first, second] = definition.input_descriptors;
    expect(first?.constraints.fields.slice(1)).toEqual([{ path: ['$.a'] }, { path: ['$.b'] }]);
    expect(second?.constraints.fields.slice(1)).toEqual([{ path: ['$.c'] }]);
  });

  it('needs no submission requirements for a single claim set', () => {
    const { definition } = derived({ credentials: [{ ...sdJwt, claims, claim_sets: [['b']] }] });
    expect(definition).not.toHaveProperty('submission_requirements');
    expect(definition.input_descriptors.map(({ id }) => id)).toEqual(['pid']);
  });

  it('leaves to the check of the response what a definition cannot express', () => {
    const plain = { credentials: [sdJwt] };
    const more = {
      multiple: true,
      require_cryptographic_holder_binding: false,
      trusted_authorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }],
    };
    expect(derive({ credentials: [{ ...sdJwt, ...more }] })).toEqual(derive(plain));
  });

  it.each<[string, DerivationOptions['variant'], unknown, string]>([
    ['values of several types', 'draft-20', { path: ['a'], values: [1, '1'] }, 'values of different types'],
    ['every element of an array', 'draft-20', { path: ['a', null] }, 'every element'],
  ])('is not available for %s', (_what, variant, claim, reason) => {
    const result = derive({ credentials: [{ ...sdJwt, claims: [claim] }] }, variant);
    expect(result).toEqual({ unavailable: expect.stringContaining(reason) });
  });

  it('is not available where redirect wallets would have to choose', () => {
    const sets = { credentials: [jwtVc], credential_sets: [{ options: [['degree']] }] };
    expect(derive(sets, 'draft-20-redirect')).toEqual({ unavailable: expect.stringContaining('requirements') });
    const claimSets = { credentials: [{ ...jwtVc, claims, claim_sets: [['a'], ['b']] }] };
    expect(derive(claimSets, 'draft-20-redirect')).toEqual({ unavailable: expect.stringContaining('claim_sets') });
    const values = { credentials: [{ ...jwtVc, claims: [{ path: ['a', null], values: ['x'] }] }] };
    expect(derive(values)).toEqual({ unavailable: expect.stringContaining('every element') });
  });
});

describe('a wallet that evaluates the definition', () => {
  it('can answer exactly when one that evaluates the DCQL query can', () => {
    const outcomes = { satisfied: 0, unsatisfied: 0 };
    fc.assert(
      fc.property(queries, fc.array(credentials, { maxLength: 4 }), (candidate, drawn) => {
        // The library stumbles over objects without a prototype.
        const wallet = JSON.parse(JSON.stringify(drawn)) as WalletCredential[];
        const query = parseDcqlQuery(candidate);
        const { definition } = derived(query);
        const wanted = DcqlOracle.query(DcqlOracle.parse(structuredClone(query) as never), wallet as never);
        expect(satisfies(definition, wallet)).toBe(wanted.can_be_satisfied);
        outcomes[wanted.can_be_satisfied ? 'satisfied' : 'unsatisfied']++;
      }),
      { numRuns: 500 },
    );
    expect(Math.min(outcomes.satisfied, outcomes.unsatisfied)).toBeGreaterThan(50);
  });

  const steps = fc.constantFrom<(string | number)[]>(['a'], ['b', 'c'], ['list', 0], ['list', 1, 'd'], ["it's"]);
  const claim = (id: string, path: (string | number)[], values: readonly unknown[]) =>
    values.length === 0 ? { id, path } : { id, path, values };
  const claimsQueries = fc
    .uniqueArray(
      fc.tuple(steps, fc.oneof(fc.constant([]), fc.constant([1]), fc.constant(['x']), fc.constant(['x', 'y']))),
      { selector: ([path]) => JSON.stringify(path), minLength: 1, maxLength: 3 },
    )
    .map((list) => list.map(([path, values], index) => claim(`k${index}`, path, values)));
  const claimPart = claimsQueries.chain((list) => {
    const sets = fc.array(
      fc.subarray(
        list.map(({ id }) => id),
        { minLength: 1 },
      ),
      { minLength: 1, maxLength: 3 },
    );
    return fc.oneof(
      fc.constant({}),
      fc.constant({ claims: list }),
      sets.map((claim_sets) => ({ claims: list, claim_sets })),
    );
  });
  const typePart = fc.oneof(
    fc.subarray(['v1', 'v2'], { minLength: 1 }).map((vct_values) => ({ format: 'dc+sd-jwt', meta: { vct_values } })),
    fc
      .array(fc.subarray(['VerifiableCredential', 'A', 'B'], { minLength: 1 }), { minLength: 1, maxLength: 2 })
      .map((type_values) => ({ format: 'jwt_vc_json', meta: { type_values } })),
  );
  const queries = fc.array(fc.tuple(typePart, claimPart), { minLength: 1, maxLength: 3 }).chain((parts) => {
    const list = parts.map(([type, rest], index) => ({ id: `c${index}`, ...type, ...rest }));
    const option = fc.subarray(
      list.map(({ id }) => id),
      { minLength: 1 },
    );
    const set = fc.record({ options: fc.array(option, { minLength: 1, maxLength: 3 }), required: fc.boolean() });
    return fc.oneof(
      fc.constant({ credentials: list }),
      fc.array(set, { minLength: 1, maxLength: 2 }).map((credential_sets) => ({ credentials: list, credential_sets })),
    );
  });

  const value = fc.constantFrom<unknown>('x', 'y', 1, '1', true);
  const content = fc.record(
    {
      a: value,
      b: fc.oneof(value, fc.record({ c: value })),
      list: fc.oneof(value, fc.array(fc.oneof(value, fc.record({ d: value })), { maxLength: 2 })),
      "it's": value,
    },
    { requiredKeys: [] },
  );
  const credentials = fc.oneof(
    fc.record({
      credential_format: fc.constant('dc+sd-jwt'),
      cryptographic_holder_binding: fc.constant(true),
      vct: fc.constantFrom('v1', 'v2', 'v3'),
      claims: content,
    }),
    fc.record({
      credential_format: fc.constant('jwt_vc_json'),
      cryptographic_holder_binding: fc.constant(true),
      type: fc.subarray(['A', 'B', 'C']).map((types) => ['VerifiableCredential', ...types]),
      claims: content,
    }),
  );
});

/** A plain reading of Presentation Exchange 2.0, as far as the definitions above go. */
type WalletCredential = { credential_format: string; vct?: string; type?: string[]; claims: object };
const ajv = new Ajv();
const schemas = new Map<string, (value: unknown) => unknown>();

function schema(filter: object): (value: unknown) => boolean {
  const text = JSON.stringify(filter);
  const validate = schemas.get(text) ?? ajv.compile(filter);
  schemas.set(text, validate);
  return (value) => validate(value) === true;
}

function satisfies(definition: PresentationDefinition, wallet: readonly WalletCredential[]): boolean {
  const satisfied = new Set(
    definition.input_descriptors.filter((descriptor) => wallet.some((credential) => fits(descriptor, credential))),
  );
  const holds = ({ rule, count = 0, from, from_nested }: SubmissionRequirement): boolean => {
    const group = definition.input_descriptors.filter((descriptor) => descriptor.group?.includes(from ?? '') === true);
    const results = from_nested?.map(holds) ?? group.map((descriptor) => satisfied.has(descriptor));
    if (rule === 'all') return results.length > 0 && results.every(Boolean);
    return results.filter(Boolean).length >= count;
  };
  const requirements = definition.submission_requirements;
  return requirements?.every(holds) ?? satisfied.size === definition.input_descriptors.length;
}

function fits({ format, constraints }: InputDescriptor, credential: WalletCredential): boolean {
  const sdJwtVc = credential.credential_format === 'dc+sd-jwt';
  if (!Object.hasOwn(format, sdJwtVc ? 'vc+sd-jwt' : 'jwt_vc_json')) return false;
  const payload = sdJwtVc
    ? { vct: credential.vct, ...credential.claims }
    : { vc: { type: credential.type, ...credential.claims } };
  return constraints.fields.every(({ path, filter }) => {
    const [found] = path.flatMap((each) => resolve(each, payload));
    return found !== undefined && (filter === undefined || schema(filter)(found));
  });
}

function resolve(path: string, root: unknown): unknown[] {
  const steps = path.slice(1).match(/\.\w+|\[\d+\]|\['(?:[^'\\]|\\.)+'\]/gu) ?? [];
  expect(`$${steps.join('')}`).toBe(path);
  let at = root;
  for (const step of steps) {
    const name = step.startsWith('.') ? step.slice(1) : step.slice(1, -1);
    const key = name.startsWith("'") ? name.slice(1, -1).replace(/\\(.)/gu, '$1') : name;
    const walkable = Array.isArray(at) === /^\[\d/u.test(step) && typeof at === 'object' && at !== null;
    at = walkable ? (at as Record<string, unknown>)[key] : undefined;
  }
  return at === undefined ? [] : [at];
}
