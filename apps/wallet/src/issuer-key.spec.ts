import { didWebUrl, publishedKey } from './issuer-key';

const jwk = { kty: 'OKP', crv: 'Ed25519', x: 'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik' };
const other = { ...jwk, x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

describe('a did:web document', () => {
  it.each([
    ['did:web:issuer.example', 'https://issuer.example/oid', 'https://issuer.example/.well-known/did.json'],
    ['did:web:issuer.example:dept:a', 'https://issuer.example', 'https://issuer.example/dept/a/did.json'],
    ['did:web:127.0.0.1%3A3033', 'http://127.0.0.1:3033/oid', 'http://127.0.0.1:3033/.well-known/did.json'],
    ['did:web:issuer.example', 'http://127.0.0.1:3033/oid', 'https://issuer.example/.well-known/did.json'],
  ])('of %s offered by %s lies at %s', (did, credentialIssuer, url) => {
    expect(didWebUrl(did, credentialIssuer)).toBe(url);
  });

  const did = 'did:web:issuer.example';
  const signature = { issuer: did, keyId: `${did}#a`, algorithm: 'EdDSA', credentialIssuer: 'https://issuer.example' };
  const document = {
    id: did,
    verificationMethod: [
      { id: '#a', publicKeyJwk: jwk },
      { id: `${did}#b`, publicKeyJwk: other },
    ],
    assertionMethod: ['#a'],
  };

  it('gives the key named by kid, also when the document names it relatively', async () => {
    await expect(publishedKey(signature, () => Promise.resolve(document))).resolves.toBeDefined();
  });

  it.each([
    ['a key it does not list', { keyId: `${did}#c` }, document],
    ['a key that may not sign credentials', { keyId: `${did}#b` }, document],
    ['another DID', {}, { ...document, id: 'did:web:other.example' }],
  ])('does not answer for %s', async (_case, change, served) => {
    await expect(publishedKey({ ...signature, ...change }, () => Promise.resolve(served))).rejects.toThrow(did);
  });
});

describe('the keys of an https issuer', () => {
  const issuer = 'https://issuer.example/oid';
  const signature = { issuer, keyId: 'a', algorithm: 'EdDSA', credentialIssuer: issuer };
  const keys = [
    { ...jwk, kid: 'a' },
    { ...other, kid: 'b' },
  ];

  it('are found behind the inserted well-known path, inline or by reference', async () => {
    const asked: string[] = [];
    const fetchJson = (url: string): Promise<Record<string, unknown>> => {
      asked.push(url);
      return Promise.resolve(
        url.includes('.well-known') ? { issuer, jwks_uri: 'https://issuer.example/jwks' } : { keys },
      );
    };
    await publishedKey(signature, fetchJson);
    expect(asked).toEqual(['https://issuer.example/.well-known/jwt-vc-issuer/oid', 'https://issuer.example/jwks']);
    await expect(publishedKey(signature, () => Promise.resolve({ issuer, jwks: { keys } }))).resolves.toBeDefined();
  });

  it.each([
    ['the metadata names another issuer', 'a', { issuer: 'https://other.example', jwks: { keys } }],
    ['no key has the kid', 'c', { issuer, jwks: { keys } }],
    ['there are several keys and no kid', undefined, { issuer, jwks: { keys } }],
  ])('are refused when %s', async (_case, keyId, served) => {
    await expect(publishedKey({ ...signature, keyId }, () => Promise.resolve(served))).rejects.toThrow(issuer);
  });
});
