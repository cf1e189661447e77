import { thumbprint } from '@app/primitives/jose';
import type { JsonObject } from '@app/primitives/json';
import fc from 'fast-check';
import { encode, signingKey } from '@app/primitives/fixtures/signing-key';
import {
  audience,
  digest,
  disclosures,
  expected,
  holder,
  holderKey,
  issuer,
  issuerKey,
  network,
  policy,
  jwtVcQuery,
  query,
  sdJwt,
  type SdJwtChanges,
  sdJwtPayload,
  sdJwtPresentation,
  seconds,
  vct,
} from '../../../fixtures/presentations';
import { expectRefusal } from '../../../fixtures/refusal';
import { didJwk } from '../../issuers/did';
import type { CheckName } from '../../presentation-check';
import { verifyPresentation } from '../../presentation-verifier';
import type { ExpectedPresentation } from '../../presentation/expected-presentation';
import type { PresentationPolicy, PresentationResult } from '../../presentation/verified-credential';

const other = signingKey();
const edKey = signingKey('EdDSA');

function verify(
  text: string,
  changes: Partial<ExpectedPresentation> = {},
  rules: PresentationPolicy = policy(),
): Promise<PresentationResult> {
  return verifyPresentation(text, { ...expected, ...changes }, rules);
}

describe('an honest SD-JWT VC presentation', () => {
  it('passes every check and releases what was disclosed', async () => {
    const result = await verify(sdJwtPresentation());
    expect(result.checks).toEqual([
      ...['structure', 'nonce', 'audience', 'issuer-trusted', 'issuer-key', 'issuer-signature', 'disclosures', 'times']
        .concat('key-binding')
        .map((name) => ({ name, outcome: 'passed' })),
      { name: 'transaction-data', outcome: 'skipped', reason: 'the request does not ask for it' },
      { name: 'status', outcome: 'passed', reason: 'the issuer gave the credential no status' },
      { name: 'query', outcome: 'passed' },
      { name: 'trusted-authorities', outcome: 'skipped', reason: 'the request does not ask for it' },
    ]);
    const { _sd, _sd_alg, ...visible } = sdJwtPayload;
    expect(result).toMatchObject({
      verified: true,
      credential: {
        format: 'dc+sd-jwt',
        issuer,
        types: [vct],
        holder: { thumbprint: thumbprint(holderKey.jwk) },
        issuedAt: new Date((seconds - 3600) * 1000),
        expiresAt: new Date((seconds + 3600) * 1000),
        status: 'none',
        trust: 'trusted',
      },
    });
    expect(claimsOf(result)).toEqual({
      ...visible,
      name: 'Ada',
      address: { country: 'UK', city: 'London' },
      nationalities: ['FR', 'GB'],
    });
  });

  it.each<[string, string]>([
    ['the type of older drafts', sdJwtPresentation({ header: { typ: 'vc+sd-jwt' } })],
    ['only some disclosures', sdJwtPresentation({ disclosures: [disclosures.city, disclosures.name] })],
    ['no exp and no iat', sdJwtPresentation({ without: ['exp'], payload: { iat: seconds } })],
    ['a cnf.jwk with optional members', bound({ ...holderKey.jwk, kid: 'k', alg: 'ES256', use: 'sig' })],
    ['a cnf.jwk with the required members only', bound({ ...holderKey.jwk })],
    ['the DID URL of the holder as cnf.kid', sdJwtPresentation({ payload: { cnf: { kid: `${holder}#0` } } })],
    ['an exp of a minute ago', sdJwtPresentation({ payload: { exp: seconds - 59 } })],
    ['a key binding JWT that is a little early', sdJwtPresentation({ keyBinding: { iat: seconds + 50 } })],
    ['an Ed25519 holder', sdJwtPresentation({ payload: { cnf: { jwk: { ...edKey.jwk } } }, keyBindingSigner: edKey })],
  ])('passes with %s', async (_, text) => {
    expect(await verify(text)).toMatchObject({ verified: true });
  });

  it.each(['sha-384', 'sha-512'])('passes with digests of %s', async (name) => {
    const algorithm = name.replace('-', '');
    const text = sdJwt({
      payload: { _sd_alg: name, _sd: [digest(disclosures.name, algorithm)], address: { city: 'London' } },
      disclosures: [disclosures.name],
      without: ['nationalities'],
    });
    const payload = { iat: seconds, nonce: expected.nonce, aud: audience, sd_hash: digest(text, algorithm) };
    expect(await verify(text + holderKey.sign({ typ: 'kb+jwt' }, payload))).toMatchObject({ verified: true });
  });

  it('names the DID of the holder when the credential does', async () => {
    const cnf = { jwk: { ...holderKey.jwk }, kid: `${holder}#0` };
    expect(await verify(sdJwtPresentation({ payload: { cnf } }))).toMatchObject({
      credential: { holder: { did: holder, thumbprint: thumbprint(holderKey.jwk) } },
    });
  });

  it('needs no key binding when the query does not ask for it, and says what it did not check', async () => {
    const result = await verify(sdJwt(), { query: unbound });
    expect(result).toMatchObject({ verified: true });
    expect(result.verified && result.credential.holder).toBeUndefined();
    expect(result.checks.filter(({ outcome }) => outcome === 'skipped')).toEqual(
      ['nonce', 'audience', 'key-binding', 'transaction-data', 'trusted-authorities'].map((name) => ({
        name,
        outcome: 'skipped',
        reason: 'the request does not ask for it',
      })),
    );
  });

  it('says when its issuer is accepted in development only', async () => {
    const result = await verify(sdJwtPresentation(), {}, policy({ isTrusted: () => 'accepted-in-development' }));
    expect(result).toMatchObject({ verified: true, credential: { trust: 'accepted-in-development' } });
    expect(result.checks).toContainEqual({
      name: 'issuer-trusted',
      outcome: 'passed',
      reason: 'accepted in development only',
    });
  });
});

const unbound = { ...query, require_cryptographic_holder_binding: false };

function bound(jwk: JsonObject): string {
  return sdJwtPresentation({ payload: { cnf: { jwk } } });
}

function claimsOf(result: PresentationResult): unknown {
  return result.verified && JSON.parse(JSON.stringify(result.credential.claims));
}

type Row = [what: string, text: string, check: CheckName, changes?: Partial<ExpectedPresentation>];

const [jwt = ''] = sdJwt().split('~');
const [head = '', body = '', signature = ''] = jwt.split('.');
const refused: Row[] = [
  [
    'a broken issuer signature',
    sdJwtPresentation().replace(/(?<=^[^.]+\.[^.]+\.).{10}/, 'AAAAAAAAAA'),
    'issuer-signature',
  ],
  ['a signature of another key', sdJwtPresentation({ signer: other }), 'issuer-signature'],
  ['alg none', sdJwtPresentation({ header: { alg: 'none' } }), 'issuer-signature'],
  ['alg HS256', sdJwtPresentation({ header: { alg: 'HS256' } }), 'issuer-signature'],
  ['ES256 said of an Ed25519 key', edIssued('ES256'), 'issuer-signature'],
  ['alg missing', sdJwtPresentation({ signer: { ...issuerKey, sign: unsigned } }), 'issuer-signature'],
  ['typ JWT', sdJwtPresentation({ header: { typ: 'JWT' } }), 'structure'],
  ['typ kb+jwt', sdJwtPresentation({ header: { typ: 'kb+jwt' } }), 'structure'],
  ['no typ', sdJwt({ without: ['typ'] }), 'structure', { query: unbound }],
  ['a critical header', sdJwtPresentation({ header: { crit: ['exp'] } }), 'structure'],
  [
    'a key that only the header brings',
    sdJwtPresentation({ header: { jwk: { ...other.jwk } }, signer: other }),
    'issuer-signature',
  ],
  [
    'an issuer that is neither URL nor DID',
    sdJwtPresentation({ payload: { iss: 'mailto:a@example.org' } }),
    'issuer-key',
  ],
  [
    'a DID method that is not supported',
    sdJwtPresentation({ header: { kid: 'did:example:1#0' }, payload: { iss: 'did:example:1' } }),
    'issuer-key',
  ],
  ['an http issuer', sdJwtPresentation({ payload: { iss: 'http://issuer.example' } }), 'issuer-key'],
  ['no issuer', sdJwtPresentation({ without: ['iss'] }), 'structure'],
  ['a kid of another DID', sdJwtPresentation({ header: { kid: `${didJwk(other.jwk)}#0` } }), 'issuer-key'],
  ['a kid that the DID does not have', sdJwtPresentation({ header: { kid: `${issuer}#1` } }), 'issuer-key'],

  ['an expired credential', sdJwtPresentation({ payload: { exp: seconds - 61 } }), 'times'],
  ['a credential of the future', sdJwtPresentation({ payload: { nbf: seconds + 61 } }), 'times'],
  ['an iat in the future', sdJwtPresentation({ payload: { iat: seconds + 61 } }), 'times'],
  ['an exp that is a string', sdJwtPresentation({ payload: { exp: '2100000000' } }), 'times'],
  ['an exp beyond all dates', raw({ without: ['exp'] }, '"exp":1e999'), 'times'],
  ['no vct', sdJwtPresentation({ without: ['vct'] }), 'structure'],
  ['a vct that is no string', sdJwtPresentation({ payload: { vct: [vct] } }), 'structure'],
  ['a member twice in the payload', raw({}, `"iss":"${issuer}"`), 'structure'],
  ['no tilde at all', jwt, 'structure'],
  ['no tilde after the last disclosure', sdJwt().slice(0, -1), 'structure', { query: unbound }],
  ['an empty disclosure', `${jwt}~~`, 'structure', { query: unbound }],
  ['nothing', '', 'structure'],
  ['a tilde', '~', 'structure'],
  ['white space', ` ${sdJwtPresentation()}`, 'structure'],
  ['a line break at its end', `${sdJwtPresentation()}\n`, 'structure'],
  ['padding at its end', `${sdJwtPresentation()}=`, 'structure'],
  ['an issuer JWT of two parts', `${head}.${body}~`, 'structure', { query: unbound }],
  ['the JSON serialisation', JSON.stringify({ payload: body, signature }), 'structure'],

  // Query
  ['a requested claim withheld', sdJwtPresentation({ disclosures: [disclosures.city] }), 'query'],
  [
    'another value',
    sdJwtPresentation({ payload: { address: { city: 'Paris' } }, disclosures: [disclosures.name] }),
    'query',
  ],
  ['another vct', sdJwtPresentation({ payload: { vct: `${vct}0` } }), 'query'],
  ['another format', sdJwtPresentation(), 'query', { query: jwtVcQuery }],
  [
    'a trusted authority that does not vouch',
    sdJwtPresentation(),
    'trusted-authorities',
    { query: { ...query, trusted_authorities: [{ type: 'aki', values: ['AAAA'] }] } },
  ],
  ['a status of unknown kind', sdJwtPresentation({ payload: { status: { other: {} } } }), 'status'],
];

describe('an SD-JWT VC presentation', () => {
  it.each(refused)('is refused with %s', async (...[, text, check, changes]) => {
    expectRefusal(await verify(text, changes), check);
  });

  it('is refused when the issuer is not trusted, or not for this type, and then sends no request', async () => {
    const { fetch, asked } = network();
    const text = sdJwtPresentation({ payload: { iss: 'https://issuer.example' } });
    const isTrusted = jest.fn(() => 'untrusted' as const);
    expect(await verify(text, {}, policy({ fetch, isTrusted }))).toMatchObject({
      failure: { check: 'issuer-trusted' },
    });
    expect(isTrusted.mock.calls).toEqual([['https://issuer.example', [vct]]]);
    expect(asked).toEqual([]);
  });

  it('is refused with any one byte flipped', async () => {
    const text = sdJwtPresentation();
    const position = fc.tuple(fc.nat(text.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(position, async ([at, mask]) => {
        const flipped = String.fromCharCode(text.charCodeAt(at) ^ mask);
        const result = await verify(text.slice(0, at) + flipped + text.slice(at + 1));
        expect(result.verified).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

function unsigned(header: JsonObject, payload: JsonObject): string {
  return `${encode(header)}.${encode(payload)}.AAAA`;
}

function edIssued(alg: string): string {
  const iss = didJwk(edKey.jwk);
  return sdJwtPresentation({ header: { alg, kid: `${iss}#0` }, payload: { iss }, signer: edKey });
}

/** A presentation whose payload has a further member in its text. */
function raw(changes: SdJwtChanges, member: string): string {
  const signRaw = (header: JsonObject, payload: JsonObject): string =>
    issuerKey.signText(header, `{${member},${JSON.stringify(payload).slice(1)}`);
  return sdJwtPresentation({ ...changes, signer: { ...issuerKey, sign: signRaw } });
}
