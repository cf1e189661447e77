import fc from 'fast-check';
import { answered, get, type Json, postForm, postJson } from '../support/http/requests';
import { expectNamed } from '../support/http/refusals';
import { prepareOffer } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { credentialRequest, openSession, preAuthorizedGrant, type Session } from '../support/wallets/wallet';

const service = serviceOfFile();
let session: Session;
beforeAll(async () => {
  session = await openSession((await prepareOffer(service.url)).link);
});

const seed = Number(process.env['ROBUSTNESS_SEED'] ?? Date.now() % 1_000_000);
const runs = { numRuns: 150, seed, endOnFailure: true };
afterAll(() => {
  process.stdout.write(`robustness: repeat this run with ROBUSTNESS_SEED=${seed}\n`);
});

const oddNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'then',
  'length',
  '',
  '$ref',
  '~/',
  '\u0000',
  'é',
];
const oddTexts = [
  '',
  ' ',
  'never',
  'null',
  '\u0000',
  '\ufeff',
  '\u{1f600}',
  '../..',
  '%00',
  "'; drop table events; --",
  '{{7*7}}',
  '<b>',
  'P1D',
  '2030-01-01T00:00:00Z',
  'x'.repeat(5000),
];
const oddNumbers = [0, -0, -1, 0.5, 1e21, 1e308, -1e308, Number.MAX_SAFE_INTEGER + 2, 5e-324];
const scalar = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.constantFrom(...oddNumbers),
  fc.boolean(),
  fc.constant(null),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    // From text, so that __proto__ becomes a member and not a prototype.
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...oddNames), fc.string({ maxLength: 6 })), tie('value')), {
        maxLength: 3,
      })
      .map((members) => membersAsSent(members)),
  ),
}));

function membersAsSent(members: [string, unknown][]): unknown {
  const object: Json = {};
  for (const [name, value] of members) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

/** One member of a valid body, at any depth, gets another value; or an unknown member is added. */
function disturbed(valid: Json): fc.Arbitrary<Json> {
  const places = placesIn(valid);
  return fc.tuple(fc.constantFrom(...places), anything).map(([path, value]) => replaced(valid, path, value) as Json);
}

function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Object.entries(value).flatMap(([name, member]) => placesIn(member, [...path, name]));
  return [...(path.length > 0 ? [path] : []), ...inside, [...path, 'constructor'], [...path, 'unknown']];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Json) }) as Json;
  copy[name] = replaced(copy[name], rest, by);
  return copy;
}

const schema = {
  type: 'object',
  properties: { a: { type: 'string', pattern: '^a', enum: ['a'] }, b: { type: 'array', items: { $ref: '#/$defs/b' } } },
  $defs: { b: { minimum: 1 } },
  required: ['a'],
};
const bodies: Record<string, Json> = {
  '/v0/credentials': {
    offerId: 'x',
    credentialConfigurationId: 'w3c_vc_credential',
    credential: { id: 'urn:x:1', credentialSubject: { a: 'a', b: [{ c: 1 }] } },
    isSigned: false,
    expiresAt: 'never',
    credentialId: 'c',
  },
  '/v0/offers': { offerId: 'y', templateIds: ['t'], expiresIn: 'PT1H', txCode: { length: 6, inputMode: 'text' } },
  '/v0/templates': {
    templateId: 't',
    title: 'T',
    tags: ['a'],
    format: 'dc+sd-jwt',
    dataModel: 'sd-jwt-vc',
    vct: 'v',
    schema,
    expiration: 'P1D',
    selectivelyDisclosable: ['/a'],
    display: [{ name: 'T', locale: 'en', logo: { uri: 'https://x.example/l', alt_text: 'L' } }],
    status: 'Published',
  },
};

describe('a management body with one odd member', () => {
  it.each(Object.entries(bodies))(
    'at %s is accepted or rejected with a named error',
    async (path, valid) => {
      await fc.assert(
        fc.asyncProperty(disturbed(valid), async (body) => {
          expectNamed(await postJson(service.url + path, body));
        }),
        runs,
      );
    },
    60_000,
  );

  it('that was accepted can be read again', async () => {
    for (const path of Object.keys(bodies)) answered(200, await get(`${service.url}${path}?limit=200`));
    answered(200, await get(`${service.url}/.well-known/openid-credential-issuer/openid4vci`));
    answered(200, await get(`${service.url}/openid4vci/.well-known/openid-credential-issuer`));
    answered(200, await get(`${service.url}/v0/credential_configurations`));
  });
});

describe('a wallet body with one odd member', () => {
  it.each(['F', 'L13', 'L14', 'L11'] as const)(
    'in the shape %s is accepted or rejected with a named error',
    async (shape) => {
      const one = await openSession((await prepareOffer(service.url)).link, shape);
      const valid = await credentialRequest(one);
      const headers = { authorization: `Bearer ${one.accessToken}` };
      await fc.assert(
        fc.asyncProperty(disturbed(valid), async (body) => {
          expectNamed(await postJson(String(one.metadata['credential_endpoint']), body, headers));
        }),
        runs,
      );
    },
    60_000,
  );

  it('as notification is rejected with a named error', async () => {
    const url = String(session.metadata['notification_endpoint']);
    const headers = { authorization: `Bearer ${session.accessToken}` };
    await fc.assert(
      fc.asyncProperty(disturbed({ notification_id: 'x', event: 'credential_accepted' }), async (body) => {
        expectNamed(await postJson(url, body, headers));
      }),
      runs,
    );
  });

  it('as form is rejected with a named error', async () => {
    const name = fc.constantFrom(
      'grant_type',
      'pre-authorized_code',
      'tx_code',
      'user_pin',
      'client_id',
      'authorization_details',
      '__proto__',
      '',
    );
    const value = fc.oneof(
      fc.constantFrom(preAuthorizedGrant, ...oddTexts),
      anything.map((one) => JSON.stringify(one)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 5 }), async (parameters) => {
        const reply = await postForm(`${session.offer.issuer}/token`, [
          ['grant_type', preAuthorizedGrant],
          ...parameters,
        ]);
        expect(reply.status).toBe(400);
        expectNamed(reply);
      }),
      runs,
    );
  });
});

/** JSON that no library would write. */
const oddJson: Record<string, string | Buffer> = {
  nothing: '',
  'white space': ' \n',
  'no value': '{"offerId":}',
  'a member twice': '{"offerId":"a","offerId":"b"}',
  'a member twice, once escaped': '{"offerId":"a","offer\\u0049d":"b"}',
  'a lone surrogate': '{"offerId":"\\ud800"}',
  'a lone surrogate as name': '{"\\udc00":1}',
  'a byte order mark': '\ufeff{"offerId":"a"}',
  'UTF-16': Buffer.from('{"offerId":"a"}', 'utf16le'),
  'bytes that are not UTF-8': Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]),
  'arrays 100000 deep': '['.repeat(100_000),
  'objects 20000 deep': '{"a":'.repeat(20_000),
  'a number beyond double': '{"offerId":"a","expiresIn":1e999}',
  'a number of 10000 digits': `{"offerId":"a","expiresIn":${'9'.repeat(10_000)}}`,
  NaN: '{"offerId":NaN}',
  'a comment': '{"offerId":"a"/* */}',
  'single quotes': "{'offerId':'a'}",
  'an array': '[]',
  'a text': '"a"',
  null: 'null',
  'a second value': '{"offerId":"a"}{}',
  'a control character': '{"offerId":"a\u0001"}',
  '20000 members': `{${Array.from({ length: 20_000 }, (_, n) => `"a${n}":1`).join()}}`,
};

describe('a body that is odd as JSON', () => {
  it.each(Object.entries(oddJson))('(%s) is refused by name', async (_what, body) => {
    for (const path of Object.keys(bodies)) {
      const reply = await postJson(service.url + path, body);
      expect(reply.status).toBe(400);
      expectNamed(reply);
    }
    const headers = { authorization: `Bearer ${session.accessToken}` };
    const reply = await postJson(String(session.metadata['credential_endpoint']), body, headers);
    expect([400, 413]).toContain(reply.status);
    expectNamed(reply);
  });
});

it('the service still works afterwards', async () => {
  answered(200, await get(`${service.url}/v0/offers`));
  await openSession((await prepareOffer(service.url)).link);
});
