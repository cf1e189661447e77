import { keyOfDidUrl } from './verifier-key';

// Keys and identifiers from the did:key method specification.
const p256Did = 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv';
const ed25519Did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const p256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
  y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
};
const documents: Record<string, Record<string, unknown>> = {
  'http://127.0.0.1:3033/.well-known/did.json': {
    id: 'did:web:127.0.0.1%3A3033',
    verificationMethod: [{ id: 'did:web:127.0.0.1%3A3033#key', publicKeyJwk: p256 }],
  },
  'https://verifier.example/tenant/did.json': {
    id: 'did:web:verifier.example:tenant',
    verificationMethod: [{ id: '#key', publicKeyJwk: p256 }],
  },
  'https://stolen.example/.well-known/did.json': { id: 'did:web:verifier.example' },
};
const fetchJson = (url: string): Promise<Record<string, unknown>> => {
  const document = documents[url];
  return document ? Promise.resolve(document) : Promise.reject(new Error(`nothing at ${url}`));
};
const key = (didUrl: string, source = 'https://verifier.example/request') => keyOfDidUrl(didUrl, source, fetchJson);

describe('the key of a verifier', () => {
  it('lies in its did:key', async () => {
    expect(await key(`${p256Did}#${p256Did.slice(8)}`)).toEqual(p256);
    expect(await key(`${ed25519Did}#${ed25519Did.slice(8)}`)).toMatchObject({
      crv: 'Ed25519',
      x: 'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik',
    });
  });

  it('lies in its did:jwk', async () => {
    const did = `did:jwk:${Buffer.from(JSON.stringify(p256)).toString('base64url')}`;
    expect(await key(`${did}#0`)).toEqual(p256);
  });

  it('is published for its did:web, over http only where the request itself came so', async () => {
    expect(await key('did:web:verifier.example:tenant#key')).toEqual(p256);
    const local = 'did:web:127.0.0.1%3A3033#key';
    expect(await key(local, 'http://127.0.0.1:3033/request')).toEqual(p256);
    await expect(key(local)).rejects.toThrow('nothing at https://127.0.0.1:3033/');
  });

  it.each([
    ['did:web:verifier.example:tenant#other', 'finds no key did:web:verifier.example:tenant#other'],
    ['did:web:stolen.example#key', 'The DID document of did:web:stolen.example is about another DID.'],
    ['did:ion:abc#key', 'The wallet cannot resolve did:ion:abc.'],
    ['did:key:z6Mk0OIl#key', 'finds no key'],
    ['did:key:u7QEx#key', 'finds no key'],
    ['did:key:z#key', 'finds no key'],
  ])('is not found for %s', async (didUrl, reason) => {
    await expect(key(didUrl)).rejects.toThrow(reason);
  });
});
