/** @jest-environment node */
import { decodeJws, verifyJws } from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import { renderTypeMetadata } from '@app/openid4vc';
import { SDJwt } from '@sd-jwt/core';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import { ClaimsError } from '../../presentation/claims';
import { assertSdJwtVcClaims, buildSdJwtVc, type SdJwtVcInput } from './build';

const issuerKey = signingKey();
const { jwk } = signingKey();

const input: SdJwtVcInput = {
  vct: 'https://issuer.example/vct/diploma/1',
  issuer: 'https://issuer.example/openid4vci',
  claims: { name: 'Ada', address: { street: 'Main', city: 'London' }, nationalities: ['GB', 'FR'] },
  selectivelyDisclosable: 'top-level',
  holder: { jwk },
  issuedAt: new Date('2026-11-20T12:00:00.999Z'),
  expiresAt: new Date('2027-11-20T12:00:00.999Z'),
  typ: 'dc+sd-jwt',
  sign: (header, payload) => Promise.resolve(issuerKey.sign(header, payload)),
};

const frame = {
  iss: input.issuer,
  vct: input.vct,
  iat: 1_795_176_000,
  exp: 1_826_712_000,
  cnf: { jwk },
};

type Issued = { header: JsonObject; payload: JsonObject; disclosures: JsonValue[][]; encoded: string[]; token: string };

async function issue(changes: Partial<SdJwtVcInput> = {}): Promise<Issued> {
  const token = await buildSdJwtVc({ ...input, ...changes });
  const [jwt = '', ...rest] = token.split('~');
  expect(rest.pop()).toBe('');
  const jws = decodeJws(jwt);
  verifyJws(jws, issuerKey.jwk, ['ES256']);
  const disclosures = rest.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()) as JsonValue[]);
  return { ...jws, disclosures, encoded: rest, token };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** What a wallet reads with the public library, everything disclosed. */
async function readByLibrary(token: string): Promise<JsonObject> {
  const hasher = (data: string | ArrayBuffer): Uint8Array =>
    createHash('sha256')
      .update(typeof data === 'string' ? data : Buffer.from(data))
      .digest();
  return (await SDJwt.fromEncode(token, hasher)).getClaims<JsonObject>(hasher);
}

describe('an SD-JWT VC', () => {
  it('shows its frame and hides every top-level claim', async () => {
    const { header, payload, disclosures, encoded } = await issue();
    expect(header).toEqual({ typ: 'dc+sd-jwt', alg: 'ES256' });
    expect(payload).toEqual({ ...frame, _sd: encoded.map(digest).sort(), _sd_alg: 'sha-256' });
    expect(disclosures.map(([, ...content]) => content)).toEqual(Object.entries(input.claims));
  });

  it('has no claim in its frame that the metadata of its type do not name', async () => {
    const status = { idx: 7, uri: 'https://issuer.example/status/1' };
    const configuration = {
      format: 'dc+sd-jwt',
      id: 'x',
      scope: 'x',
      signingAlgorithm: 'ES256',
      vct: input.vct,
    } as const;
    const { claims } = renderTypeMetadata(configuration) as { claims: { path: string[] }[] };
    const { payload } = await issue({ status, extraPayload: { jti: 'urn:uuid:1' }, claims: {} });
    expect(claims.map(({ path }) => path[0]).sort()).toEqual(Object.keys(payload).sort());
  });

  it('has the type an older wallet asked for', async () => {
    expect((await issue({ typ: 'vc+sd-jwt' })).header['typ']).toBe('vc+sd-jwt');
  });

  it('says nothing about digests when nothing is selectively disclosable', async () => {
    const { payload, token } = await issue({ selectivelyDisclosable: [] });
    expect(payload).toEqual({ ...frame, ...input.claims });
    expect(token.split('~')).toHaveLength(2);
  });

  it('hides members and elements that pointers name, inside what they name', async () => {
    const { payload, disclosures, encoded } = await issue({
      selectivelyDisclosable: ['/address', '/address/street', '/nationalities/1', '/missing', '/name/too/deep'],
    });
    const [street = '', element = '', address = ''] = encoded;
    expect(disclosures.map(([, ...content]) => content)).toEqual([
      ['street', 'Main'],
      ['FR'],
      ['address', { city: 'London', _sd: [digest(street)] }],
    ]);
    expect(payload).toEqual({
      ...frame,
      name: 'Ada',
      nationalities: ['GB', { '...': digest(element) }],
      _sd: [digest(address)],
      _sd_alg: 'sha-256',
    });
  });

  it('reads the escapes of JSON Pointers', async () => {
    const claims = { '~1': 1, '/': 2, 'a~b/c': 3 };
    const { disclosures } = await issue({ claims, selectivelyDisclosable: ['/~01', '/~1', '/a~0b~1c'] });
    expect(disclosures.map(([, ...content]) => content)).toEqual(Object.entries(claims));
  });

  it('has a claim without a name in the open', async () => {
    const { payload } = await issue({ claims: { '': 4, a: { '': 5 } }, selectivelyDisclosable: ['/a'] });
    expect(payload['']).toBe(4);
  });

  it.each(['toString', 'constructor', 'hasOwnProperty', '_sd_decoy', '0'])(
    'has the claim %s, hidden or not',
    async (name) => {
      const claims = { [name]: 'own', a: { [name]: { [name]: 1 } }, b: [{ [name]: false }], d: { [name]: { e: 2 } } };
      const selectivelyDisclosable = [`/${name}`, `/a/${name}`, '/b/0', `/d/${name}/e`];
      const hidden = await issue({ claims, selectivelyDisclosable });
      expect(hidden.disclosures.map(([, ...content]) => content)).toEqual(
        expect.arrayContaining([[name, 'own'], [name, { [name]: 1 }], [{ [name]: false }], ['e', 2]]),
      );
      const open = await issue({ claims: { ...claims, c: 1 }, selectivelyDisclosable: ['/c'] });
      expect(open.payload).toMatchObject(claims);
    },
  );

  it('draws a salt of 128 bits for every disclosure', async () => {
    const claims = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`claim${index}`, index]));
    const salts = [...(await issue({ claims })).disclosures, ...(await issue({ claims })).disclosures].map(
      ([salt]) => salt,
    );
    expect(new Set(salts).size).toBe(600);
    for (const salt of salts) expect(Buffer.from(salt as string, 'base64url')).toHaveLength(16);
  });

  it('sorts its digests, so that they do not reveal the order of the claims', async () => {
    const claims = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`claim${index}`, index]));
    const digests = (await issue({ claims })).payload['_sd'] as string[];
    expect(digests).toEqual([...digests].sort());
  });

  it('names the key id next to the key when the wallet proved it by DID', async () => {
    const holder = { jwk, did: 'did:web:w.example', keyId: 'did:web:w.example#1' };
    expect((await issue({ holder })).payload['cnf']).toEqual({ jwk, kid: 'did:web:w.example#1' });
  });

  it('carries a status reference and further visible members', async () => {
    const status = { uri: 'https://issuer.example/status_lists/1', idx: 7 };
    const { payload } = await issue({ status, extraPayload: { sub: 'someone', 'vct#integrity': 'sha256-abc' } });
    expect(payload).toMatchObject({ status: { status_list: status }, sub: 'someone', 'vct#integrity': 'sha256-abc' });
  });

  it('leaves the claims it was given as they were', async () => {
    const before = structuredClone(input.claims);
    await issue({ selectivelyDisclosable: ['/address/street', '/nationalities/0'] });
    expect(input.claims).toEqual(before);
  });

  it.each<[string, Partial<SdJwtVcInput>, string]>([
    ...['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'aka_vcts', 'status', 'iat'].map(
      (name): [string, Partial<SdJwtVcInput>, string] => [
        `the claim ${name}`,
        { claims: { [name]: 'x' } },
        'reserved-name',
      ],
    ),
    ['a claim that is in the frame', { claims: { sub: 'a' }, extraPayload: { sub: 'b' } }, 'reserved-name'],
    ['a nested _sd', { claims: { a: { _sd: [] } } }, 'unsafe-name'],
    ['an array element placeholder', { claims: { a: [{ '...': 'digest' }] } }, 'unsafe-name'],
    ['a pointer to cnf', { selectivelyDisclosable: ['/cnf/jwk'] }, 'protected-claim'],
    ['a malformed pointer', { selectivelyDisclosable: ['name'] }, 'invalid-pointer'],
    [
      'a pointer to a claim without a name',
      { claims: { a: { '': 1 } }, selectivelyDisclosable: ['/a/'] },
      'unsafe-name',
    ],
    ['an expiry before its issue', { expiresAt: new Date(0) }, 'invalid-expiry'],
  ])('is refused with %s, also before it is built', async (_, changes, reason) => {
    const error = expect.objectContaining({ constructor: ClaimsError, reason }) as Error;
    await expect(issue(changes)).rejects.toEqual(error);
    if (!('expiresAt' in changes))
      expect(() => {
        assertSdJwtVcClaims({ ...input, ...changes });
      }).toThrow(error);
  });
});

describe('the public SD-JWT library', () => {
  it('reads the claims back, whatever they are and whichever are hidden', async () => {
    const name = fc.oneof(
      fc.string({ minLength: 1, maxLength: 8 }),
      fc.constantFrom('a', 'b', 'address', 'a/b', 'm~n', '0', 'é', 'toString'),
    );
    const value = fc.letrec<{ any: JsonValue }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(name, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    const reserved = new Set([...Object.keys(frame), 'nbf', 'status', '_sd', '_sd_alg', '...', '__proto__']);
    const claims = fc
      .dictionary(
        name.filter((text) => !reserved.has(text)),
        value,
        { maxKeys: 5 },
      )
      .map((object) => JSON.parse(JSON.stringify(object)) as JsonObject);
    const choice = claims.chain((object) => fc.tuple(fc.constant(object), fc.subarray(pointersOf(object))));
    await fc.assert(
      fc.asyncProperty(choice, async ([object, selectivelyDisclosable]) => {
        const { token, disclosures } = await issue({ claims: object, selectivelyDisclosable });
        expect(disclosures).toHaveLength(selectivelyDisclosable.length);
        await expect(readByLibrary(token)).resolves.toEqual({ ...frame, ...object });
      }),
      { numRuns: 200 },
    );
  });
});

function pointersOf(value: JsonValue, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const pointer = `${prefix}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [pointer, ...pointersOf(member, pointer)];
  });
}
