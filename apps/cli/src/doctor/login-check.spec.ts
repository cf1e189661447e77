import type { Settings } from '@app/config';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TrustState } from '@app/trust';
import { checkLogin } from './login-check';

let metadata: string;
let server: Server;
let host: string;
beforeAll(async () => {
  server = createServer(({ url }, response) => {
    const isThere = url === '/uni/.well-known/openid-configuration';
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' }).end(metadata);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

const examine = (issuer: string, changes: Partial<Settings> = {}, purposes: readonly string[] = []) =>
  checkLogin(
    {
      profile: 'production',
      haip: false,
      identification: { openid: { issuer } },
      verification: { trustedIssuers: [] },
      outbound: { allowPrivateHosts: [host] },
      ...changes,
    } as unknown as Settings,
    { anchors: [{ purposes }] } as unknown as TrustState,
  );

describe('the doctor', () => {
  it('is content with a provider that names itself, with a slash at the end or without', async () => {
    metadata = JSON.stringify({ issuer: `http://${host}/uni` });
    expect(await examine(`http://${host}/uni`)).toMatchObject({ outcome: 'ok', found: `http://${host}/uni answers` });
    metadata = JSON.stringify({ issuer: `http://${host}/uni/` });
    expect(await examine(`http://${host}/uni/`)).toMatchObject({ outcome: 'ok' });
  });

  it.each([
    ['another issuer', '{"issuer":"https://other.example"}', '/uni', 'names another issuer'],
    ['no issuer', 'null', '/uni', 'names another issuer'],
    ['no JSON', 'hello', '/uni', 'its metadata are not JSON'],
    ['no metadata', '', '/nowhere', '404'],
  ])('finds a provider with %s', async (_what, text, path, words) => {
    metadata = text;
    const finding = await examine(`http://${host}${path}`);
    expect(finding).toMatchObject({ check: 'login', outcome: 'fail', found: expect.stringContaining(words) as string });
    expect(finding.remedy).toContain('SERVICE__IDENTIFICATION__OPENID__ISSUER');
  });

  it('needs a provider or a trusted issuer for SERVICE__HAIP, in production alone', async () => {
    expect(await examine('')).toMatchObject({ outcome: 'ok', found: 'no provider' });
    expect(await examine('', { haip: true, profile: 'development' })).toMatchObject({ outcome: 'ok' });
    expect(await examine('', { haip: true }, ['wallet-provider'])).toMatchObject({ outcome: 'fail' });
    expect(await examine('', { haip: true }, ['issuer'])).toMatchObject({ outcome: 'ok' });
  });
});
