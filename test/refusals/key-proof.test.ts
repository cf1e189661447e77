import { createHmac, randomBytes } from 'node:crypto';
import { base64url, type Holder, newHolder, type ProofChanges, signatureOf } from '../support/wallets/key-proofs';
import { answered, type Json } from '../support/http/requests';
import { credentialStatus, prepareOffer } from '../support/portal/portal';
import { expectRefusal } from '../support/http/refusals';
import { type RunningService, startService } from '../support/service/service';
import {
  credentialRequest,
  nonceFrom,
  openSession,
  type RequestClass,
  requestCredential,
  type Session,
} from '../support/wallets/wallet';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

interface ProofRefusal {
  readonly what: string;
  readonly holder?: Holder;
  readonly proof: ProofChanges;
  /** Classes that accept it as a spelling of older wallets. */
  readonly toleratedBy?: readonly RequestClass[];
}

const now = () => Math.floor(Date.now() / 1000);
const stranger = newHolder();
const holder = newHolder();
const edHolder = newHolder('EdDSA');
const didHolder = newHolder('ES256', 'did:jwk');
const header = (changes: Json): ProofChanges => ({ header: changes });
const claims = (changes: Json): ProofChanges => ({ claims: changes });
const kid = (id: string): ProofChanges => header({ jwk: undefined, kid: id });

/** A "key" under which one signature fits every message: the neutral point of Ed25519, R = 1 and S = 0. */
const neutralPoint = Buffer.from([1, ...Buffer.alloc(31)]);
const neutralSignature = Buffer.concat([neutralPoint, Buffer.alloc(32)]);
const smallOrder = (x: string): Json => ({ jwk: { kty: 'OKP', crv: 'Ed25519', x } });

function part(jwt: string, index: number, replacement: (text: string) => string): string {
  const parts = jwt.split('.');
  parts[index] = replacement(parts[index] ?? '');
  return parts.join('.');
}

const refusals: ProofRefusal[] = [
  { what: 'typ absent', proof: header({ typ: undefined }) },
  { what: 'typ JWT', proof: header({ typ: 'JWT' }) },
  { what: 'typ of another use', proof: header({ typ: 'kb+jwt' }) },
  { what: 'typ in other letters', proof: header({ typ: 'OpenID4VCI-Proof+JWT' }) },
  { what: 'typ with the media type prefix', proof: header({ typ: 'application/openid4vci-proof+jwt' }) },
  { what: 'alg none without signature', proof: { header: { alg: 'none' }, sign: () => Buffer.alloc(0) } },
  { what: 'alg NONE', proof: { header: { alg: 'NONE' }, sign: () => Buffer.alloc(0) } },
  { what: 'alg absent', proof: header({ alg: undefined }) },
  {
    what: 'HS256 keyed with the public JWK',
    holder,
    proof: {
      header: { alg: 'HS256' },
      sign: (input) => createHmac('sha256', JSON.stringify(holder.jwk)).update(input).digest(),
    },
  },
  { what: 'ES256K', holder: newHolder('ES256K'), proof: {} },
  { what: 'ES512', proof: header({ alg: 'ES512' }) },
  { what: 'EdDSA over a P-256 key', proof: header({ alg: 'EdDSA' }) },
  { what: 'ES256 over an Ed25519 key', holder: edHolder, proof: header({ alg: 'ES256' }) },
  { what: 'ES384 over a P-256 key', proof: header({ alg: 'ES384' }) },
  { what: 'signed by another key', proof: { sign: (input) => signatureOf(stranger, input) } },
  { what: 'a signature of zeros', proof: { sign: () => Buffer.alloc(64) } },
  { what: 'an empty signature', proof: { sign: () => Buffer.alloc(0) } },
  { what: 'a signature of 63 bytes', proof: { sign: (input) => signatureOf(stranger, input).subarray(1) } },
  {
    what: 'payload changed after signing',
    proof: {
      jwt: (jwt) =>
        part(jwt, 1, (text) => base64url(`${Buffer.from(text, 'base64url').toString().slice(0, -1)},"x":1}`)),
    },
  },
  { what: 'four parts', proof: { jwt: (jwt) => `${jwt}.x` } },
  { what: 'two parts', proof: { jwt: (jwt) => jwt.slice(0, jwt.lastIndexOf('.')) } },
  { what: 'padded base64', proof: { jwt: (jwt) => `${jwt}==` } },
  { what: 'a line break inside', proof: { jwt: (jwt) => `${jwt.slice(0, 10)}\n${jwt.slice(10)}` } },
  { what: 'a header that is no JSON', proof: { jwt: (jwt) => part(jwt, 0, () => base64url('{"alg"')) } },
  { what: 'a payload that is an array', proof: { jwt: (jwt) => part(jwt, 1, () => base64url('[]')) } },
  {
    what: 'aud twice',
    proof: {
      jwt: (jwt) =>
        part(jwt, 1, (text) => base64url(`{"aud":"x",${Buffer.from(text, 'base64url').toString().slice(1)}`)),
    },
  },
  { what: 'not a JWT', proof: { jwt: () => 'proof' } },
  { what: 'a critical header', proof: header({ crit: ['exp'] }) },
  { what: 'a private key in jwk', proof: header({ jwk: { ...holder.jwk, d: 'AAAA' } }) },
  { what: 'a symmetric key in jwk', proof: header({ jwk: { ...holder.jwk, k: 'AAAA' } }) },
  { what: 'an empty d in jwk', proof: header({ jwk: { ...holder.jwk, d: '' } }) },
  { what: 'jwk and kid', proof: header({ kid: didHolder.header['kid'] }) },
  { what: 'jwk and x5c', proof: header({ x5c: ['AAAA'] }) },
  { what: 'x5c alone', proof: header({ jwk: undefined, x5c: ['AAAA'] }) },
  { what: 'no key', proof: header({ jwk: undefined }) },
  { what: 'jwk null', proof: header({ jwk: null }) },
  { what: 'kid that is no DID', proof: kid('key-1') },
  { what: 'kid a DID without fragment', holder: didHolder, proof: kid(didHolder.did ?? '') },
  { what: 'kid with another fragment', holder: didHolder, proof: kid(`${didHolder.did ?? ''}#1`) },
  { what: 'kid of a method not offered', proof: kid('did:ebsi:zr2rWDHHrUCdZAW7wsSb5nQ#key-1') },
  { what: 'kid a did:key of nonsense', proof: kid('did:key:zzzz#zzzz') },
  { what: 'kid a did:web inside our network', proof: kid('did:web:localhost%3A5432#key-1') },
  { what: 'kid a did:web of an address', proof: kid('did:web:127.0.0.1#key-1') },
  { what: 'kid a did:web that climbs', proof: kid('did:web:example.com:..:..#key-1') },
  { what: 'kid with a NUL', proof: kid('did:key:z\u0000#z') },
  { what: 'kid of 10000 characters', proof: kid(`did:key:z${'1'.repeat(10_000)}#z`) },
  { what: 'kid a number', proof: header({ jwk: undefined, kid: 7 }) },
  { what: 'aud of another issuer', proof: claims({ aud: 'https://other.example' }) },
  { what: 'aud the origin only', proof: { claims: { aud: 'ORIGIN' } } },
  { what: 'aud with a second entry', proof: { claims: { aud: ['ISSUER', 'https://other.example'] } } },
  { what: 'aud missing', proof: claims({ aud: undefined }) },
  { what: 'aud empty array', proof: claims({ aud: [] }) },
  {
    what: 'aud with a trailing slash',
    proof: { claims: { aud: 'ISSUER/' } },
    toleratedBy: ['F-single', 'L13'],
  },
  { what: 'aud with two trailing slashes', proof: { claims: { aud: 'ISSUER//' } } },
  { what: 'aud in capitals', proof: { claims: { aud: 'HTTP://127.0.0.1/OPENID4VCI' } } },
  { what: 'iat missing', proof: claims({ iat: undefined }) },
  { what: 'iat a string', proof: claims({ iat: String(now()) }) },
  { what: 'iat 1970', proof: claims({ iat: 0 }) },
  { what: 'iat negative', proof: claims({ iat: -1e300 }) },
  { what: 'iat in two minutes', proof: claims({ iat: now() + 120 }) },
  { what: 'iat far in the future', proof: claims({ iat: 1e300 }) },
  { what: 'iat in milliseconds', proof: claims({ iat: Date.now() }) },
  { what: 'exp past', proof: claims({ exp: now() - 120 }) },
  { what: 'nbf in the future', proof: claims({ nbf: now() + 120 }) },
  { what: 'iss although the token is anonymous', proof: claims({ iss: 'a-wallet' }) },
  { what: 'iss a DID of somebody else', holder: didHolder, proof: claims({ iss: 'did:key:zother' }) },
  {
    what: 'iss the DID of the holder',
    holder: didHolder,
    proof: claims({ iss: didHolder.did }),
    toleratedBy: ['F-single', 'L13'],
  },
  { what: 'a point off the curve', proof: header({ jwk: { ...holder.jwk, y: stranger.jwk.y } }) },
  {
    what: 'a coordinate of 31 bytes',
    proof: header({ jwk: { ...holder.jwk, x: randomBytes(31).toString('base64url') } }),
  },
  { what: 'a coordinate that is a number', proof: header({ jwk: { ...holder.jwk, x: 1 } }) },
  {
    what: 'an Ed25519 key of small order',
    holder: edHolder,
    proof: { header: smallOrder(neutralPoint.toString('base64url')), sign: () => neutralSignature },
  },
  { what: 'an RSA key', proof: header({ alg: 'RS256', jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } }) },
  { what: 'an X25519 key', holder: edHolder, proof: header({ jwk: { ...edHolder.jwk, crv: 'X25519' } }) },
  { what: 'nonce absent', proof: claims({ nonce: undefined }) },
  { what: 'nonce empty', proof: claims({ nonce: '' }) },
  { what: 'nonce a number', proof: claims({ nonce: 1 }) },
];

describe.each(['F', 'F-single', 'L13'] as const)('a key proof in a request of the shape %s', (requestClass) => {
  // None of the refused proofs may use anything up, so all of them meet the same token and the same nonce.
  let session: Session;
  let credentialId: string;
  let nonce: string;
  beforeAll(async () => {
    const prepared = await prepareOffer(service.url);
    credentialId = prepared.credentialIds[0] ?? '';
    session = await openSession(prepared.link, requestClass);
    nonce = await nonceFrom(session.offer.issuer);
  });

  const rows = refusals.filter(({ toleratedBy }) => toleratedBy?.includes(requestClass) !== true);
  it.each(rows)('is refused: $what', async (row) => {
    const reply = await requestCredential(session, {
      nonce,
      holders: [row.holder ?? holder],
      proof: { ...row.proof, ...(row.proof.claims && { claims: addressed(row.proof.claims) }) },
    });
    expectRefusal(reply, 400, 'invalid_proof');
    expectNonce(reply.json);
  });

  it('is refused: a nonce that nobody issued', async () => {
    const reply = await requestCredential(session, { nonce: randomBytes(70).toString('base64url') });
    expectRefusal(reply, 400, requestClass === 'F' ? 'invalid_nonce' : 'invalid_proof');
    expectNonce(reply.json);
  });

  it('issues with the same token and nonce after all these refusals', async () => {
    expect(await credentialStatus(service.url, credentialId)).toBe('Prepared');
    answered(200, await requestCredential(session, { nonce, holders: [holder] }));
  });

  it('is refused once its nonce has been used, sent again or made anew', async () => {
    const used = await nonceFrom(session.offer.issuer);
    const body = await credentialRequest(session, { nonce: used, holders: [holder] });
    answered(200, await requestCredential(session, { body }));
    for (const again of [{ body }, { nonce: used }]) {
      const reply = await requestCredential(session, again);
      expectRefusal(reply, 400, requestClass === 'F' ? 'invalid_nonce' : 'invalid_proof');
      expectNonce(reply.json);
    }
  });

  const tolerated = refusals.filter(({ toleratedBy }) => toleratedBy?.includes(requestClass) === true);
  if (tolerated.length === 0) return;
  it.each(tolerated)('is a spelling of older wallets and accepted: $what', async (row) => {
    const another = await openSession((await prepareOffer(service.url)).link, requestClass);
    const reply = await requestCredential(another, {
      nonce: await nonceFrom(another.offer.issuer),
      holders: [row.holder ?? holder],
      proof: { claims: addressed(row.proof.claims ?? {}) },
    });
    answered(200, reply);
  });

  function addressed(changes: Json): Json {
    if (!Object.hasOwn(changes, 'aud')) return changes;
    const fill = (aud: unknown): unknown =>
      typeof aud === 'string' ? aud.replace('ISSUER', session.offer.issuer).replace('ORIGIN', service.url) : aud;
    return { ...changes, aud: Array.isArray(changes['aud']) ? changes['aud'].map(fill) : fill(changes['aud']) };
  }

  /** Drafts 13 and 14 retry on a nonce in the refusal; a 1.0 wallet asks the nonce endpoint. */
  function expectNonce(body: Json): void {
    if (requestClass === 'F') expect(body).not.toHaveProperty('c_nonce');
    else expect(body).toMatchObject({ c_nonce: expect.any(String) as unknown, c_nonce_expires_in: 300 });
  }
});
