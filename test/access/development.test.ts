import { ApiKeys, DevelopmentKey } from '@app/access';
import { Settings } from '@app/config';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { greeting } from '../../apps/server/src/greeting';
import { get, postJson, sendBytes } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

/** The status of a request from this machine with exactly these headers. */
async function statusOf(url: string, headers: readonly string[], asked = 'GET /v0/templates'): Promise<number> {
  const lines = [`${asked} HTTP/1.1`, ...headers, 'Connection: close'];
  const [, status] = /^HTTP\/1\.1 (\d+) /.exec(await sendBytes(url, `${lines.join('\r\n')}\r\n\r\n`)) ?? [];
  return Number(status);
}

describe('in development', () => {
  let service: RunningService;
  let port: string;
  beforeAll(async () => {
    service = await startService();
    ({ port } = new URL(service.url));
  });
  afterAll(() => service.stop());

  it('needs no key from this machine itself', async () => {
    expect((await get(`${service.url}/v0/templates`)).status).toBe(200);
    expect(await statusOf(service.url, [`Host: localhost:${port}`])).toBe(200);
    expect(await statusOf(service.url, [`Host: 192.168.1.5:${port}`])).toBe(200);
    expect(await statusOf(service.url, [`Host: localhost:${port}`, `Origin: http://localhost:${port}`])).toBe(200);
  });

  it.each([
    ['a page whose name resolves to this machine', ['Host: evil.example']],
    ['a page that sends a form here', ['Host: localhost', 'Origin: https://evil.example']],
    ['a tunnel', ['Host: localhost', 'X-Forwarded-For: 203.0.113.9']],
    ['a proxy that sends Forwarded', ['Host: localhost', 'Forwarded: for=203.0.113.9']],
    ['a proxy that sends X-Forwarded-Host', ['Host: localhost', 'X-Forwarded-Host: portal.example']],
  ])('needs one from %s', async (_who, headers) => {
    expect(await statusOf(service.url, headers)).toBe(401);
  });

  // Without a body a browser sends the request without a preflight.
  it.each([
    ['another port of this machine', `http://localhost:1`, 401],
    ['another port of this machine by its address', `http://127.0.0.1:1`, 401],
    ['another port of the name it calls', (host: string) => `http://${host.replace(/:\d+$/, ':1')}`, 401],
    ['the default port of this machine', 'http://localhost', 401],
    ['another name of this machine', (host: string) => `http://[::1]${host.slice(host.indexOf(':'))}`, 401],
    ['an opaque origin', 'null', 401],
    ['this service', (host: string) => `http://${host}`, 404],
  ])('accepts a POST from a page of %s only when that is the service itself', async (_page, origin, status) => {
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `192.168.1.5:${port}`]) {
      const headers = [`Host: ${host}`, `Origin: ${typeof origin === 'string' ? origin : origin(host)}`];
      const posted = await statusOf(service.url, [...headers, 'Content-Length: 0'], 'POST /v0/templates/none/publish');
      expect(posted).toBe(status);
    }
  });

  it('explains in its refusal which callers need no key, and how to get one', async () => {
    const { json } = await get(`${service.url}/v0/templates`, { 'x-forwarded-for': '127.0.0.1' });
    expect(json['detail']).toContain('In development, only direct requests from localhost are exempt');
    expect(json['detail']).toContain('`sealwright api-keys create` makes one');
  });

  it('accepts a key from elsewhere, and rejects a wrong one', async () => {
    const { text } = await service.app.get(ApiKeys).create({ name: 'phone', scopes: ['templates:read'] });
    const read = (headers: Record<string, string>) => get(`${service.url}/v0/templates`, headers);
    expect((await read({ 'x-api-key': text, 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
    expect((await read({ 'x-api-key': `${text}x` })).status).toBe(401);
    const under = await postJson(`${service.url}/v0/templates`, {}, { 'x-api-key': text });
    expect(under.status).toBe(403);
  });

  it('prints a key for other machines and containers, which is the same after a restart', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sealwright-development-'));
    const keys: string[] = [];
    for (let start = 0; start < 2; start++) {
      const again = await startService({ SERVICE__EVENT_STORE__CONNECTION_STRING: join(directory, 'store') });
      const { text: developmentKey } = again.app.get(DevelopmentKey);
      const said = greeting(again.app.get(Settings), { publicPort: 1, managementPort: 1, developmentKey });
      expect(said).toContain('no key needed from this machine; other machines and containers send');
      expect(said).toMatch(/^Sealwright is ready .*\n {2}console +http:\/\/127\.0\.0\.1:1\/console\n/);
      expect(said).toContain('  API documentation http://127.0.0.1:1/docs\n');
      expect((await get(`${again.url}/docs`)).status).toBe(200);
      const [, key = ''] = /X-API-Key: (\S+)/.exec(said) ?? [];
      const ofAnother = { 'x-forwarded-for': '203.0.113.9' };
      expect((await get(`${again.url}/v0/templates`, { 'x-api-key': key, ...ofAnother })).status).toBe(200);
      expect((await get(`${again.url}/v0/templates`, { 'x-api-key': `${key}0`, ...ofAnother })).status).toBe(401);
      expect((await get(`${service.url}/v0/templates`, { 'x-api-key': key, ...ofAnother })).status).toBe(401);
      keys.push(key);
      await again.stop();
    }
    await rm(directory, { recursive: true });
    expect(keys[0]).toBe(keys[1]);
  });
});

describe('in development with configured credentials', () => {
  const tokens = {
    SERVICE__MANAGEMENT__JWKS_URL: 'https://login.example/keys',
    SERVICE__MANAGEMENT__ISSUER: 'https://login.example',
    SERVICE__MANAGEMENT__AUDIENCE: 'https://portal.example',
  };

  it.each([{ SERVICE__MANAGEMENT__API_KEYS: 'key-of-a-developer' }, tokens])(
    'every caller needs them: %j',
    async (settings) => {
      const service = await startService(settings);
      try {
        expect((await get(`${service.url}/v0/templates`)).status).toBe(401);
        const { text: developmentKey } = service.app.get(DevelopmentKey);
        expect(greeting(service.app.get(Settings), { publicPort: 1, managementPort: 1, developmentKey })).toContain(
          'requires an API key or an access token',
        );
      } finally {
        await service.stop();
      }
    },
  );
});
