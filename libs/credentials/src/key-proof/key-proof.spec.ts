import { thumbprint } from '@app/primitives/jose';
import type { JsonObject } from '@app/primitives/json';
import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { encode, signingKey, type SigningKey } from '@app/primitives/fixtures/signing-key';
import { DidResolver, didJwk } from '../issuers/did';
import { type KeyProofPolicy, verifyKeyProof, verifyKeyProofs } from './key-proof';
import { KeyProofError } from './key-proof-error';

const ISSUER = 'https://issuer.example/openid4vci';
const NOW = new Date('2026-11-20T12:00:00.500Z');
const SECONDS = 1_795_176_000;
const wallet = signingKey('ES256');
const did = didJwk(wallet.jwk);

const asked: string[] = [];
const dids = new DidResolver({
  fetchDocument: (url) => {
    asked.push(url);
    const id = 'did:web:wallet.example';
    const methods = [{ id: `${id}#key-1`, publicKeyJwk: wallet.jwk }];
    const document = { id, verificationMethod: methods, authentication: ['#key-1'] };
    return Promise.resolve({ body: Buffer.from(JSON.stringify(document)) });
  },
});

const policy: KeyProofPolicy = {
  credentialIssuer: ISSUER,
  algorithms: ['ES256', 'EdDSA'],
  bindingMethods: ['jwk', 'did:jwk', 'did:key', 'did:web'],
  legacy: false,
  maxAgeSeconds: 300,
  maxProofs: 3,
  now: NOW,
  dids,
};

const header: JsonObject = { typ: 'openid4vci-proof+jwt', jwk: { ...wallet.jwk } };
const claims: JsonObject = { aud: ISSUER, iat: SECONDS, nonce: 'n-1' };

/** A valid proof with some members changed; `undefined` removes a member. */
function proof(changes: { header?: object; claims?: object } = {}, key: SigningKey = wallet): string {
  const merge = (base: JsonObject, change: object = {}): JsonObject =>
    JSON.parse(JSON.stringify({ ...base, ...change })) as JsonObject;
  return key.sign(merge(header, changes.header), merge(claims, changes.claims));
}

async function outcomeOf(verifying: Promise<unknown>): Promise<string> {
  try {
    await verifying;
    return 'verified';
  } catch (error) {
    if (error instanceof KeyProofError) return error.reason;
    throw error;
  }
}

const verify = (jwt: string, changes: Partial<KeyProofPolicy> = {}): Promise<string> =>
  outcomeOf(verifyKeyProof(jwt, { ...policy, ...changes }));

describe('a key proof', () => {
  it('names its key by jwk', async () => {
    const { x5c, ...extras } = { kid: 'mine', alg: 'ES256', use: 'sig', x5c: ['MII'] };
    const jwt = proof({ header: { jwk: { ...wallet.jwk, ...extras, x5c } } });
    await expect(verifyKeyProof(jwt, policy)).resolves.toEqual({
      nonce: 'n-1',
      holder: { jwk: wallet.jwk },
      thumbprint: thumbprint(wallet.jwk),
    });
  });

  it.each([
    ['did:jwk', did, `${did}#0`],
    ['did:web', 'did:web:wallet.example', 'did:web:wallet.example#key-1'],
  ])('names its key by %s', async (_, holderDid, keyId) => {
    const jwt = proof({ header: { jwk: undefined, kid: keyId } });
    await expect(verifyKeyProof(jwt, policy)).resolves.toMatchObject({
      holder: { jwk: wallet.jwk, did: holderDid, keyId },
    });
  });

  describe('with a key attestation', () => {
    const other = signingKey('ES256');
    const keys: JsonObject[] = [
      { ...other.jwk, kid: '1' },
      { ...wallet.jwk, kid: 'mine' },
    ];
    const attesting = (attested_keys: unknown) =>
      `${encode({ typ: 'key-attestation+jwt', alg: 'ES256' })}.${encode({ attested_keys } as JsonObject)}.AA`;
    const named = (kid: string, key_attestation: unknown = attesting(keys)) =>
      proof({ header: { jwk: undefined, kid, key_attestation } });

    it.each([
      ['an index into its keys', '1'],
      ['the kid of one of them', 'mine'],
      ['the thumbprint of one of them', thumbprint(wallet.jwk)],
    ])('names its key by %s', async (_, kid) => {
      await expect(verifyKeyProof(named(kid), policy)).resolves.toMatchObject({
        holder: { jwk: wallet.jwk },
        thumbprint: thumbprint(wallet.jwk),
      });
    });

    it('means the key that has signed when its kid fits two', async () => {
      const jwt = other.sign({ typ: 'openid4vci-proof+jwt', kid: '1', key_attestation: attesting(keys) }, claims);
      await expect(verifyKeyProof(jwt, policy)).resolves.toMatchObject({ holder: { jwk: other.jwk } });
      const stranger = signingKey('ES256');
      const forged = stranger.sign({ typ: 'openid4vci-proof+jwt', kid: '1', key_attestation: attesting(keys) }, claims);
      await expect(verify(forged)).resolves.toBe('bad-signature');
    });

    it.each<[string, string, unknown, string]>([
      ['the key of another', '0', attesting(keys), 'bad-signature'],
      ['an index beyond the keys', '2', attesting(keys), 'unresolvable-key'],
      ['an index with a leading zero', '01', attesting(keys), 'unresolvable-key'],
      ['the kid of none', 'yours', attesting(keys), 'unresolvable-key'],
      ['a key in what is no attestation', '0', 'attested', 'attestation-malformed'],
      ['a key in an attestation that is no text', '0', { attested_keys: keys }, 'attestation-malformed'],
      ['a key of none', '0', attesting(undefined), 'attestation-keys'],
      ['a key of more than a batch has', '0', attesting([...keys, ...keys]), 'attestation-keys'],
      ['a private key', '0', attesting([{ ...wallet.jwk, d: wallet.jwk.x }]), 'private-key'],
    ])('is refused when its kid names %s', async (_, kid, attestation, reason) => {
      await expect(verify(named(kid, attestation))).resolves.toBe(reason);
    });

    it('is refused where credentials are bound to DIDs alone', async () => {
      await expect(verify(named('1'), { bindingMethods: ['did:jwk'] })).resolves.toBe('unsupported-binding-method');
    });
  });

  it('is signed with EdDSA as well', async () => {
    const other = signingKey('EdDSA');
    await expect(verify(proof({ header: { jwk: other.jwk } }, other))).resolves.toBe('verified');
  });

  it('ignores members it does not know, also key sources that are not for it', async () => {
    const unknown = { jku: 'https://evil.example/keys', x5u: 'https://evil.example/chain' };
    await expect(verify(proof({ header: unknown, claims: { sub: 'x', jti: 'y' } }))).resolves.toBe('verified');
    expect(asked.filter((url) => url.includes('evil'))).toEqual([]);
  });

  it.each<[string, { header?: object; claims?: object }, string]>([
    ['typ absent', { header: { typ: undefined } }, 'wrong-type'],
    ['typ JWT', { header: { typ: 'JWT' } }, 'wrong-type'],
    ['typ of another case', { header: { typ: 'OpenID4VCI-Proof+JWT' } }, 'wrong-type'],
    ['typ with the media type prefix', { header: { typ: 'application/openid4vci-proof+jwt' } }, 'wrong-type'],
    ['typ of a key binding', { header: { typ: 'kb+jwt' } }, 'wrong-type'],
    ['alg none', { header: { alg: 'none' } }, 'unsupported-algorithm'],
    ['alg HS256', { header: { alg: 'HS256' } }, 'unsupported-algorithm'],
    ['alg ES256K', { header: { alg: 'ES256K' } }, 'unsupported-algorithm'],
    ['an alg that the configuration does not list', { header: { alg: 'ES384' } }, 'unsupported-algorithm'],
    ['an alg that does not fit the key', { header: { alg: 'EdDSA' } }, 'bad-signature'],
    ['crit', { header: { crit: ['exp'] } }, 'malformed'],
    ['no key', { header: { jwk: undefined } }, 'no-key'],
    ['jwk and kid', { header: { kid: `${did}#0` } }, 'several-keys'],
    ['jwk and x5c', { header: { x5c: ['MII'] } }, 'several-keys'],
    ['jwk and an empty kid', { header: { kid: '' } }, 'several-keys'],
    ['x5c alone', { header: { jwk: undefined, x5c: ['MII'] } }, 'unsupported-binding-method'],
    ['a private jwk', { header: { jwk: { ...wallet.jwk, d: 'AA' } } }, 'private-key'],
    ['a symmetric jwk', { header: { jwk: { ...wallet.jwk, k: 'AA' } } }, 'private-key'],
    ['an RSA jwk', { header: { jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } } }, 'unsupported-key'],
    ['a jwk that is no point', { header: { jwk: { ...wallet.jwk, y: wallet.jwk.x } } }, 'unsupported-key'],
    ['a jwk that is null', { header: { jwk: null } }, 'unsupported-key'],
    ['a jwk that is a string', { header: { jwk: 'x' } }, 'unsupported-key'],
    ['a kid that is no DID URL', { header: { jwk: undefined, kid: 'key-1' } }, 'unresolvable-key'],
    ['a kid that is a path', { header: { jwk: undefined, kid: '../../etc/passwd' } }, 'unresolvable-key'],
    ['a kid that is no string', { header: { jwk: undefined, kid: 1 } }, 'unresolvable-key'],
    ['a kid that is a DID without fragment', { header: { jwk: undefined, kid: did } }, 'unresolvable-key'],
    ['a kid with another fragment', { header: { jwk: undefined, kid: `${did}#1` } }, 'unresolvable-key'],
    ['a kid with a NUL', { header: { jwk: undefined, kid: 'did:key:z\u0000#z' } }, 'unresolvable-key'],
    [
      'a kid of 10,000 characters',
      { header: { jwk: undefined, kid: `did:key:z${'1'.repeat(10_000)}#z` } },
      'unresolvable-key',
    ],
    ['a kid of an unknown method', { header: { jwk: undefined, kid: 'did:ion:a#0' } }, 'unsupported-binding-method'],
    ['aud missing', { claims: { aud: undefined } }, 'wrong-audience'],
    ['aud of another issuer', { claims: { aud: 'https://other.example' } }, 'wrong-audience'],
    ['aud with a second entry', { claims: { aud: [ISSUER, 'https://other.example'] } }, 'wrong-audience'],
    ['aud empty', { claims: { aud: [] } }, 'wrong-audience'],
    ['aud in capitals', { claims: { aud: ISSUER.toUpperCase() } }, 'wrong-audience'],
    ['aud nested', { claims: { aud: [[ISSUER]] } }, 'wrong-audience'],
    ['aud with a slash', { claims: { aud: `${ISSUER}/` } }, 'wrong-audience'],
    ['iat missing', { claims: { iat: undefined } }, 'missing-issued-at'],
    ['iat a string', { claims: { iat: String(SECONDS) } }, 'missing-issued-at'],
    ['iat of 1970', { claims: { iat: 0 } }, 'too-old'],
    ['iat negative', { claims: { iat: -1e300 } }, 'too-old'],
    ['iat in milliseconds', { claims: { iat: SECONDS * 1000 } }, 'in-the-future'],
    ['iat 361 s ago', { claims: { iat: SECONDS - 361 } }, 'too-old'],
    ['iat in 61 s', { claims: { iat: SECONDS + 61 } }, 'in-the-future'],
    ['exp past', { claims: { exp: SECONDS - 61 } }, 'expired'],
    ['exp a string', { claims: { exp: 'never' } }, 'expired'],
    ['nbf to come', { claims: { nbf: SECONDS + 3600 } }, 'in-the-future'],
    ['nonce missing', { claims: { nonce: undefined } }, 'missing-nonce'],
    ['nonce empty', { claims: { nonce: '' } }, 'missing-nonce'],
    ['nonce a number', { claims: { nonce: 1 } }, 'missing-nonce'],
    ['iss with an anonymous token', { claims: { iss: 'wallet' } }, 'wrong-client'],
    ['iss a DID', { claims: { iss: did } }, 'wrong-client'],
  ])('is refused with %s', async (_, changes, reason) => {
    await expect(verify(proof(changes))).resolves.toBe(reason);
  });

  it.each([
    ['59 s in the future', { iat: SECONDS + 59 }],
    ['359 s in the past', { iat: SECONDS - 359 }],
  ])('is accepted when issued %s', async (_, change) => {
    await expect(verify(proof({ claims: change }))).resolves.toBe('verified');
  });

  it('may have its audience as an array of one', async () => {
    await expect(verify(proof({ claims: { aud: [ISSUER] } }))).resolves.toBe('verified');
  });

  it('is refused when another key signed it', async () => {
    await expect(verify(proof({}, signingKey()))).resolves.toBe('bad-signature');
  });

  it('is refused as an HMAC under the public key', async () => {
    const input = `${encode({ ...header, alg: 'HS256' })}.${encode(claims)}`;
    const mac = createHmac('sha256', JSON.stringify(wallet.jwk)).update(input).digest('base64url');
    await expect(verify(`${input}.${mac}`)).resolves.toBe('unsupported-algorithm');
  });

  it('is refused under an Ed25519 key of small order', async () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from([1, ...Array<number>(31).fill(0)]).toString('base64url') };
    const input = `${encode({ ...header, alg: 'EdDSA', jwk })}.${encode(claims)}`;
    const forged = Buffer.from([1, ...Array<number>(63).fill(0)]).toString('base64url');
    await expect(verify(`${input}.${forged}`)).resolves.toBe('unsupported-key');
  });

  it('is refused when it repeats a claim or is no JWT', async () => {
    const twice = Buffer.from(`{"aud":"https://other.example","aud":"${ISSUER}","iat":1,"nonce":"n"}`);
    await expect(verify(`${encode(header)}.${twice.toString('base64url')}.AA`)).resolves.toBe('malformed');
    await expect(verify('')).resolves.toBe('malformed');
    await expect(verify(proof({ claims: { pad: 'x'.repeat(20_000) } }))).resolves.toBe('malformed');
  });

  it('is refused when any bit of it is turned', async () => {
    const jwt = proof();
    await fc.assert(
      fc.asyncProperty(fc.nat(jwt.length - 1), fc.nat(6), async (at, bit) => {
        const turned = String.fromCharCode(jwt.charCodeAt(at) ^ (1 << bit));
        await expect(verify(jwt.slice(0, at) + turned + jwt.slice(at + 1))).resolves.not.toBe('verified');
      }),
      { numRuns: 200 },
    );
  });

  it('uses only binding methods that the configuration offers', async () => {
    const byDid = proof({ header: { jwk: undefined, kid: `${did}#0` } });
    await expect(verify(byDid, { bindingMethods: ['jwk'] })).resolves.toBe('unsupported-binding-method');
    await expect(verify(proof(), { bindingMethods: ['did:jwk'] })).resolves.toBe('unsupported-binding-method');
  });

  it('causes no request when its claims are wrong already', async () => {
    asked.length = 0;
    const kid = 'did:web:wallet.example#key-1';
    const jwt = proof({ header: { jwk: undefined, kid }, claims: { aud: 'https://other.example' } });
    await expect(verify(jwt)).resolves.toBe('wrong-audience');
    expect(asked).toEqual([]);
  });
});

describe('the client of a key proof', () => {
  it('is the client of the access token', async () => {
    const isClient = (id: string) => id === 'wallet-client';
    await expect(verify(proof({ claims: { iss: 'wallet-client' } }), { isClient })).resolves.toBe('verified');
    await expect(verify(proof(), { isClient })).resolves.toBe('verified');
    for (const iss of ['other', did, '', 7]) {
      await expect(verify(proof({ claims: { iss } }), { isClient })).resolves.toBe('wrong-client');
    }
  });
});

describe('an older wallet', () => {
  const legacy = { legacy: true };

  it('may end the audience with one slash', async () => {
    await expect(verify(proof({ claims: { aud: `${ISSUER}/` } }), legacy)).resolves.toBe('verified');
    await expect(verify(proof({ claims: { aud: `${ISSUER}//` } }), legacy)).resolves.toBe('wrong-audience');
  });

  it('may repeat its DID as iss, and no other', async () => {
    const kid = { jwk: undefined, kid: `${did}#0` };
    await expect(verify(proof({ header: kid, claims: { iss: did } }), legacy)).resolves.toBe('verified');
    await expect(verify(proof({ header: kid, claims: { iss: 'did:key:z1' } }), legacy)).resolves.toBe('wrong-client');
    await expect(verify(proof({ claims: { iss: did } }), legacy)).resolves.toBe('verified');
    await expect(verify(proof({ claims: { iss: 'wallet' } }), legacy)).resolves.toBe('wrong-client');
  });

  it('may write any time of the past where the nonce says how old its proof is, and none to come', async () => {
    const { maxAgeSeconds: _, ...byNonce } = { ...policy, ...legacy };
    const judged = (claims: JsonObject) => outcomeOf(verifyKeyProof(proof({ claims }), byNonce));
    for (const iat of [SECONDS, 1_571_324_800, 0]) await expect(judged({ iat })).resolves.toBe('verified');
    await expect(judged({ iat: SECONDS + 61 })).resolves.toBe('in-the-future');
    await expect(judged({ iat: 0, exp: 60 })).resolves.toBe('expired');
  });

  it('gets nothing else', async () => {
    await expect(verify(proof({ claims: { nonce: undefined } }), legacy)).resolves.toBe('missing-nonce');
    await expect(verify(proof({ header: { typ: 'JWT' } }), legacy)).resolves.toBe('wrong-type');
    await expect(verify(proof({}, signingKey()), legacy)).resolves.toBe('bad-signature');
  });
});

describe('the key proofs of one request', () => {
  const proofs = [signingKey(), signingKey('EdDSA')].map((key) => proof({ header: { jwk: key.jwk } }, key));
  const verifyAll = (jwts: string[], changes: Partial<KeyProofPolicy> = {}): Promise<string> =>
    outcomeOf(verifyKeyProofs(jwts, { ...policy, ...changes }));

  it('are all returned, in order, with their nonce', async () => {
    const verified = await verifyKeyProofs([proof(), ...proofs], policy);
    expect(verified.nonce).toBe('n-1');
    expect(verified.proofs.map(({ holder }) => holder.jwk.crv)).toEqual(['P-256', 'P-256', 'Ed25519']);
  });

  it('are refused together when one is bad', async () => {
    await expect(verifyAll([...proofs, proof({}, signingKey())])).resolves.toBe('bad-signature');
  });

  it('are at least one and at most as many as a batch has', async () => {
    await expect(verifyAll([])).resolves.toBe('no-proofs');
    await expect(verifyAll(proofs, { maxProofs: 1 })).resolves.toBe('too-many-proofs');
  });

  it('have different keys, however they are named', async () => {
    const byDid = proof({ header: { jwk: undefined, kid: `${did}#0` } });
    await expect(verifyAll([proof(), byDid])).resolves.toBe('repeated-key');
  });

  it('have one nonce', async () => {
    await expect(verifyAll([...proofs, proof({ claims: { nonce: 'n-2' } })])).resolves.toBe('different-nonces');
  });
});

describe('the message of a refusal', () => {
  it('fits an OAuth error description', async () => {
    const errors: unknown[] = [];
    for (const jwt of ['', proof({ header: { typ: 'é"\\\n' } }), proof({ header: { kid: '"\\' } })]) {
      errors.push(await verifyKeyProof(jwt, policy).catch((error: unknown) => error));
    }
    for (const error of errors) expect((error as Error).message).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});
