import type { Settings } from '@app/config';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkTokenKeys } from './token-keys-check';

let answer: string;
let server: Server;
let host: string;
beforeAll(async () => {
  server = createServer(({ url }, response) => {
    response.writeHead(url === '/keys' ? 200 : 404, { 'content-type': 'application/json' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

const issuer = 'https://login.example';
const examine = (jwksUrl = `http://${host}/keys`, tokenType = 'at+jwt') =>
  checkTokenKeys({
    management: { jwksUrl, issuer, tokenType },
    outbound: { allowPrivateHosts: [host] },
  } as unknown as Settings);

describe('the doctor', () => {
  it('has nothing to say of access tokens where none are taken', async () => {
    expect(await examine('')).toMatchObject({ outcome: 'ok', found: 'none are taken' });
  });

  it('names the keys of their issuer that it can verify by', async () => {
    answer = JSON.stringify({
      keys: [
        { kty: 'RSA', use: 'sig', alg: 'RS256' },
        { kty: 'RSA', use: 'enc', alg: 'RSA-OAEP' },
        { kty: 'EC', crv: 'P-256' },
        { kty: 'OKP', crv: 'Ed25519' },
        { kty: 'EC', crv: 'P-521' },
      ],
    });
    expect(await examine()).toMatchObject({ outcome: 'ok', found: `3 key(s) of ${issuer} (RS256, ES256, EdDSA)` });
    const anyType = await examine(undefined, 'JWT');
    expect(anyType.found).toContain('of typ JWT, too');
  });

  it.each([
    ['no key that fits', '{"keys":[{"kty":"EC","crv":"P-384"}]}', '/keys', 'none of the 1 key(s)'],
    ['no key', '{"keys":[]}', '/keys', 'none of the 0 key(s)'],
    ['no JWK Set', '{"keys":"none"}', '/keys', 'the answer is no JWK Set'],
    ['no JSON', 'hello', '/keys', 'the answer is no JWK Set'],
    ['nothing', '', '/nowhere', '404'],
  ])('finds an issuer with %s', async (_what, text, path, words) => {
    answer = text;
    const finding = await examine(`http://${host}${path}`);
    expect(finding).toMatchObject({ outcome: 'fail', found: expect.stringContaining(words) as string });
  });
});
