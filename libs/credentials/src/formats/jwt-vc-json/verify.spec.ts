/** @jest-environment node */
import { thumbprint } from '@app/primitives/jose';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import {
  audience,
  expectedJwt,
  holder,
  holderKey,
  issuer,
  issuerKey,
  jwtVc,
  type JwtChanges,
  jwtVcPayload,
  jwtVcQuery,
  query,
  jwtVp,
  network,
  policy,
  sdJwtPresentation,
  seconds,
} from '../../../fixtures/presentations';
import { expectRefusal } from '../../../fixtures/refusal';
import { didJwk } from '../../issuers/did';
import { jwtVcJsonPayload } from './build';
import type { CheckName } from '../../presentation-check';
import { verifyPresentation } from '../../presentation-verifier';
import type { ExpectedPresentation } from '../../presentation/expected-presentation';
import type { PresentationPolicy, PresentationResult } from '../../presentation/verified-credential';

const other = signingKey();
const otherDid = didJwk(other.jwk);
const edKey = signingKey('EdDSA');
const edDid = didJwk(edKey.jwk);
const bearerQuery = { ...jwtVcQuery, require_cryptographic_holder_binding: false };

function verify(
  text: string,
  changes: Partial<ExpectedPresentation> = {},
  rules: PresentationPolicy = policy(),
): Promise<PresentationResult> {
  return verifyPresentation(text, { ...expectedJwt, ...changes }, rules);
}

/** A presentation of an otherwise honest credential. */
function presenting(changes: JwtChanges): string {
  return jwtVp({}, jwtVc(changes));
}

/** The same of one whose `vc` has other members; `undefined` takes a member away. */
function vcWith(
  members: Record<string, JsonValue | undefined>,
  payload: JsonObject = {},
  without: string[] = [],
): string {
  return presenting({ payload: { ...payload, vc: changed(jwtVcPayload['vc'] as JsonObject, members) }, without });
}

function vpWith(members: Record<string, JsonValue | undefined>): string {
  const vp = { '@context': [], type: ['VerifiablePresentation'], verifiableCredential: [jwtVc()] };
  return jwtVp({ payload: { vp: changed(vp, members) } });
}

function changed(object: JsonObject, members: Record<string, JsonValue | undefined>): JsonObject {
  const entries = Object.entries<JsonValue | undefined>({ ...object, ...members });
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

describe('an honest jwt_vp', () => {
  it('passes every check and releases the credential', async () => {
    const result = await verify(jwtVp());
    expect(result.checks.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'structure passed',
      'nonce passed',
      'audience passed',
      'key-binding passed',
      'issuer-trusted passed',
      'issuer-key passed',
      'issuer-signature passed',
      'times passed',
      'holder-binding passed',
      'status passed',
      'query passed',
      'trusted-authorities skipped',
    ]);
    expect(result).toMatchObject({
      verified: true,
      credential: {
        format: 'jwt_vc_json',
        issuer,
        types: ['VerifiableCredential', 'Diploma'],
        holder: { did: holder, thumbprint: thumbprint(holderKey.jwk) },
        issuedAt: new Date((seconds - 3600) * 1000),
        expiresAt: new Date((seconds + 3600) * 1000),
        claims: { issuer, credentialSubject: { id: holder, name: 'Ada' } },
      },
    });
  });

  it.each<[string, string]>([
    ['no typ', jwtVp({ without: ['typ'] }, jwtVc({ without: ['typ'] }))],
    ['the holder repeated as sub and as vp.holder', vpWithHolder()],
    ['the audience as list of one', jwtVp({ payload: { aud: [audience] } })],
    ['no exp and no iat', jwtVp({ without: ['exp', 'iat'] })],
    ['a context that is no list', vcWith({ '@context': 'https://www.w3.org/2018/credentials/v1' })],
    ['an issuer with a name', vcWith({ issuer: { id: issuer, name: 'University' } })],
    [
      'registered claims instead of members of vc',
      vcWith({ id: undefined, issuer: undefined, issuanceDate: undefined, expirationDate: undefined }),
    ],
    ['members of vc instead of registered claims', vcWith({}, {}, ['iss', 'sub', 'jti', 'nbf', 'exp'])],
    ['a time zone', vcWith({ issuanceDate: '2026-11-20T12:00:00.25+01:00' })],
    ['the key of the holder in cnf and in the header', bareKey()],
    [
      'an Ed25519 issuer',
      presentedBy(
        edKey.sign(
          { typ: 'JWT', kid: `${edDid}#0` },
          { ...jwtVcPayload, iss: edDid, vc: changed(jwtVcPayload['vc'] as JsonObject, { issuer: edDid }) },
        ),
      ),
    ],
    ['its one credential outside of a list', vpWith({ verifiableCredential: jwtVc() })],
    ['an extra credential that verifies', jwtVpOf([jwtVc(), presentedType('Other')])],
    ['the credential that answers in second place', jwtVpOf([presentedType('Other'), jwtVc()])],
    ['a credential of our own making', presentedBy(ownCredential())],
  ])('passes with %s', async (_, text) => {
    expect(await verify(text)).toMatchObject({ verified: true });
  });

  it('completes the vc object from the registered claims', async () => {
    const text = vcWith({
      id: undefined,
      issuer: undefined,
      credentialSubject: { name: 'Ada', address: { city: 'London' } },
    });
    expect(await verify(text)).toMatchObject({
      credential: { claims: { id: 'urn:uuid:1', issuer, credentialSubject: { id: holder, name: 'Ada' } } },
    });
  });

  it('answers with the credential that the wallet points to, and with no other', async () => {
    const text = jwtVpOf([presentedType('Other'), jwtVc()]);
    expect(await verify(text, { credentialIndex: 1 })).toMatchObject({ verified: true });
    expectRefusal(await verify(text, { credentialIndex: 0 }), 'query');
    expectRefusal(await verify(text, { credentialIndex: 2 }), 'query');
  });

  it('may be a credential alone when the query does not ask for its holder', async () => {
    const result = await verify(jwtVc({ without: ['sub'] }), { query: bearerQuery });
    expect(result).toMatchObject({ verified: true });
    expect(result.verified && result.credential.holder).toBeUndefined();
  });
});

type Row = [what: string, text: string, check: CheckName, changes?: Partial<ExpectedPresentation>];

const refused: Row[] = [
  ['alg none', jwtVp({ header: { alg: 'none' } }), 'key-binding'],
  ['alg HS256', jwtVp({ header: { alg: 'HS256' } }), 'key-binding'],
  ['an alg of another key', jwtVp({ header: { alg: 'EdDSA' } }), 'key-binding'],
  ['alg none in the credential', presenting({ header: { alg: 'none' } }), 'issuer-signature'],
  ['another typ', jwtVp({ header: { typ: 'vp+jwt' } }), 'structure'],
  ['a kid of another DID', jwtVp({ header: { kid: `${otherDid}#0` } }), 'key-binding'],
  ['a kid that is no DID URL', jwtVp({ header: { kid: '0' } }), 'key-binding'],
  ['an iss of another DID', jwtVp({ payload: { iss: otherDid } }), 'key-binding'],
  ['no kid', jwtVp({ without: ['kid'] }), 'key-binding'],
  ['no iss', jwtVp({ without: ['iss'] }), 'key-binding'],
  [
    'a DID that cannot be resolved',
    jwtVp({ header: { kid: 'did:example:1#0' }, payload: { iss: 'did:example:1' } }),
    'key-binding',
  ],
  ['signed by another key', jwtVp({ signer: other }), 'key-binding'],
  ['two holders', jwtVp({ payload: { sub: otherDid } }), 'structure'],
  ['two holders in vp', vpWith({ holder: otherDid }), 'structure'],
  ['another audience', jwtVp({ payload: { aud: 'x509_san_dns:evil.example' } }), 'audience'],
  ['the audience among others', jwtVp({ payload: { aud: [audience, 'https://evil.example'] } }), 'audience'],
  ['no audience', jwtVp({ without: ['aud'] }), 'audience'],
  ['another nonce', jwtVp({ payload: { nonce: 'x' } }), 'nonce'],
  ['no nonce', jwtVp({ without: ['nonce'] }), 'nonce'],
  ['expired', jwtVp({ payload: { exp: seconds - 61 } }), 'key-binding'],
  ['not valid yet', jwtVp({ payload: { nbf: seconds + 61 } }), 'key-binding'],
  ['signed long ago', jwtVp({ payload: { iat: seconds - 301 } }), 'key-binding'],
  ['an exp that is no number', jwtVp({ payload: { exp: 'never' } }), 'key-binding'],
  ['no vp', jwtVp({ without: ['vp'] }), 'structure'],
  ['a vp that is no object', jwtVp({ payload: { vp: [] } }), 'structure'],
  ['another type of presentation', vpWith({ type: ['Other'] }), 'structure'],
  ['no type', vpWith({ type: undefined }), 'structure'],
  ['no list', vpWith({ verifiableCredential: undefined }), 'structure'],
  ['an empty list', vpWith({ verifiableCredential: [] }), 'structure'],
  ['17 credentials', jwtVpOf(Array<string>(17).fill(jwtVc())), 'structure'],
  ['1,000 credentials', jwtVpOf(Array<string>(1_000).fill(jwtVc())), 'structure'],
  ['a credential that is an object', vpWith({ verifiableCredential: [{ type: [] }] }), 'structure'],
  ['a nested presentation', vpWith({ verifiableCredential: [jwtVp()] }), 'structure'],
  ['an SD-JWT inside', vpWith({ verifiableCredential: [sdJwtPresentation()] }), 'structure'],
  ['a credential signed by another key', presenting({ signer: other }), 'issuer-signature'],
  ['a credential signed by its holder', presenting({ signer: holderKey }), 'issuer-signature'],
  [
    'a credential signed by a key that only its header brings',
    presenting({ header: { jwk: { ...other.jwk } }, signer: other }),
    'issuer-signature',
  ],
  ['a forged credential next to a valid one', jwtVpOf([jwtVc(), jwtVc({ signer: other })]), 'issuer-signature'],
  ['a kid of another issuer', presenting({ header: { kid: `${otherDid}#0` } }), 'issuer-key'],
  ['another issuer in vc', vcWith({ issuer: otherDid }), 'structure'],
  ['another issuer object in vc', vcWith({ issuer: { id: otherDid } }), 'structure'],
  ['another nbf', presenting({ payload: { nbf: seconds - 3599 } }), 'structure'],
  ['another exp', presenting({ payload: { exp: seconds + 3601 } }), 'structure'],
  ['another sub', presenting({ payload: { sub: otherDid } }), 'structure'],
  ['another jti', presenting({ payload: { jti: 'urn:uuid:2' } }), 'structure'],
  ['a date without a zone', vcWith({ issuanceDate: '2026-11-20T11:00:00' }), 'structure'],
  ['no date of issue at all', vcWith({ issuanceDate: undefined }, {}, ['nbf']), 'structure'],
  ['an issuer that is no text', vcWith({ issuer: undefined }, { iss: 1 }), 'structure'],
  ['a date of no calendar', vcWith({ issuanceDate: 'yesterday' }, {}, ['nbf']), 'structure'],
  ['another typ of the credential', presenting({ header: { typ: 'vc+jwt' } }), 'structure'],
  ['no issuer at all', vcWith({ issuer: undefined }, {}, ['iss']), 'structure'],
  [
    'a credential of another holder',
    vcWith({ credentialSubject: { id: otherDid, name: 'Ada', address: { city: 'London' } } }, { sub: otherDid }),
    'holder-binding',
  ],
  [
    'a credential without a subject',
    vcWith({ credentialSubject: { name: 'Ada', address: { city: 'London' } } }, {}, ['sub']),
    'holder-binding',
  ],
  [
    'a credential without a subject and a bare key',
    jwtVp(
      { header: { jwk: { ...holderKey.jwk } }, without: ['kid', 'iss'] },
      jwtVc({
        payload: { vc: changed(jwtVcPayload['vc'] as JsonObject, { credentialSubject: { name: 'Ada' } }) },
        without: ['sub'],
      }),
    ),
    'holder-binding',
  ],
  ['a stolen credential next to one of their own', jwtVpOf([jwtVc(), stolen()]), 'holder-binding'],
  [
    'a bare key that the credential is not bound to',
    jwtVp({ header: { jwk: { ...holderKey.jwk } }, without: ['kid', 'iss'] }),
    'holder-binding',
  ],
  [
    'a bare key and another DID',
    jwtVp({ header: { jwk: { ...holderKey.jwk } }, payload: { iss: otherDid }, without: ['kid'] }),
    'key-binding',
  ],
  [
    'a private key in the header',
    jwtVp({ header: { jwk: { ...holderKey.jwk, d: 'AAAA' } }, without: ['kid', 'iss'] }),
    'key-binding',
  ],
  ['an expired credential', vcWith({ expirationDate: undefined }, { exp: seconds - 61 }), 'times'],
  ['a credential expired by its date only', vcWith({ expirationDate: '2026-11-20T11:58:00Z' }, {}, ['exp']), 'times'],
  ['a credential of the future', vcWith({ issuanceDate: undefined }, { nbf: seconds + 61 }), 'times'],
  ['another type', vcWith({ type: ['VerifiableCredential', 'Licence'] }), 'query'],
  ['no base type', vcWith({ type: ['Diploma'] }), 'structure'],
  ['no vc', presenting({ without: ['vc'] }), 'structure'],
  ['a vc that is text', presenting({ payload: { vc: 'x' } }), 'structure'],
  ['a context of VCDM 2.0', vcWith({ '@context': ['https://www.w3.org/ns/credentials/v2'] }), 'structure'],
  [
    'a payload of VCDM 2.0',
    presentedBy(issuerKey.sign({ typ: 'JWT', kid: `${issuer}#0` }, { ...(jwtVcPayload['vc'] as JsonObject) })),
    'structure',
  ],
  ['no context', vcWith({ '@context': undefined }), 'structure'],
  ['several subjects', vcWith({ credentialSubject: [{ id: holder, name: 'Ada' }] }), 'structure'],
  [
    'a claim called __proto__',
    presentedBy(
      issuerKey.signText(
        { typ: 'JWT', kid: `${issuer}#0` },
        JSON.stringify(jwtVcPayload).replace('"name"', '"__proto__"'),
      ),
    ),
    'structure',
  ],
  [
    'a member twice in the payload',
    presentedBy(
      issuerKey.signText(
        { typ: 'JWT', kid: `${issuer}#0` },
        JSON.stringify(jwtVcPayload).replace('{', `{"iss":"${issuer}",`),
      ),
    ),
    'structure',
  ],
  ['a critical header', presenting({ header: { crit: ['exp'] } }), 'structure'],
  ['a status of another kind', vcWith({ credentialStatus: { type: 'BitstringStatusListEntry' } }), 'status'],
  ['a claim missing', vcWith({ credentialSubject: { id: holder, name: 'Ada' } }), 'query'],
  ['another format', jwtVp(), 'structure', { query }],
  ['a credential alone', jwtVc(), 'key-binding'],
  ['nesting 20,000 deep', deepJws(), 'structure'],
];

describe('a jwt_vp', () => {
  it.each(refused)('is refused with %s', async (...[, text, check, changes]) => {
    expectRefusal(await verify(text, changes), check);
  });

  it('is refused with the reason that VCDM 2.0 is another format', async () => {
    const result = await verify(vcWith({ '@context': ['https://www.w3.org/ns/credentials/v2'] }));
    expect(result).toMatchObject({ failure: { reason: expect.stringContaining('VCDM 2.0') } });
  });

  it('is refused with a key that the DID lists for assertions only', async () => {
    const did = 'did:web:holder.example';
    const document = {
      id: did,
      verificationMethod: [{ id: `${did}#1`, publicKeyJwk: { ...holderKey.jwk } }],
      assertionMethod: [`${did}#1`],
    };
    const { fetch } = network({ 'https://holder.example/.well-known/did.json': { body: document } });
    const text = jwtVp({ header: { kid: `${did}#1` }, payload: { iss: did } });
    expectRefusal(await verify(text, {}, policy({ fetch })), 'key-binding');
  });

  it('is refused with a key of a DID whose name only begins like its iss', async () => {
    const did = 'did:web:holder.example';
    const longer = `${did}.evil`;
    const document = {
      id: longer,
      verificationMethod: [{ id: `${longer}#1`, publicKeyJwk: { ...other.jwk } }],
      authentication: [`${longer}#1`],
    };
    const { fetch } = network({ 'https://holder.example.evil/.well-known/did.json': { body: document } });
    const text = jwtVp({ header: { kid: `${longer}#1` }, payload: { iss: did }, signer: other });
    expectRefusal(await verify(text, {}, policy({ fetch })), 'key-binding');
  });

  it('is refused when the issuer lists the key for authentication only', async () => {
    const did = 'did:web:issuer.example';
    const document = {
      id: did,
      verificationMethod: [{ id: `${did}#1`, publicKeyJwk: { ...issuerKey.jwk } }],
      authentication: [`${did}#1`],
    };
    const { fetch } = network({ 'https://issuer.example/.well-known/did.json': { body: document } });
    const vc = changed(jwtVcPayload['vc'] as JsonObject, { issuer: did });
    const text = presenting({ header: { kid: `${did}#1` }, payload: { iss: did, vc } });
    expectRefusal(await verify(text, {}, policy({ fetch })), 'issuer-key');
  });

  it('asks whether the issuer is trusted for the types of the credential', async () => {
    const isTrusted = jest.fn(() => 'untrusted' as const);
    expectRefusal(await verify(jwtVp(), {}, policy({ isTrusted })), 'issuer-trusted');
    expect(isTrusted.mock.calls).toEqual([[issuer, ['VerifiableCredential', 'Diploma']]]);
  });
});

function jwtVpOf(list: string[]): string {
  return vpWith({ verifiableCredential: list });
}

function presentedBy(vc: string): string {
  return jwtVp({}, vc);
}

function presentedType(type: string): string {
  return jwtVc({
    payload: { vc: changed(jwtVcPayload['vc'] as JsonObject, { type: ['VerifiableCredential', type] }) },
  });
}

function stolen(): string {
  const vc = changed(jwtVcPayload['vc'] as JsonObject, { credentialSubject: { id: otherDid } });
  return jwtVc({ payload: { sub: otherDid, vc } });
}

function vpWithHolder(): string {
  const vp = { type: ['VerifiablePresentation'], holder, verifiableCredential: [jwtVc()] };
  return jwtVp({ payload: { sub: holder, vp } });
}

function bareKey(): string {
  const jwk = { ...holderKey.jwk };
  return jwtVp({ header: { jwk }, without: ['kid', 'iss'] }, jwtVc({ payload: { cnf: { jwk } } }));
}

function ownCredential(): string {
  const payload = jwtVcJsonPayload({
    issuer: { id: issuer, name: 'University' },
    types: ['Diploma'],
    subjectClaims: { name: 'Ada', address: { city: 'London' } },
    subject: 'holder',
    holder: { jwk: holderKey.jwk },
    credentialId: 'urn:uuid:1',
    issuedAt: new Date((seconds - 60) * 1000),
    expiresAt: new Date((seconds + 60) * 1000),
  });
  return issuerKey.sign({ typ: 'JWT', kid: `${issuer}#0` }, payload);
}

function deepJws(): string {
  return holderKey.signText({ typ: 'JWT' }, `{"vp":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
}
