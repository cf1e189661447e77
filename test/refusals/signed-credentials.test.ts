import { randomUUID } from 'node:crypto';
import { expectRefused, type RefusedBodies, rowsOf } from '../support/refused-bodies';
import { answered, type Json, postJson } from '../support/requests';
import { publishedTemplate, quickStart } from '../support/requests-portal';
import { type RunningService, startService } from '../support/service';

let service: RunningService;
let card: string;
beforeAll(async () => {
  service = await startService();
  card = await publishedTemplate(service.url);
}, 60_000);
afterAll(() => service.stop());

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (header: unknown, payload: unknown): string => `${encode(header)}.${encode(payload)}.c2lnbmF0dXJl`;
const jose = { typ: 'JWT', alg: 'ES256' };
const vc = { type: ['VerifiableCredential'] };
const w3c = jwt(jose, { vc });
const disclosure = encode(['salt', 'given_name', 'Erika']);
const sdJwtOf = (header: Json, payload: Json): string => `${jwt(header, payload)}~${disclosure}~`;
const sdJose = { typ: 'dc+sd-jwt', alg: 'ES256' };
const sdJwt = sdJwtOf(sdJose, { vct: 'https://other.example/card' });
const parts = w3c.split('.');

const problems: RefusedBodies[] = [
  {
    name: 'Invalid Signed Credential Format',
    status: 400,
    slug: 'invalid-signed-credential-format',
    rows: [
      ['nothing', '', undefined],
      ['plain text', 'hello'],
      ['a JWT of two parts', parts.slice(0, 2).join('.')],
      ['a JWT of four parts', `${w3c}.x`],
      ['a JWT with padding', `${parts[0] ?? ''}=.${parts[1] ?? ''}.${parts[2] ?? ''}`],
      ['a JWT with white space', ` ${w3c}`],
      ['a header that is no JSON', `e30x.${parts[1] ?? ''}.${parts[2] ?? ''}`],
      ['a header that is a list', jwt([], { vc })],
      ['a payload that is a text', jwt(jose, 'vc')],
      ['a critical header', jwt({ ...jose, crit: ['b64'] }, { vc })],
      ['a W3C credential of another typ', jwt({ ...jose, typ: 'at+jwt' }, { vc })],
      ['a JWT without vc', jwt(jose, { iss: 'x' })],
      ['a vc that is a list', jwt(jose, { vc: [] })],
      ['an SD-JWT without typ', sdJwtOf({ alg: 'ES256' }, { vct: 'x' })],
      ['an SD-JWT of another typ', sdJwtOf({ ...sdJose, typ: 'JWT' }, { vct: 'x' })],
      ['an SD-JWT without vct', sdJwtOf(sdJose, { iss: 'x' })],
      ['an SD-JWT whose vct is a number', sdJwtOf(sdJose, { vct: 1 })],
      ['an SD-JWT without its last tilde', sdJwt.slice(0, -1)],
      ['an SD-JWT with a key binding', `${sdJwt}${w3c}`],
      ['an empty disclosure', `${sdJwt}~`],
      ['a disclosure that is not base64url', sdJwt.replace(disclosure, 'a+b=')],
      ['a credential as JSON text', JSON.stringify({ vc })],
    ].map(([what, credential]) => [String(what), { credential, isSigned: true }, '/credential'] as const),
  },
  {
    name: 'Signed Credential Format Mismatch',
    status: 422,
    slug: 'signed-credential-format-mismatch',
    rows: [
      ['an SD-JWT VC for a W3C configuration', { credential: sdJwt }],
      ['a W3C credential for an SD-JWT template', () => ({ ...ofCard(), credential: w3c })],
    ],
  },
  {
    name: 'Invalid Credential Type',
    status: 400,
    slug: 'invalid-credential-type',
    rows: [
      ['a text called unsigned', { isSigned: false }],
      ['an object called signed', { credential: { credentialSubject: {} }, isSigned: true }],
    ],
  },
  {
    name: 'Invalid Expiration Date',
    status: 400,
    slug: 'invalid-expiration-date',
    rows: [
      ['an expiry beside the one it carries', { expiresAt: '2099-01-01T00:00:00Z' }],
      ['never', { expiresAt: 'never' }],
      ['null', { expiresAt: null }],
    ],
  },
  {
    name: 'Template Not Found',
    status: 404,
    slug: 'template-not-found',
    rows: [['an unknown template, whatever the text', { templateId: 'other', credential: 'hello' }]],
  },
];

const ofCard = (): Json => ({ credentialConfigurationId: undefined, templateId: card });
const valid = (): Json => ({ offerId: randomUUID(), credentialConfigurationId: quickStart, credential: w3c });

describe('POST /v0/credentials refuses what was signed elsewhere', () => {
  it.each(rowsOf(problems))('$name: $what', async (refused) => {
    await expectRefused(service, '/v0/credentials', valid(), refused);
  });

  it('not when nothing is wrong', async () => {
    const url = `${service.url}/v0/credentials`;
    answered(201, await postJson(url, valid()));
    answered(201, await postJson(url, { ...valid(), ...ofCard(), credential: sdJwt, isSigned: true }));
  });
});
