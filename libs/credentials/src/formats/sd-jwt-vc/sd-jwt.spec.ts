/** @jest-environment node */
import { parsePublicJwk, verifyJws } from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import { SDJwt } from '@sd-jwt/core';
import fc from 'fast-check';
import { encode, signingKey } from '@app/primitives/fixtures/signing-key';
import {
  digest,
  disclosure,
  disclosures,
  expected,
  holderKey,
  policy,
  query,
  sdJwt,
  sdJwtPresentation,
} from '../../../fixtures/presentations';
import { expectRefusal } from '../../../fixtures/refusal';
import vectors from '../../../fixtures/rfc9901-vectors.json';
import { type CheckName } from '../../presentation-check';
import { verifyPresentation } from '../../presentation-verifier';
import { parseSdJwt, processDisclosures } from './sd-jwt';
import { buildSdJwtVc } from './build';

const all = Object.values(disclosures);
const other = signingKey();

/** The presentation with one more disclosure, whose digest is put where `place` says. */
function withDisclosure(encoded: string, place: (digest: string) => JsonObject): string {
  return sdJwtPresentation({ payload: place(digest(encoded)), disclosures: [...all, encoded] });
}

const disclosed = (name: string, value: JsonObject | string | number = 'x'): string =>
  disclosure('salt-salt-salt-salt-4', name, value);
const atTop = (d: string): JsonObject => ({ _sd: [digest(disclosures.name), d] });
const inArray = (d: string): JsonObject => ({
  nationalities: ['FR', { '...': digest(disclosures.nation) }, { '...': d }],
});

type Row = [what: string, text: string, check: CheckName];

const refused: Row[] = [
  [
    'a disclosure that the issuer did not sign',
    sdJwtPresentation({ disclosures: [...all, disclosed('x')] }),
    'disclosures',
  ],
  [
    'a disclosure altered by one byte',
    sdJwtPresentation({ disclosures: [disclosures.name.replace(/.$/, 'R'), disclosures.city] }),
    'disclosures',
  ],
  ['a disclosure sent twice', sdJwtPresentation({ disclosures: [...all, disclosures.name] }), 'disclosures'],
  [
    'a digest twice in one place',
    sdJwtPresentation({
      payload: { _sd: [digest('decoy'), digest('decoy')] },
      disclosures: [disclosures.city, disclosures.nation],
    }),
    'disclosures',
  ],
  ['a digest in two places', sdJwtPresentation({ payload: atTop(digest(disclosures.city)) }), 'disclosures'],
  [
    'a digest at an object and in an array',
    sdJwtPresentation({ payload: atTop(digest(disclosures.nation)) }),
    'disclosures',
  ],
  ['a disclosure that names _sd', withDisclosure(disclosed('_sd'), atTop), 'disclosures'],
  ['a disclosure that names ...', withDisclosure(disclosed('...'), atTop), 'disclosures'],
  ['a disclosure that names _sd_alg', withDisclosure(disclosed('_sd_alg'), atTop), 'disclosures'],
  ['a disclosed claim that is there already', withDisclosure(disclosed('degree'), atTop), 'disclosures'],
  ['a disclosed claim of a name disclosed before', withDisclosure(disclosed('name'), atTop), 'disclosures'],
  [
    'an issuer put in place by disclosure',
    withDisclosure(disclosed('iss', 'https://evil.example'), atTop),
    'disclosures',
  ],
  ['two elements at an object', withDisclosure(disclosure('salt', 'x'), atTop), 'disclosures'],
  ['three elements at an array', withDisclosure(disclosed('x'), inArray), 'disclosures'],
  ['a name that is no string', withDisclosure(disclosure('salt', 7, 'x'), atTop), 'disclosures'],
  ['a disclosure that is an object', withDisclosure(encode({ a: 1 }), atTop), 'disclosures'],
  [
    'a disclosure that is not UTF-8',
    withDisclosure(Buffer.from('["a","b","\xff"]', 'latin1').toString('base64url'), atTop),
    'disclosures',
  ],
  [
    'a disclosure that is not JSON',
    withDisclosure(Buffer.from('["a","b"').toString('base64url'), atTop),
    'disclosures',
  ],
  ['a salt that is no string', withDisclosure(disclosure(1, 'a', 'b'), atTop), 'disclosures'],
  ['four elements', withDisclosure(disclosure('salt', 'a', 'b', 'c'), atTop), 'disclosures'],
  ['one element', withDisclosure(disclosure('salt'), atTop), 'disclosures'],
  [
    'a member twice in a disclosed object',
    withDisclosure(Buffer.from('["s","a",{"b":1,"b":2}]').toString('base64url'), atTop),
    'disclosures',
  ],
  ['padding in a disclosure', withDisclosure(`${disclosed('x')}=`, atTop), 'structure'],
  ['bits left over in a disclosure', withDisclosure(`${disclosed('xx').slice(0, -1)}h`, atTop), 'disclosures'],
  ['an unknown _sd_alg', sdJwtPresentation({ payload: { _sd_alg: 'sha-1' } }), 'structure'],
  ['md5 with nothing disclosed', sdJwtPresentation({ payload: { _sd_alg: 'md5' }, disclosures: [] }), 'structure'],
  ['a number as _sd_alg', sdJwtPresentation({ payload: { _sd_alg: 256 } }), 'structure'],
  ['a nested _sd_alg', sdJwtPresentation({ payload: { degree: { _sd_alg: 'sha-256' } } }), 'disclosures'],
  [
    'a nested _sd_alg in a disclosed value',
    withDisclosure(disclosed('x', { _sd_alg: 'sha-256' }), atTop),
    'disclosures',
  ],
  ...['exp', 'nbf', 'cnf', 'vct', 'status', 'vct#integrity', 'aka_vcts'].map((name): Row => [
    `${name} by disclosure`,
    sdJwtPresentation({
      payload: atTop(digest(disclosed(name, 1))),
      disclosures: [...all, disclosed(name, 1)],
      without: name === 'vct' ? [] : [name],
    }),
    'disclosures',
  ]),
  ...['iss', 'vct'].map((name): Row => [
    `${name} by disclosure alone`,
    sdJwtPresentation({
      payload: atTop(digest(disclosed(name))),
      disclosures: [...all, disclosed(name)],
      without: [name],
    }),
    'structure',
  ]),
  [
    'a child of cnf by disclosure',
    withDisclosure(disclosed('jwk', { ...other.jwk }), (d) => ({
      cnf: { jwk: { ...holderKey.jwk }, more: { _sd: [d] } },
    })),
    'disclosures',
  ],
  ['_sd that is no list', sdJwtPresentation({ payload: { degree: { _sd: 'x' } } }), 'disclosures'],
  ['_sd that holds a number', sdJwtPresentation({ payload: { degree: { _sd: [1] } } }), 'disclosures'],
  [
    'an array digest with another member',
    sdJwtPresentation({ payload: { degree: [{ '...': 'x', a: 1 }] } }),
    'disclosures',
  ],
  ['an array digest that is no string', sdJwtPresentation({ payload: { degree: [{ '...': 1 }] } }), 'disclosures'],
  ['... outside an array', sdJwtPresentation({ payload: { degree: { '...': 'x' } } }), 'disclosures'],
  [
    'a disclosure whose parent is withheld',
    sdJwtPresentation({
      payload: atTop(digest(disclosed('parent', { _sd: [digest(disclosed('child'))] }))),
      disclosures: [...all, disclosed('child')],
    }),
    'disclosures',
  ],
  ['a disclosure that names __proto__', withDisclosure(disclosed('__proto__'), atTop), 'disclosures'],
  [
    '__proto__ inside a disclosed value',
    withDisclosure(Buffer.from('["s","a",{"__proto__":{"b":1}}]').toString('base64url'), atTop),
    'disclosures',
  ],
];

describe('the disclosures of a presentation', () => {
  it.each(refused)('are refused with %s', async (_, text, check) => {
    expectRefusal(await verifyPresentation(text, expected, policy()), check);
  });

  it('leave prototypes alone, whatever the claims are called', async () => {
    const names = ['constructor', 'prototype', 'toString', 'hasOwnProperty'];
    const more = names.map((name) => disclosed(name, { polluted: 'yes' }));
    const result = await verifyPresentation(
      sdJwtPresentation({
        payload: { _sd: [digest(disclosures.name), ...more.map((text) => digest(text))] },
        disclosures: [...all, ...more],
      }),
      expected,
      policy(),
    );
    const claims = result.verified ? result.credential.claims : {};
    for (const name of names) expect(claims[name]).toMatchObject({ polluted: 'yes' });
    expect(Object.getPrototypeOf(claims)).toBeNull();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('a hostile SD-JWT', () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, at) => disclosure('s', `claim${at}`, at));
  const deep = (depth: number, inner = '1'): string =>
    Buffer.from(`["s","deep",${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}]`).toString('base64url');
  const withMany = (list: string[]): string =>
    sdJwtPresentation({
      payload: { _sd: [digest(disclosures.name), ...list.map((text) => digest(text))] },
      disclosures: [...all, ...list],
    });
  /** Each disclosure holds the digest of the next one. */
  const chain = (length: number): string[] => {
    const list = [disclosure('s', 'a', 1)];
    while (list.length < length) list.unshift(disclosure('s', 'a', { _sd: [digest(list[0] ?? '')] }));
    return list;
  };
  const chained = (list: string[]): string =>
    sdJwtPresentation({
      payload: { _sd: [digest(disclosures.name), digest(list[0] ?? '')] },
      disclosures: [...all, ...list],
    });

  // The limit of time is generous: each takes a few milliseconds.
  it.each<[string, () => string, CheckName]>([
    ['10,000 disclosures', () => withMany(many(10_000)), 'structure'],
    ['10,000 disclosures of one character', () => `${sdJwt()}${'a~'.repeat(10_000)}`, 'structure'],
    ['513 disclosures', () => withMany(many(510)), 'structure'],
    ['a disclosure of 5 MB', () => withMany([disclosure('s', 'a', 'x'.repeat(5_000_000))]), 'structure'],
    ['a disclosure of 33 KiB', () => withMany([disclosure('s', 'a', 'x'.repeat(25_000))]), 'structure'],
    [
      '300 KiB of disclosures',
      () => withMany(Array.from({ length: 15 }, (_, at) => disclosure('s', `a${at}`, 'x'.repeat(15_000)))),
      'structure',
    ],
    ['nesting 3,000 deep in a disclosure', () => withMany([deep(3_000)]), 'disclosures'],
    ['nesting 20,000 deep in a longer disclosure', () => withMany([deep(20_000)]), 'structure'],
    [
      'nesting 20,000 deep in the issuer JWT',
      () => `${holderKey.signText({ typ: 'dc+sd-jwt' }, `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)}~`,
      'structure',
    ],
    ['nesting 33 deep in a disclosure', () => withMany([deep(32)]), 'disclosures'],
    ['nesting 40 deep from disclosure to disclosure', () => chained(chain(40)), 'disclosures'],
    ['nesting 400 deep from disclosure to disclosure', () => chained(chain(400)), 'disclosures'],
    ['a megabyte of tildes', () => '~'.repeat(1_000_000), 'structure'],
    ['a megabyte of dots', () => `${'.'.repeat(1_000_000)}~`, 'structure'],
  ])('is refused with %s', async (_, make, check) => {
    const text = make();
    const rules = policy();
    const before = process.cpuUsage();
    const result = await verifyPresentation(text, expected, rules);
    // Of the processor, so that what else runs on the machine does not matter.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(250);
    expectRefusal(result, check);
  });

  it('is read up to the limits', async () => {
    const list = [...many(400), ...chain(25)];
    const text = sdJwtPresentation({
      payload: { _sd: [digest(disclosures.name), ...list.slice(0, 401).map((encoded) => digest(encoded))] },
      disclosures: [...all, ...list],
    });
    expect(await verifyPresentation(text, expected, policy())).toMatchObject({ verified: true });
  });
});

describe('an example of RFC 9901', () => {
  it.each(vectors.examples.map((example) => [example.name, example] as const))(
    '(%s) reads as printed there',
    (_, example) => {
      const sdJwtOfRfc = parseSdJwt(example.text);
      verifyJws(sdJwtOfRfc.jws, parsePublicJwk(vectors.issuerKey), ['ES256']);
      expect(plain(processDisclosures(sdJwtOfRfc).claims)).toEqual(example.claims);
      if (sdJwtOfRfc.keyBinding === undefined) return;
      const [, payload = ''] = sdJwtOfRfc.keyBinding.split('.');
      expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
        sd_hash: digest(sdJwtOfRfc.presented),
      });
    },
  );
});

describe('the PID of RFC 9901 appendix A.3', () => {
  it('verifies with its holder, nonce and audience', async () => {
    const text = vectors.examples.find(({ name }) => name.includes('A.3'))?.text ?? '';
    const issuerKeys = {
      ...policy().issuerKeys,
      isCertified: () => false,
      find: () => Promise.resolve({ jwk: parsePublicJwk(vectors.issuerKey), authorityKeyIds: [] }),
    };
    const result = await verifyPresentation(
      text,
      {
        nonce: '1234567890',
        presentedTo: { clientId: 'https://verifier.example.org', encryptionKey: null },
        now: new Date(1_748_536_865_000),
        query: {
          id: 'pid',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eudi:pid:de:1'] },
          claims: [{ path: ['age_equal_or_over', '18'], values: [true] }],
        },
      },
      { ...policy(), issuerKeys },
    );
    expect(result).toMatchObject({ verified: true, credential: { types: ['urn:eudi:pid:de:1'] } });
  });
});

describe('the public SD-JWT library', () => {
  it('reads the same claims from honest tokens, whatever they are and whichever are shown', async () => {
    const issuerKey = signingKey();
    const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null));
    const name = fc.constantFrom('a', 'b', 'c', 'address', 'name', 'x/y', 'é');
    const value = fc.letrec<{ any: JsonValue }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(name, tie('any'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).any;
    const claims = fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(claims, fc.infiniteStream(fc.boolean()), async (object, coins) => {
        const pointers = pointersOf(object).filter(() => coins.next().value);
        const token = await buildSdJwtVc({
          vct: 'urn:x',
          issuer: 'https://issuer.example',
          claims: object,
          selectivelyDisclosable: pointers,
          issuedAt: new Date(0),
          typ: 'dc+sd-jwt',
          sign: (header, payload) => Promise.resolve(issuerKey.sign(header, payload)),
        });
        const ours = processDisclosures(parseSdJwt(token));
        const decoded = await SDJwt.fromEncode(token, (data, alg) => hashed(data, alg));
        expect(plain(ours.claims)).toEqual(await decoded.getClaims((data, alg) => hashed(data, alg)));
        expect(ours.withheld.size).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a withheld array element', () => {
  it('leaves the index of the others open within bounds', async () => {
    const at = (index: number): object => ({ ...query, claims: [{ path: ['nationalities', index], values: ['GB'] }] });
    const text = sdJwtPresentation({
      payload: { nationalities: [{ '...': digest('first') }, 'FR', { '...': digest(disclosures.nation) }] },
      disclosures: [disclosures.nation],
    });
    const answers = await Promise.all(
      [0, 1, 2, 3].map((index) =>
        verifyPresentation(text, { ...expected, query: { ...query, ...at(index) } }, policy()),
      ),
    );
    expect(answers.map(({ verified }) => verified)).toEqual([false, true, true, false]);
  });
});

function hashed(data: string | ArrayBuffer, alg: string): Uint8Array {
  const bytes = typeof data === 'string' ? data : Buffer.from(data).toString();
  return Buffer.from(digest(bytes, alg.replace('-', '')), 'base64url');
}

function plain(claims: JsonObject): unknown {
  return JSON.parse(JSON.stringify(claims));
}

function pointersOf(value: JsonValue, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const pointer = `${prefix}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [pointer, ...pointersOf(member, pointer)];
  });
}
