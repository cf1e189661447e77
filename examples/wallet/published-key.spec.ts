import { publishedKey } from './published-key';

// Keys and identifiers from the did:key method specification.
const p256Did = 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv';
const p256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
  y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
};
const ed25519Did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const ed25519 = { kty: 'OKP', crv: 'Ed25519', x: 'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik' };

const did = 'did:web:issuer.example';
const issuer = 'https://issuer.example/oid';
const keys = [
  { ...p256, kid: 'a' },
  { ...ed25519, kid: 'b' },
];
const served: Record<string, object> = {
  'https://issuer.example/.well-known/did.json': {
    id: did,
    verificationMethod: [
      { id: '#a', publicKeyJwk: p256 },
      { id: `${did}#b`, publicKeyJwk: ed25519 },
    ],
    assertionMethod: ['#a', { id: `${did}#c`, publicKeyJwk: ed25519 }],
  },
  'http://127.0.0.1:3033/.well-known/did.json': {
    id: 'did:web:127.0.0.1%3A3033',
    verificationMethod: [{ id: 'did:web:127.0.0.1%3A3033#key', publicKeyJwk: p256 }],
  },
  'https://verifier.example/tenant/did.json': {
    id: 'did:web:verifier.example:tenant',
    verificationMethod: [{ id: '#key', publicKeyJwk: p256 }],
  },
  'https://stolen.example/.well-known/did.json': { id: did },
  'https://issuer.example/.well-known/jwt-vc-issuer/oid': { issuer, jwks_uri: 'https://issuer.example/jwks' },
  'https://issuer.example/jwks': { keys },
  'https://inline.example/.well-known/jwt-vc-issuer': { issuer: 'https://inline.example', jwks: { keys } },
  'https://stolen.example/.well-known/jwt-vc-issuer': { issuer, jwks: { keys } },
};

beforeEach(() => {
  jest.spyOn(globalThis, 'fetch').mockImplementation((url) => {
    const document = served[url as string];
    return Promise.resolve(Response.json(document ?? {}, { status: document ? 200 : 404 }));
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the key of a party', () => {
  it.each([
    [p256Did, `${p256Did}#${p256Did.slice(8)}`, 'request', p256],
    [ed25519Did, undefined, 'request', ed25519],
    [`did:jwk:${Buffer.from(JSON.stringify(p256)).toString('base64url')}`, undefined, 'credential', p256],
    [did, `${did}#a`, 'credential', p256],
    [did, `${did}#c`, 'credential', ed25519],
    [did, `${did}#b`, 'request', ed25519],
    ['did:web:verifier.example:tenant', 'did:web:verifier.example:tenant#key', 'request', p256],
    [issuer, 'b', 'credential', keys[1]],
    ['https://inline.example', 'a', 'credential', keys[0]],
  ] as const)('of %s, named %s, is found for a %s', async (party, keyId, signed, key) => {
    await expect(publishedKey(party, keyId, 'https://source.example', signed)).resolves.toEqual(key);
  });

  it('is read over http only where what it signed came so, from the same host', async () => {
    const local = ['did:web:127.0.0.1%3A3033', undefined] as const;
    await expect(publishedKey(...local, 'http://127.0.0.1:3033/request', 'request')).resolves.toEqual(p256);
    const refused = publishedKey(...local, 'http://127.0.0.1:1/request', 'request');
    await expect(refused).rejects.toThrow('https://127.0.0.1:3033/.well-known/did.json answered 404');
  });

  it.each([
    [did, `${did}#b`, 'credential', 'no key did:web:issuer.example#b of did:web:issuer.example'],
    [did, `${did}#d`, 'request', 'no key did:web:issuer.example#d'],
    ['did:web:stolen.example', undefined, 'request', 'is about another DID'],
    ['did:ion:abc', undefined, 'request', 'no key'],
    ['did:key:z6Mk0OIl', undefined, 'request', 'no key'],
    ['did:jwk:e30x', undefined, 'credential', 'no key'],
    [issuer, 'c', 'credential', 'no key c'],
    [issuer, undefined, 'credential', 'no key'],
    ['https://stolen.example', 'a', 'credential', 'names another issuer'],
    ['urn:issuer', undefined, 'credential', 'cannot find the keys of the issuer urn:issuer'],
  ] as const)('of %s, named %s, is not found for a %s', async (party, keyId, signed, reason) => {
    await expect(publishedKey(party, keyId, 'https://source.example', signed)).rejects.toThrow(reason);
  });
});
