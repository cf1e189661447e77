import { thumbprint } from '@app/primitives/jose';
import type { JsonObject } from '@app/primitives/json';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import { network, now, policy, seconds } from '../../fixtures/presentations';
import { expectRefusal } from '../../fixtures/refusal';
import { didJwk } from '../issuers/did';
import type { CheckName } from '../presentation-check';
import { type ExpectedIdToken, verifyIdToken } from './siop-id-token';

const key = signingKey();
const edKey = signingKey('EdDSA');
const other = signingKey();
const did = didJwk(key.jwk);
const print = thumbprint(key.jwk);
const { dids } = policy({ fetch: network().fetch });
const expected: ExpectedIdToken = {
  nonce: 'n1',
  audience: 'did:web:verifier.example',
  algorithms: ['ES256', 'EdDSA'],
  dids,
  now,
};

const claims: JsonObject = { aud: expected.audience, nonce: 'n1', iat: seconds - 5, exp: seconds + 300 };

function byDid(payload: JsonObject = {}, header: JsonObject = {}, signer = key): string {
  return signer.sign({ typ: 'JWT', kid: `${did}#0`, ...header }, { iss: did, sub: did, ...claims, ...payload });
}

function byThumbprint(payload: JsonObject = {}, header: JsonObject = {}, signer = key): string {
  const own = { iss: print, sub: print, sub_jwk: { ...key.jwk } };
  return signer.sign({ typ: 'JWT', ...header }, { ...own, ...claims, ...payload });
}

function less(name: string): string {
  const { [name]: _, ...rest }: JsonObject = { iss: did, sub: did, ...claims };
  return key.sign({ typ: 'JWT', kid: `${did}#0` }, rest);
}

describe('a self-issued ID token', () => {
  it('names its subject by DID', async () => {
    const result = await verifyIdToken(byDid({ name: 'Ada' }), expected);
    expect(result).toEqual({
      verified: true,
      checks: ['structure', 'nonce', 'audience', 'times', 'key-binding'].map((name) => ({ name, outcome: 'passed' })),
      subject: { sub: did, did, thumbprint: print },
    });
  });

  it.each([print, `urn:ietf:params:oauth:jwk-thumbprint:sha-256:${print}`])(
    'names its subject by key: %s',
    async (sub) => {
      expect(await verifyIdToken(byThumbprint({ iss: sub, sub }), expected)).toMatchObject({
        verified: true,
        subject: { sub, thumbprint: print },
      });
    },
  );

  it('may say that it was made hours ago, as some wallets do', async () => {
    expect(await verifyIdToken(byDid({ iat: seconds - 17 * 3600 }), expected)).toMatchObject({ verified: true });
  });

  it('may have its audience as list of one', async () => {
    expect(await verifyIdToken(byDid({ aud: [expected.audience] }), expected)).toMatchObject({ verified: true });
  });

  it.each<[string, string, CheckName]>([
    ['iss and sub that differ', byDid({ iss: 'https://self-issued.me/v2' }), 'structure'],
    ['no sub', less('sub'), 'structure'],
    ['a sub that is no string', byDid({ iss: 1, sub: 1 }), 'structure'],
    ['no token', 'x.y', 'structure'],
    ['another thumbprint', byThumbprint({ iss: thumbprint(other.jwk), sub: thumbprint(other.jwk) }), 'key-binding'],
    [
      'a thumbprint of another hash',
      byThumbprint({
        iss: `urn:ietf:params:oauth:jwk-thumbprint:sha-512:${print}`,
        sub: `urn:ietf:params:oauth:jwk-thumbprint:sha-512:${print}`,
      }),
      'key-binding',
    ],
    ['sub_jwk with a DID', byDid({ sub_jwk: { ...key.jwk } }), 'key-binding'],
    ['a private sub_jwk', byThumbprint({ sub_jwk: { ...key.jwk, d: 'AAAA' } }), 'key-binding'],
    ['a sub_jwk with certificates', byThumbprint({ sub_jwk: { ...key.jwk, x5c: ['AAAA'] } }), 'key-binding'],
    ['no sub_jwk', key.sign({}, { iss: print, sub: print, ...claims }), 'key-binding'],
    ['a sub_jwk that is no key', byThumbprint({ sub_jwk: null }), 'key-binding'],
    ['another sub_jwk', byThumbprint({ sub_jwk: { ...other.jwk } }), 'key-binding'],
    ['a signature of another key', byThumbprint({}, {}, other), 'key-binding'],
    ['a signature of another key than the DID', byDid({}, {}, other), 'key-binding'],
    ['a kid of another DID', byDid({}, { kid: `${didJwk(other.jwk)}#0` }, other), 'key-binding'],
    ['a kid that is a DID and more', byDid({}, { kid: `${did}x#0` }), 'key-binding'],
    ['no kid', byDid({}, { kid: null }), 'key-binding'],
    ['alg none', byDid({}, { alg: 'none' }), 'key-binding'],
    ['alg RS256', byDid({}, { alg: 'RS256' }), 'key-binding'],
    ['an alg of another key', byDid({}, { alg: 'EdDSA' }), 'key-binding'],
    ['another audience', byDid({ aud: 'did:web:evil.example' }), 'audience'],
    ['a second audience', byDid({ aud: [expected.audience, 'x'] }), 'audience'],
    ['another nonce', byDid({ nonce: 'n2' }), 'nonce'],
    ['no nonce', less('nonce'), 'nonce'],
    ['no exp', less('exp'), 'times'],
    ['no iat', less('iat'), 'times'],
    ['an exp that is past', byDid({ exp: seconds - 61 }), 'times'],
    ['an iat of yesterday', byDid({ iat: seconds - 24 * 3600 - 1 }), 'times'],
    ['an iat in the future', byDid({ iat: seconds + 61 }), 'times'],
    ['an nbf in the future', byDid({ nbf: seconds + 61 }), 'times'],
  ])('is refused with %s', async (_, token, check) => {
    expectRefusal(await verifyIdToken(token, expected), check);
  });

  it('is refused with a key of a DID whose name only begins like its subject', async () => {
    const subject = 'did:web:holder.example';
    const longer = `${subject}.evil`;
    const document = {
      id: longer,
      verificationMethod: [{ id: `${longer}#1`, publicKeyJwk: { ...other.jwk } }],
      authentication: [`${longer}#1`],
    };
    const { fetch } = network({ 'https://holder.example.evil/.well-known/did.json': { body: document } });
    const token = byDid({ iss: subject, sub: subject }, { kid: `${longer}#1` }, other);
    expectRefusal(await verifyIdToken(token, { ...expected, dids: policy({ fetch }).dids }), 'key-binding');
  });

  it('is refused when its algorithm was not offered', async () => {
    const edDid = didJwk(edKey.jwk);
    const token = byDid({ iss: edDid, sub: edDid }, { kid: `${edDid}#0` }, edKey);
    expect(await verifyIdToken(token, expected)).toMatchObject({ verified: true });
    expectRefusal(await verifyIdToken(token, { ...expected, algorithms: ['ES256'] }), 'key-binding');
  });
});
