import { thumbprint } from '@app/primitives/jose';
import { encode, type SigningAlgorithm, type SigningKey, signingKey } from '@app/primitives/fixtures/signing-key';
import type { JsonObject } from '@app/primitives/json';
import { DpopFault } from '@app/openid4vc';
import fc from 'fast-check';
import { createHash, createHmac } from 'node:crypto';
import { type DpopRequest, verifyDpopProof } from './dpop-proof';

const now = new Date('2026-11-22T12:00:00Z');
const seconds = now.getTime() / 1000;
const url = 'https://issuer.example/openid4vci/token';
const [key, other] = [signingKey(), signingKey()];
const liveNonce = 'live';
const accessToken = 'token';
const athOf = (text: string) => createHash('sha256').update(text).digest('base64url');

const isLive = (nonce: string) => nonce === liveNonce;
const asked: DpopRequest = {
  method: 'POST',
  url,
  now,
  nonces: { areRequired: false, isLive },
};

/** Members to add or replace; `undefined` leaves one out. */
interface Changes {
  readonly header?: Record<string, unknown>;
  readonly payload?: Record<string, unknown>;
  readonly by?: SigningKey;
}

const jsonOf = (members: object) => JSON.parse(JSON.stringify(members)) as JsonObject;

function proof({ header, payload, by = key }: Changes = {}): string {
  const claims = { jti: 'one', htm: 'POST', htu: url, iat: seconds, ...payload };
  return by.sign(jsonOf({ typ: 'dpop+jwt', jwk: by.jwk, ...header }), jsonOf(claims));
}

/** An `alg` with the signature that belongs to it. */
function unsafeProof(alg: string | undefined): string {
  const header = encode(jsonOf({ typ: 'dpop+jwt', alg, jwk: key.jwk }));
  const input = `${header}.${encode({ jti: 'one', htm: 'POST', htu: url, iat: seconds })}`;
  const mac = createHmac('sha256', JSON.stringify(key.jwk)).update(input).digest('base64url');
  return `${input}.${alg === 'HS256' ? mac : ''}`;
}

/** The code and the description of the fault, `accepted` without one. */
function outcomeOf(header: string, request: Partial<DpopRequest> = {}): string {
  try {
    verifyDpopProof(header, { ...asked, ...request });
    return 'accepted';
  } catch (error) {
    if (error instanceof DpopFault) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const [header = '', payload = '', signature = ''] = proof().split('.');

describe('a DPoP proof', () => {
  it('names the key that signed it, and what must not come again, which is its jti by this key', () => {
    const verified = verifyDpopProof(proof(), asked);
    expect(verified.thumbprint).toBe(thumbprint(key.jwk));
    expect(verifyDpopProof(proof({ payload: { iat: seconds - 1 } }), asked)).toEqual(verified);
    for (const changes of [{ payload: { jti: 'two' } }, { by: other }]) {
      expect(verifyDpopProof(proof(changes), asked).use.hash).not.toEqual(verified.use.hash);
    }
  });

  it('may have the nonce of another server where none is handed out, and a good time', () => {
    const { method, url } = asked;
    const outcome = (payload: Record<string, unknown>) => {
      try {
        return verifyDpopProof(proof({ payload }), { method, url, now });
      } catch (error) {
        return error;
      }
    };
    expect(outcome({ nonce: 'foreign' })).toHaveProperty('thumbprint');
    expect(outcome({ nonce: 'foreign', iat: seconds - 61 })).toBeInstanceOf(DpopFault);
  });

  it.each<[string, SigningAlgorithm, string | undefined]>([
    ['ES256', 'ES256', undefined],
    ['ES384', 'ES384', undefined],
    ['Ed25519', 'EdDSA', 'Ed25519'],
    ['EdDSA', 'EdDSA', undefined],
  ])('is accepted when it is signed by %s', (_, algorithm, alg) => {
    expect(outcomeOf(proof({ by: signingKey(algorithm), ...(alg !== undefined && { header: { alg } }) }))).toBe(
      'accepted',
    );
  });

  it.each([
    ['with a query in its htu', { htu: `${url}?code=1` }],
    ['with a fragment in its htu', { htu: `${url}#here` }],
    ['with scheme and host in capitals', { htu: 'HTTPS://ISSUER.Example/openid4vci/token' }],
    ['with the default port', { htu: 'https://issuer.example:443/openid4vci/token' }],
    ['with dots in the path', { htu: 'https://issuer.example/x/../openid4vci/./token' }],
    ['with claims that are not of DPoP', { sub: 'x', nested: { a: [1] } }],
    ['with nbf and exp, which DPoP does not have', { nbf: seconds + 900, exp: seconds - 900 }],
    ['that is 10 s old', { iat: seconds - 10 }],
    ['that is 60 s old', { iat: seconds - 60 }],
    ['of a clock that is 60 s ahead', { iat: seconds + 60 }],
    ['with a fraction of a second', { iat: seconds - 0.5 }],
    ['with a live nonce', { nonce: liveNonce }],
    ['of a wrong clock with a live nonce', { nonce: liveNonce, iat: seconds - 3600 }],
    ['of a clock that is ahead with a live nonce', { nonce: liveNonce, iat: seconds + 3600 }],
    ['with a jti of 128 characters', { jti: 'j'.repeat(128) }],
    ['with an ath though no token came with it', { ath: 'anything' }],
  ])('is accepted %s', (_, payload) => {
    expect(outcomeOf(proof({ payload }))).toBe('accepted');
  });

  it.each([
    ['two proofs of two headers', `${proof()}, ${proof({ by: other })}`, 'exactly one'],
    ['two proofs, joined by a comma', `${proof()},${proof()}`, 'exactly one'],
    ['nothing', '', 'parts'],
    ['no JWT', 'proof', 'parts'],
    ['a part too many', `${proof()}.x`, 'base64url'],
    ['a header that is no JSON', `bm9wZQ.${payload}.${signature}`, 'header'],
    ['a payload that is no object', `${header}.W10.${signature}`, 'payload'],
    ['a proof of 10 KB', proof({ payload: { more: 'm'.repeat(10_000) } }), 'too long'],
    ['alg none', unsafeProof('none'), 'alg'],
    ['alg HS256', unsafeProof('HS256'), 'alg'],
    ['no alg', unsafeProof(undefined), 'alg'],
    [
      'an altered signature',
      `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      'signature',
    ],
    ['no signature', `${header}.${payload}.`, 'signature'],
    [
      'the payload of another proof',
      `${header}.${proof({ payload: { jti: 'two' } }).split('.')[1] ?? ''}.${signature}`,
      'signature',
    ],
  ])('is rejected that is %s', (_, text, fault) => {
    expect(outcomeOf(text)).toMatch(new RegExp(`^invalid_dpop_proof: .*${fault}`));
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no typ', { typ: undefined }, 'typ'],
    ['typ JWT', { typ: 'JWT' }, 'typ'],
    ['typ of a key proof', { typ: 'openid4vci-proof+jwt' }, 'typ'],
    ['no jwk', { jwk: undefined }, 'jwk'],
    ['a kid in place of the jwk', { jwk: undefined, kid: 'did:jwk:e30#0' }, 'jwk'],
    ['a jwk that is a text', { jwk: JSON.stringify(key.jwk) }, 'jwk'],
    ['a private jwk', { jwk: { ...key.jwk, d: 'AAAA' } }, 'private'],
    ['a symmetric jwk', { jwk: { kty: 'oct', k: 'AAAA' } }, 'private'],
    ['an RSA jwk', { jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } }, 'jwk'],
    ['a jwk that is off its curve', { jwk: { ...key.jwk, y: Buffer.alloc(32, 7).toString('base64url') } }, 'curve'],
    ['the jwk of another key', { jwk: other.jwk }, 'signature'],
    ['an alg that does not fit the jwk', { alg: 'ES384' }, 'does not fit'],
    ['a crit that nobody knows', { crit: ['exp'] }, 'crit'],
  ])('is rejected with %s in its header', (_, header, fault) => {
    expect(outcomeOf(proof({ header }))).toMatch(new RegExp(`^invalid_dpop_proof: .*${fault}`));
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no jti', { jti: undefined }, 'jti'],
    ['an empty jti', { jti: '' }, 'jti'],
    ['a jti that is a number', { jti: 1 }, 'jti'],
    ['a jti of 129 characters', { jti: 'j'.repeat(129) }, 'jti'],
    ['no htm', { htm: undefined }, "htm must be 'POST'"],
    ['a htm in small letters', { htm: 'post' }, "htm must be 'POST'"],
    ['another htm', { htm: 'GET' }, "htm must be 'POST'"],
    ['no htu', { htu: undefined }, `htu must be ${url}`],
    ['a htu that is no address', { htu: 'token' }, `htu must be ${url}`],
    ['a htu without scheme', { htu: '//issuer.example/openid4vci/token' }, 'htu'],
    ['a htu of another host', { htu: 'https://issuer.example.org/openid4vci/token' }, 'htu'],
    ['a htu of another path', { htu: 'https://issuer.example/openid4vci/par' }, 'htu'],
    ['a htu with a slash at the end', { htu: `${url}/` }, 'htu'],
    ['a htu with another case in its path', { htu: 'https://issuer.example/OPENID4VCI/token' }, 'htu'],
    ['a htu of another port', { htu: 'https://issuer.example:8443/openid4vci/token' }, 'htu'],
    ['a htu of http', { htu: 'http://issuer.example/openid4vci/token' }, 'htu'],
    ['a htu with a user', { htu: 'https://user:word@issuer.example/openid4vci/token' }, 'htu'],
    ['several htu', { htu: [url] }, 'htu'],
    ['no iat', { iat: undefined }, 'iat'],
    ['an iat that is a text', { iat: String(seconds) }, 'iat'],
    ['an iat of an hour ago', { iat: seconds - 3600 }, 'iat is more than 60 s ago'],
    ['an iat of 61 s ago', { iat: seconds - 61 }, 'iat is more than 60 s ago'],
    ['an iat 61 s ahead', { iat: seconds + 61 }, 'iat is in the future'],
    ['an iat an hour ahead', { iat: seconds + 3600 }, 'iat is in the future'],
    ['an iat that is a text, though with a live nonce', { iat: 'now', nonce: liveNonce }, 'iat'],
  ])('is rejected with %s', (_, payload, fault) => {
    const outcome = outcomeOf(proof({ payload }));
    expect(outcome).toMatch(/^invalid_dpop_proof: /);
    expect(outcome).toContain(fault);
  });

  it.each<[string, unknown]>([
    ['foreign or old', 'foreign'],
    ['empty', ''],
    ['a number', 1],
    ['null', null],
  ])('whose nonce is %s is to come again with one of ours', (_, nonce) => {
    expect(outcomeOf(proof({ payload: { nonce } }))).toMatch(/^use_dpop_nonce: .*DPoP-Nonce/);
  });

  it('without nonce is to come again with one where a nonce is required', () => {
    expect(outcomeOf(proof(), { nonces: { areRequired: true, isLive } })).toMatch(/^use_dpop_nonce: .*DPoP-Nonce/);
    expect(outcomeOf(proof({ payload: { nonce: liveNonce } }), { nonces: { areRequired: true, isLive } })).toBe(
      'accepted',
    );
  });

  it.each<[string, unknown, string]>([
    ['the hash of the token', athOf(accessToken), 'accepted'],
    ['no hash of a token', undefined, 'ath'],
    ['the hash of another token', athOf('other'), 'ath'],
    ['the token itself', accessToken, 'ath'],
    ['the hash in hexadecimal', createHash('sha256').update(accessToken).digest('hex'), 'ath'],
    ['the hash with padding', `${athOf(accessToken)}=`, 'ath'],
  ])('that comes with a token has %s as ath: %s', (_, ath, outcome) => {
    expect(outcomeOf(proof({ payload: { ath } }), { accessToken })).toContain(outcome);
  });

  it.each([
    ['that is old', { iat: seconds - 60 }],
    ['that is ahead', { iat: seconds + 60 }],
    ['with a nonce that has just been given', { nonce: liveNonce }],
  ])('%s cannot come again while it would be accepted', (_, payload) => {
    const later = verifyDpopProof(proof({ payload }), asked).use.expiresAt;
    // Nonces are good for two periods of 150 s; without one the window of iat counts.
    const nonces = {
      areRequired: false,
      isLive: (nonce: string) => isLive(nonce) && later.getTime() < now.getTime() + 300_000,
    };
    expect(outcomeOf(proof({ payload }), { now: later, nonces })).not.toBe('accepted');
  });

  it('shows nothing of itself in a refusal, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 6 }),
        fc.constantFrom('alg', 'typ', 'kid', 'jwk'),
        (text, name) => {
          const outcome = outcomeOf(proof({ header: { [name]: text } }));
          expect(outcome).toMatch(/^(accepted|[\x20-\x7e]+)$/);
          expect(outcome).not.toContain(text);
          expect(outcomeOf(text)).toMatch(/^invalid_dpop_proof: [\x20-\x7e]+$/);
        },
      ),
      { numRuns: 50 },
    );
  });
});
