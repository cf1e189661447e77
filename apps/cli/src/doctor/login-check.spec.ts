import type { Settings } from '@app/config';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TrustState } from '@app/identity';
import { checkLogin } from './login-check';

interface Answer {
  readonly status: number;
  readonly body?: object | string;
  readonly location?: string;
}

let metadata: string;
let server: Server;
let host: string;
/** Of the provider, by path. */
let answers: Record<string, Answer>;
const callback = 'https://issuer.example/authorize/login/callback';
const nobody = (error: string) => ({ status: 302, location: `${callback}?error=${error}` });
const refusal = (status: number, error: string, description = '') => ({
  status,
  body: { error, error_description: description },
});

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const path = url.split('?')[0] ?? '';
    const isThere = path === '/uni/.well-known/openid-configuration';
    const {
      status,
      body = '',
      location,
    } = isThere ? { status: 200, body: metadata } : (answers[path] ?? { status: 404 });
    const headers = { 'content-type': 'application/json', ...(location !== undefined && { location }) };
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  answers = { '/auth': nobody('login_required'), '/token': refusal(400, 'invalid_grant') };
});
afterAll(() => {
  server.close();
});

const named = (issuer: string, changes: object = {}) =>
  JSON.stringify({
    issuer,
    authorization_endpoint: `http://${host}/auth`,
    token_endpoint: `http://${host}/token`,
    ...changes,
  });
const openid = { clientId: 'cards', clientSecret: 'secret of cards', authentication: 'client_secret_basic' };

const examine = (issuer: string, changes: Partial<Settings> = {}, purposes: readonly string[] = []) =>
  checkLogin(
    {
      profile: 'production',
      haip: false,
      applicationUrl: 'https://issuer.example',
      identification: { openid: { ...openid, issuer, scope: 'openid', acrValues: [], maxAge: 0 } },
      verification: { trustedIssuers: [] },
      outbound: { allowPrivateHosts: [host] },
      ...changes,
    } as unknown as Settings,
    { anchors: [{ purposes }] } as unknown as TrustState,
  );

describe('the doctor', () => {
  it('is content with a provider that names itself, with a slash at the end or without', async () => {
    metadata = named(`http://${host}/uni`);
    const found = `http://${host}/uni answers, and takes the client and its request`;
    expect(await examine(`http://${host}/uni`)).toMatchObject({ outcome: 'ok', found });
    metadata = named(`http://${host}/uni/`);
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

  it.each<[string, Record<string, Answer>, string, string, boolean?]>([
    ['the secret', { '/token': refusal(401, 'invalid_client', 'Bad secret of cards') }, 'Bad …', '__AUTHENTICATION'],
    ['the scope', { '/auth': nobody('invalid_scope&error_description=no+such') }, 'invalid_scope no such', '__SCOPE'],
    ['the client, by a page', { '/auth': { status: 400, body: '<html>' } }, 'the provider shows an error', 'redirect'],
    [
      'pushed requests',
      { '/par': refusal(400, 'invalid_request', 'redirect_uri\n') },
      'redirect_uri',
      'redirect',
      true,
    ],
    ['the pushed secret', { '/par': refusal(401, 'invalid_request') }, 'login-client-refused', 'the secret', true],
    ['no DPoP', { '/par': refusal(400, 'invalid_dpop_proof') }, 'invalid_dpop_proof', '__DPOP', true],
    ['tokens that are not bound', { '/token': refusal(400, 'invalid_dpop_proof') }, 'invalid_dpop_proof', '__DPOP'],
    ['in HTML', { '/par': { status: 403, body: '<html>' } }, '403', 'Ask the operator', true],
  ])('finds a provider that refuses %s', async (_what, changes, words, remedy, isPushed = false) => {
    metadata = named(
      `http://${host}/uni`,
      isPushed ? { pushed_authorization_request_endpoint: `http://${host}/par` } : {},
    );
    answers = { ...answers, ...changes };
    const finding = await examine(`http://${host}/uni`);
    expect(finding).toMatchObject({ outcome: 'fail', found: expect.stringContaining(words) as string });
    expect(finding.remedy).toContain(remedy);
    expect(finding.found).not.toMatch(/secret of cards|\n/);
  });

  it('says that it could not try a login by a key that it cannot read', async () => {
    metadata = named(`http://${host}/uni`);
    const finding = await examine(`http://${host}/uni`, {
      identification: { openid: { ...openid, issuer: `http://${host}/uni`, authentication: 'private_key_jwt' } },
      eventStore: { type: 'embedded', connectionString: '/nowhere/store' },
    } as unknown as Partial<Settings>);
    expect(finding).toMatchObject({ outcome: 'warn', found: expect.stringContaining('was not tried') as string });
  });

  it('needs a provider or a trusted issuer for SERVICE__HAIP, in production alone', async () => {
    expect(await examine('')).toMatchObject({ outcome: 'ok', found: 'no provider' });
    expect(await examine('', { haip: true, profile: 'development' })).toMatchObject({ outcome: 'ok' });
    expect(await examine('', { haip: true }, ['wallet-provider'])).toMatchObject({ outcome: 'fail' });
    expect(await examine('', { haip: true }, ['issuer'])).toMatchObject({ outcome: 'ok' });
  });
});
