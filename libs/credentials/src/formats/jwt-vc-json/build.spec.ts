/** @jest-environment node */
import { decodeJws, verifyJws } from '@app/primitives/jose';
import type { JsonObject } from '@app/primitives/json';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import { ClaimsError } from '../../presentation/claims';
import { didJwk } from '../../issuers/did';
import { buildJwtVcJson, type JwtVcJsonInput } from './build';

const issuerKey = signingKey();
const { jwk } = signingKey('EdDSA');
const did = didJwk(jwk);

const input: JwtVcJsonInput = {
  issuer: 'did:web:issuer.example',
  types: ['VerifiableCredential', 'Diploma'],
  subjectClaims: { degree: { name: 'Bachelor' } },
  subject: 'holder',
  holder: { jwk, did, keyId: `${did}#0` },
  credentialId: 'urn:uuid:5d5e3b54-5bd2-4a4f-9fd2-1d2c2dd0e2a1',
  issuedAt: new Date('2026-11-20T12:00:00.999Z'),
  expiresAt: new Date('2027-11-20T12:00:00.999Z'),
  sign: (header, payload) => Promise.resolve(issuerKey.sign({ ...header, kid: 'did:web:issuer.example#1' }, payload)),
};

async function issue(changes: Partial<JwtVcJsonInput> = {}): Promise<{ header: JsonObject; payload: JsonObject }> {
  const jws = decodeJws(await buildJwtVcJson({ ...input, ...changes }));
  verifyJws(jws, issuerKey.jwk, ['ES256']);
  return jws;
}

const without = (...names: (keyof JwtVcJsonInput)[]): JwtVcJsonInput =>
  Object.fromEntries(
    Object.entries(input).filter(([name]) => !names.some((other) => other === name)),
  ) as JwtVcJsonInput;

describe('a jwt_vc_json credential', () => {
  it('repeats its registered claims in vc', async () => {
    const { header, payload } = await issue();
    expect(header).toEqual({ typ: 'JWT', alg: 'ES256', kid: 'did:web:issuer.example#1' });
    expect(payload).toEqual({
      iss: 'did:web:issuer.example',
      sub: did,
      jti: input.credentialId,
      nbf: 1_795_176_000,
      iat: 1_795_176_000,
      exp: 1_826_712_000,
      vc: {
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        id: input.credentialId,
        type: ['VerifiableCredential', 'Diploma'],
        issuer: 'did:web:issuer.example',
        issuanceDate: '2026-11-20T12:00:00Z',
        expirationDate: '2027-11-20T12:00:00Z',
        credentialSubject: { id: did, degree: { name: 'Bachelor' } },
      },
    });
  });

  it('names an issuer with a name by its id', async () => {
    const { payload } = await issue({ issuer: { id: 'https://issuer.example', name: 'Issuer' } });
    expect(payload['iss']).toBe('https://issuer.example');
    expect(payload['vc']).toMatchObject({ issuer: { id: 'https://issuer.example', name: 'Issuer' } });
  });

  it('puts the base context and type first, once', async () => {
    const contexts = ['https://a.example/v1', 'https://www.w3.org/2018/credentials/v1'];
    expect((await issue({ types: ['Diploma'], contexts })).payload['vc']).toMatchObject({
      '@context': ['https://www.w3.org/2018/credentials/v1', 'https://a.example/v1'],
      type: ['VerifiableCredential', 'Diploma'],
    });
  });

  it('binds a bare key by its did:jwk and by cnf', async () => {
    expect((await issue({ holder: { jwk } })).payload).toMatchObject({
      sub: did,
      cnf: { jwk },
      vc: { credentialSubject: { id: did } },
    });
  });

  it.each([
    ['a DID of its own', { jwk, did: 'did:key:zHolder', keyId: 'did:key:zHolder#zHolder' }],
    ['a bare key', { jwk }],
  ])('keeps the id of its subject and is bound by cnf to a holder who proved %s', async (_, holder) => {
    const id = 'urn:uuid:8a1f8f6e-1d0a-4cbb-b1f5-3f4b3e2b1a00';
    const subjectClaims = { id, degree: 'Bachelor' };
    expect((await issue({ subjectClaims, holder })).payload).toMatchObject({
      sub: id,
      cnf: { jwk },
      vc: { credentialSubject: subjectClaims },
    });
  });

  it('is bound by its subject alone when that is the DID of the holder', async () => {
    const { payload } = await issue({ subjectClaims: { id: did } });
    expect(payload).toMatchObject({ sub: did, vc: { credentialSubject: { id: did } } });
    expect(payload).not.toHaveProperty('cnf');
  });

  it('about a thing names no subject of its own accord and is bound by cnf', async () => {
    const { payload } = await issue({ subject: 'thing' });
    expect(payload).not.toHaveProperty('sub');
    expect(payload).toMatchObject({ cnf: { jwk }, vc: { credentialSubject: { degree: { name: 'Bachelor' } } } });
    expect(payload['vc']).not.toHaveProperty('credentialSubject.id');
  });

  it('has no subject id and no expiry when it has neither holder nor expiry', async () => {
    const { payload } = decodeJws(await buildJwtVcJson(without('holder', 'expiresAt')));
    expect(Object.keys(payload)).not.toEqual(expect.arrayContaining(['sub']));
    expect(payload).not.toHaveProperty('exp');
    expect(payload).not.toHaveProperty('cnf');
    expect(payload['vc']).not.toHaveProperty('expirationDate');
    expect(payload['vc']).toMatchObject({ credentialSubject: { degree: { name: 'Bachelor' } } });
  });

  it('refers to its place in a status list', async () => {
    const uri = 'https://issuer.example/status_lists/1';
    const bitstrings = { revocation: `${uri}/revocation`, suspension: `${uri}/suspension` };
    const { status, vc } = (await issue({ status: { uri, idx: 7, bitstrings } })).payload;
    expect(status).toEqual({ status_list: { uri, idx: 7 } });
    expect(vc).toMatchObject({
      '@context': expect.arrayContaining(['https://www.w3.org/ns/credentials/status/v1']),
      credentialStatus: ['revocation', 'suspension'].map((statusPurpose) => ({
        id: `${uri}/${statusPurpose}#7`,
        type: 'BitstringStatusListEntry',
        statusPurpose,
        statusListIndex: '7',
        statusListCredential: `${uri}/${statusPurpose}`,
      })),
    });
  });

  it.each<[string, Partial<JwtVcJsonInput>, string]>([
    ['a subject id that is no string', { subjectClaims: { id: 7 } }, 'invalid-id'],
    ['unsafe claims', { subjectClaims: { a: { _sd: [] } } }, 'unsafe-name'],
    ['an expiry before its issue', { expiresAt: new Date('2026-11-20T11:59:59Z') }, 'invalid-expiry'],
    ['an expiry in the second of its issue', { expiresAt: new Date('2026-11-20T12:00:00.999Z') }, 'invalid-expiry'],
    ['an expiry that is no time', { expiresAt: new Date(Number.NaN) }, 'invalid-expiry'],
  ])('is refused with %s', async (_, changes, reason) => {
    await expect(issue(changes)).rejects.toMatchObject({ constructor: ClaimsError, reason });
  });

  it('names its subject also without a holder', async () => {
    const { payload } = decodeJws(await buildJwtVcJson({ ...without('holder'), subjectClaims: { id: did } }));
    expect(payload).toMatchObject({ sub: did, vc: { credentialSubject: { id: did } } });
    expect(payload).not.toHaveProperty('cnf');
  });
});
