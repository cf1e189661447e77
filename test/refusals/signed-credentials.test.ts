import { randomUUID } from 'node:crypto';
import { expectRefused, type RefusedBodies, rowsOf } from '../support/portal/refused-bodies';
import { answered, type Json, postJson } from '../support/http/requests';
import {
  disclosure,
  foreignJwtVc,
  foreignSdJwt,
  inSeconds,
  type JwtChanges,
  type JwtVcChanges,
  type SdJwtChanges,
} from '../support/presenters/credentials';
import { base64url, newHolder } from '../support/wallets/key-proofs';
import { publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile();
let card: string;
beforeAll(async () => {
  card = await publishedTemplate(service.url);
});

const issuer = newHolder('ES256', 'did:jwk');
const other = newHolder('ES256', 'did:jwk');
const holder = newHolder('ES256', 'did:jwk');
const exp = inSeconds(3600);
const w3cOf = (changes: JwtVcChanges = {}): string => foreignJwtVc(issuer, holder, changes);
const w3c = w3cOf({ payload: { exp } });
const sdJwtOf = (changes: SdJwtChanges = {}): string => foreignSdJwt(issuer, holder, changes);
const sdJwt = sdJwtOf();
const endless = sdJwtOf({ payload: { exp: undefined } });
/** After the limit of the template, which is 30 days. */
const beyond = inSeconds(31 * 24 * 3600);
const late = sdJwtOf({ payload: { exp: beyond } });
const [jwt = '', firstDisclosure = '', ...otherDisclosures] = sdJwt.split('~');
const parts = w3c.split('.');
const of = (alg: unknown, bytes: number): JwtChanges => ({ header: { alg }, sign: () => Buffer.alloc(bytes, 1) });
/** As an issuer that signs anything. */
const withDisclosure = (text: string): string => sdJwtOf({ disclosures: [text] });
const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

const problems: RefusedBodies[] = [
  {
    name: 'Invalid Signed Credential Format',
    status: 400,
    slug: 'invalid-signed-credential-format',
    rows: [
      [
        'an SD-JWT signed by another issuer',
        () => ({ ...ofCard(), credential: sdJwtOf({ signer: other }) }),
        '/credential',
      ],
      ...[
        ['nothing', ''],
        ['plain text', 'hello'],
        ['a JWT of two parts', parts.slice(0, 2).join('.')],
        ['a JWT of four parts', `${w3c}.x`],
        ['a JWT with padding', `${parts[0] ?? ''}=.${parts[1] ?? ''}.${parts[2] ?? ''}`],
        ['a JWT with white space', ` ${w3c}`],
        ['a header that is no JSON', `e30x.${parts[1] ?? ''}.${parts[2] ?? ''}`],
        ['a header that is a list', `${base64url('[]')}.${parts[1] ?? ''}.${parts[2] ?? ''}`],
        ['a payload that is a text', `${parts[0] ?? ''}.${base64url('"vc"')}.${parts[2] ?? ''}`],
        ['a critical header', w3cOf({ header: { crit: ['b64'] } })],
        ['a W3C credential that says to be an access token', w3cOf({ header: { typ: 'at+jwt' } })],
        ['a W3C credential that says to be a key proof', w3cOf({ header: { typ: 'openid4vci-proof+jwt' } })],
        ['a W3C credential whose typ is a list', w3cOf({ header: { typ: ['JWT'] } })],
        ['a JWT without vc', w3cOf({ payload: { vc: undefined } })],
        ['a vc that is a list', w3cOf({ payload: { vc: [] } })],
        ['an exp that is a text', w3cOf({ payload: { exp: 'never' } })],
        ['an SD-JWT without typ', sdJwtOf({ header: { typ: undefined } })],
        ['an SD-JWT of another typ', sdJwtOf({ header: { typ: 'JWT' } })],
        ['an SD-JWT without vct', sdJwtOf({ payload: { vct: undefined } })],
        ['an SD-JWT whose vct is a number', sdJwtOf({ payload: { vct: 1 } })],
        ['an SD-JWT without its last tilde', sdJwt.slice(0, -1)],
        ['an SD-JWT with a key binding', `${sdJwt}${w3c}`],
        ['an SD-JWT with white space', `${sdJwt} `],
        ['an empty disclosure', `${sdJwt}~`],
        ['a disclosure that is not base64url', withDisclosure('a+b=')],
        ['a disclosure that is no JSON', withDisclosure(base64url('["salt", "name"'))],
        ['a disclosure that is an object', withDisclosure(base64url('{"salt":"name"}'))],
        ['a disclosure without a salt', withDisclosure(base64url('[]'))],
        ['a disclosure of an element among claims', withDisclosure(disclosure('x'))],
        ['a disclosure of a claim that is there already', withDisclosure(disclosure('given_name', 'Max'))],
        ['a disclosure of a claim that must be visible', withDisclosure(disclosure('exp', 4_000_000_000))],
        ['a disclosure that no digest names', `${sdJwt}${disclosure('role', 'admin')}~`],
        ['a disclosure sent twice', `${sdJwt}${firstDisclosure}~`],
        ['an unknown digest algorithm', sdJwtOf({ payload: { _sd_alg: 'md5' } })],
        ['digests that are no texts', sdJwtOf({ claims: {}, payload: { _sd: [1] } })],
        ['no algorithm', w3cOf({ header: { alg: undefined } })],
        ['alg none without a signature', w3cOf(of('none', 0))],
        ['alg none with a signature', w3cOf(of('none', 64))],
        ['alg NoNe', w3cOf(of('NoNe', 0))],
        ['a symmetric algorithm', w3cOf(of('HS256', 32))],
        ['an algorithm that is a list', w3cOf(of(['ES256'], 64))],
        ['an algorithm called constructor', w3cOf(of('constructor', 64))],
        ['an empty signature', w3cOf(of('ES256', 0))],
        ['a signature of two bytes', w3cOf(of('ES256', 2))],
        ['a signature in DER', w3cOf(of('ES256', 70))],
        ['a signature of another algorithm', w3cOf(of('ES384', 64))],
        ['an RSA signature of 1024 bits', w3cOf(of('RS256', 128))],
        ['an SD-JWT with alg none', sdJwtOf(of('none', 0))],
        ['an SD-JWT with an empty signature', sdJwtOf(of('ES256', 0))],
        ['a signature by another key', w3cOf({ signer: other })],
        ['a signature of filler bytes', w3cOf(of('ES256', 64))],
        [
          'a payload changed afterwards',
          [parts[0], w3cOf({ payload: { jti: 'urn:x:1' } }).split('.')[1], parts[2]].join('.'),
        ],
        ['the key of another algorithm', w3cOf({ signer: newHolder('ES384'), header: { alg: 'ES384' } })],
        ['a credential as JSON text', JSON.stringify({ vc: {} })],
      ].map(([what, credential]) => [String(what), { credential, isSigned: true }, '/credential'] as const),
    ],
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
    name: 'Invalid Expiration Date',
    status: 400,
    slug: 'invalid-expiration-date',
    rows: [
      ['another expiry than its own', { expiresAt: '2099-01-01T00:00:00Z' }],
      ['a second after its own', { expiresAt: at(exp + 1) }],
      [
        'an expiry of a credential that has none',
        { credential: w3cOf({ payload: { exp: undefined } }), expiresAt: at(exp) },
      ],
      ['no date', { expiresAt: 'soon' }],
      ['null', { expiresAt: null }],
      ['a credential that has expired', { credential: w3cOf({ payload: { exp: inSeconds(-1) } }) }],
      [
        'a credential that has expired, with its own expiry',
        { credential: w3cOf({ payload: { exp: 1 } }), expiresAt: at(1) },
      ],
      ['an exp beyond the year 9999', { credential: w3cOf({ payload: { exp: 253402300800 } }) }],
    ],
  },
  {
    name: 'Expiration Exceeds Template Limit',
    status: 422,
    slug: 'expiration-exceeds-template-limit',
    rows: [
      ['no exp', () => ({ ...ofCard(), credential: endless })],
      ['no exp, and never', () => ({ ...ofCard(), credential: endless, expiresAt: 'never' })],
      ['no exp, and an expiry within the limit', () => ({ ...ofCard(), credential: endless, expiresAt: at(exp) })],
      ['an exp beyond the limit', () => ({ ...ofCard(), credential: late })],
      ['an exp beyond the limit, and never', () => ({ ...ofCard(), credential: late, expiresAt: 'never' })],
      ['an exp beyond the limit, and that', () => ({ ...ofCard(), credential: late, expiresAt: at(beyond) })],
      ['an expiry beyond the limit', () => ({ ...ofCard(), credential: sdJwt, expiresAt: at(beyond) })],
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

describe('POST /v0/credentials rejects what was signed elsewhere', () => {
  it.each(rowsOf(problems))('$name: $what', async (refused) => {
    await expectRefused(service, '/v0/credentials', valid(), refused);
  });

  const prepare = (changes: Json) => postJson(`${service.url}/v0/credentials`, { ...valid(), ...changes });

  it.each<[string, () => Json]>([
    ['a W3C credential', () => ({})],
    ['one without typ', () => ({ credential: w3cOf({ header: { typ: undefined } }) })],
    ['one whose typ is vc+jwt', () => ({ credential: w3cOf({ header: { typ: 'vc+jwt' } }) })],
    [
      'one whose typ is a whole media type',
      () => ({ credential: w3cOf({ header: { typ: 'application/VC+LD+JWT' } }) }),
    ],
    ['an SD-JWT VC', () => ({ ...ofCard(), credential: sdJwt, isSigned: true })],
    ['one that is called vc+sd-jwt', () => ({ ...ofCard(), credential: sdJwtOf({ header: { typ: 'vc+sd-jwt' } }) })],
    ['one of which a claim was left out', () => ({ ...ofCard(), credential: [jwt, ...otherDisclosures].join('~') })],
    ['one without disclosures', () => ({ ...ofCard(), credential: sdJwtOf({ claims: {} }) })],
    ['one with expiresAt never', () => ({ expiresAt: 'never' })],
    ['one with its own expiry', () => ({ expiresAt: at(exp) })],
    ['one with its own expiry in another time zone', () => ({ expiresAt: at(exp).replace('.000Z', '+00:00') })],
  ])('not %s, whose signature is verified', async (_what, changes) => {
    expect(answered(201, await prepare(changes()))).toMatchObject({ signature: 'verified' });
  });

  it.each<[string, string]>([
    ['whose issuer has no DID or URL', w3cOf({ payload: { iss: 'the town hall' } })],
    ['that names no issuer', w3cOf({ payload: { iss: undefined } })],
    ['whose issuer cannot be asked', w3cOf({ payload: { iss: 'https://127.0.0.1:1/issuer' } })],
    ['of RSA', w3cOf(of('RS256', 256))],
    ['of a curve that is not verified here', w3cOf(of('ES512', 132))],
  ])('not one %s, but does not call it verified', async (_what, credential) => {
    expect(answered(201, await prepare({ credential }))).toMatchObject({ signature: 'not-checked' });
  });
});
