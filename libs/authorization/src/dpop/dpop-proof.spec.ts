import { DpopFault } from '@app/openid4vc';
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type DpopRequest, verifyDpopProof } from './dpop-proof';

const now = new Date('2026-03-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const url = 'https://issuer.example/openid4vci/token';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = publicKey.export({ format: 'jwk' });
const secret = privateKey.export({ format: 'jwk' });

type Members = Record<string, unknown>;
interface Changes {
  readonly header?: Members;
  readonly claims?: Members;
  readonly signedBy?: KeyObject;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function proof({ header = {}, claims = {}, signedBy = privateKey }: Changes = {}): string {
  const head = encoded({ typ: 'dpop+jwt', alg: 'ES256', jwk, ...header });
  const body = encoded({ jti: 'jti-1', htm: 'POST', htu: url, iat: seconds, ...claims });
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key: signedBy, dsaEncoding: 'ieee-p1363' });
  return `${head}.${body}.${signature.toString('base64url')}`;
}

const request: DpopRequest = {
  ...{ method: 'POST', url, now, isNonceRequired: false },
  isNonceLive: (nonce) => nonce === 'live',
};

function refusalOf(header: string, changes: Partial<DpopRequest> = {}): string {
  try {
    verifyDpopProof(header, { ...request, ...changes });
  } catch (error) {
    if (error instanceof DpopFault) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('a DPoP proof', () => {
  it('names the key that signed it', () => {
    const { thumbprint, jti } = verifyDpopProof(proof(), request);
    const canonical = `{"crv":"P-256","kty":"EC","x":"${jwk.x ?? ''}","y":"${jwk.y ?? ''}"}`;
    expect([thumbprint, jti]).toEqual([createHash('sha256').update(canonical).digest('base64url'), 'jti-1']);
  });

  it.each([
    ['whose htu has a query and a fragment', { htu: `${url}?x=1#y` }],
    ['whose htu has an upper-case host', { htu: 'https://ISSUER.example/openid4vci/token' }],
    ['whose htu names the default port', { htu: 'https://issuer.example:443/openid4vci/token' }],
    ['with claims that nobody knows', { unknown: 1, nbf: seconds + 9999, exp: 1 }],
    ['10 s old', { iat: seconds - 10 }],
    ['60 s old', { iat: seconds - 60 }],
    ['8 s ahead', { iat: seconds + 8 }],
    ['an hour old, with a live nonce', { iat: seconds - 3600, nonce: 'live' }],
  ])('%s is accepted', (_what, claims) => {
    expect(refusalOf(proof({ claims }))).toBe('accepted');
  });

  it.each<[string, string, string]>([
    ['two of them, joined by a comma', `${proof()}, ${proof()}`, 'exactly one'],
    ['no JWT', 'proof', 'three parts'],
    ['nothing', '', 'three parts'],
    ['one of 10 KB', proof({ claims: { jti: 'j'.repeat(10_000) } }), 'too long'],
    ['without typ', proof({ header: { typ: undefined } }), 'typ'],
    ['with the typ of any JWT', proof({ header: { typ: 'JWT' } }), 'typ'],
    ['without alg', proof({ header: { alg: undefined } }), 'alg'],
    ['with alg none', proof({ header: { alg: 'none' } }), 'alg'],
    ['with alg HS256', proof({ header: { alg: 'HS256' } }), 'alg'],
    ['without jwk', proof({ header: { jwk: undefined } }), 'jwk'],
    ['with a private jwk', proof({ header: { jwk: secret } }), 'private'],
    ['with a point off the curve', proof({ header: { jwk: { ...jwk, x: jwk.y } } }), 'curve'],
    [
      'signed by another key',
      proof({ signedBy: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }),
      'verify',
    ],
    ['without htm', proof({ claims: { htm: undefined } }), 'htm'],
    ['with htm in lower case', proof({ claims: { htm: 'post' } }), 'htm'],
    ['with the htm of another method', proof({ claims: { htm: 'GET' } }), 'htm'],
    ['without htu', proof({ claims: { htu: undefined } }), 'htu'],
    ['for another host', proof({ claims: { htu: 'https://other.example/openid4vci/token' } }), 'htu'],
    ['for another path', proof({ claims: { htu: 'https://issuer.example/openid4vci/credential' } }), 'htu'],
    ['for http', proof({ claims: { htu: url.replace('https', 'http') } }), 'htu'],
    ['without iat', proof({ claims: { iat: undefined } }), 'iat'],
    ['with iat as text', proof({ claims: { iat: String(seconds) } }), 'iat'],
    ['an hour old', proof({ claims: { iat: seconds - 3600 } }), 'iat'],
    ['an hour ahead', proof({ claims: { iat: seconds + 3600 } }), 'iat'],
    ['without jti', proof({ claims: { jti: undefined } }), 'jti'],
    ['with an empty jti', proof({ claims: { jti: '' } }), 'jti'],
    ['with a jti of 129 characters', proof({ claims: { jti: 'j'.repeat(129) } }), 'jti'],
  ])('is refused: %s', (_what, header, words) => {
    expect(refusalOf(header)).toMatch(new RegExp(`^invalid_dpop_proof: .*${words}`, 'u'));
  });

  it('needs the hash of the token that it comes with', () => {
    const accessToken = 'token';
    const ath = createHash('sha256').update(accessToken).digest('base64url');
    expect(refusalOf(proof({ claims: { ath } }), { accessToken })).toBe('accepted');
    expect(refusalOf(proof(), { accessToken })).toContain('ath');
    expect(refusalOf(proof({ claims: { ath: 'x' } }), { accessToken })).toContain('ath');
  });

  it('needs a live nonce when it has one, and where one is required', () => {
    expect(refusalOf(proof({ claims: { nonce: 'old' } }))).toMatch(/^use_dpop_nonce/);
    expect(refusalOf(proof(), { isNonceRequired: true })).toMatch(/^use_dpop_nonce/);
    expect(refusalOf(proof({ claims: { nonce: 'live' } }), { isNonceRequired: true })).toBe('accepted');
  });
});
