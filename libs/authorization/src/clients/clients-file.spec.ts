import { signingKey } from '@app/primitives/fixtures/signing-key';
import { readClientsFile } from './clients-file';

const { jwk } = signingKey('ES256');
const rules = {
  allowLoopback: false,
  isFetchable: (url: string) => url.startsWith('https://'),
  demandsAuthentication: false,
};
const read = (text: string) => readClientsFile(text, rules);
const client = {
  clientId: 'one',
  method: 'private_key_jwt',
  redirectUris: ['https://one.example/cb'],
  jwks: { keys: [jwk] },
};
const written = (...clients: object[]) => JSON.stringify(clients);

describe('a file of clients', () => {
  it('says how each of them authenticates, where it is returned to and what people read', () => {
    const text = `
- clientId: https://wallet.example
  method: attest_jwt_client_auth
  name: Wallet of Example
- clientId: fetched
  method: private_key_jwt
  jwksUri: https://fetched.example/jwks.json
  redirectUris: [com.example.wallet:/callback]
`;
    expect(read(text)).toEqual([
      { clientId: 'https://wallet.example', method: 'attest_jwt_client_auth', name: 'Wallet of Example' },
      {
        clientId: 'fetched',
        method: 'private_key_jwt',
        keys: 'https://fetched.example/jwks.json',
        redirectUris: ['com.example.wallet:/callback'],
      },
    ]);
    const named = { ...jwk, kid: 'k1', use: 'sig' };
    const rsa = { kty: 'RSA', n: 'AQAB', e: 'AQAB' };
    expect(read(written({ ...client, jwks: { keys: [rsa, named] } }))).toMatchObject([
      { keys: [{ jwk, keyId: 'k1' }] },
    ]);
  });

  it.each([
    ['no YAML', '- [', 'a text that is not YAML (line 1)'],
    ['no list', 'clientId: one', 'no list of clients'],
    ['an entry that is a text', '- one', 'client 1 without members'],
    ['no client_id', '- method: none', 'client 1 without clientId'],
    ['another member', written({ ...client, secret: 's' }), 'the member "secret" of one'],
    ['another method', written({ ...client, method: 'client_secret_basic' }), 'another method of one'],
    ['one client twice', written(client, client), 'one twice'],
    ['a name that is no text', written({ ...client, name: 1 }), 'a name of one that is no text'],
    ['no redirect URI', written({ ...client, redirectUris: undefined }), 'no redirectUris of one'],
    ['an http redirect URI', written({ ...client, redirectUris: ['http://localhost/'] }), 'redirectUris of one that'],
    ['no keys', written({ ...client, jwks: undefined }), 'keys of one in no place'],
    ['keys in two places', written({ ...client, jwksUri: 'https://x.example' }), 'keys of one in no place, or in two'],
    ['keys at http', written({ ...client, jwks: undefined, jwksUri: 'http://x' }), 'a jwksUri of one'],
    ['no usable key', written({ ...client, jwks: { keys: [] } }), 'jwks of one without a usable key'],
    [
      'a private key',
      written({ ...client, jwks: { keys: [{ ...jwk, d: jwk.x }] } }),
      'jwks of one without a usable key',
    ],
    ['keys that nobody uses', written({ ...client, method: 'none' }), 'keys of one, which does not use any'],
  ])('is refused with %s', (_, text, found) => {
    expect(() => read(text)).toThrow(found);
  });

  it('has nobody who authenticates by nothing where all have to', () => {
    const anyone = written({ clientId: 'app', method: 'none', redirectUris: ['https://app.example/cb'] });
    expect(read(anyone)).toHaveLength(1);
    expect(() => readClientsFile(anyone, { ...rules, demandsAuthentication: true })).toThrow(
      'the method none of app; write another method, which SERVICE__HAIP wants',
    );
  });
});
