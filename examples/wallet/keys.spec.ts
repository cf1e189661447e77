import { holderDid, proofSigner, type HolderKey } from './keys';

// Keys and identifiers from the did:key and did:jwk method specifications.
const p256: HolderKey = {
  id: 'p256',
  algorithm: 'ES256',
  privateJwk: {
    kty: 'EC',
    crv: 'P-256',
    x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
    y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
    d: 'secret',
  },
};
const ed25519: HolderKey = {
  id: 'ed25519',
  algorithm: 'EdDSA',
  privateJwk: { kty: 'OKP', crv: 'Ed25519', x: 'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik', d: 'secret' },
};

describe('a holder key', () => {
  it('becomes a did:key with the compressed point of P-256', () => {
    expect(holderDid(p256, 'did:key')).toBe('did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv');
  });

  it('becomes a did:key with the raw key of Ed25519', () => {
    expect(holderDid(ed25519, 'did:key')).toBe('did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp');
  });

  it('becomes a did:jwk that contains the public members only', () => {
    const encoded = holderDid(p256, 'did:jwk').slice('did:jwk:'.length);
    const { d, ...publicMembers } = p256.privateJwk;
    expect(d).toBe('secret');
    expect(JSON.parse(Buffer.from(encoded, 'base64url').toString())).toEqual(publicMembers);
  });

  it('is named in a proof by the bare key, by #0 of its did:jwk, or by the fragment of its did:key', () => {
    expect(proofSigner(ed25519, 'jwk')).toMatchObject({ method: 'jwk', publicJwk: { crv: 'Ed25519' } });
    expect(proofSigner(ed25519, 'did:jwk')).toMatchObject({ didUrl: expect.stringMatching(/^did:jwk:[^#]+#0$/) });
    const did = holderDid(ed25519, 'did:key');
    expect(proofSigner(ed25519, 'did:key')).toMatchObject({ didUrl: `${did}#${did.slice('did:key:'.length)}` });
  });
});
