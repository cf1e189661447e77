import { letterStyleSource } from '@app/pages';
import { get, postJson, type Reply, send } from '../support/http/requests';
import { audienceOf, servedRoutes } from '../support/service/routes';
import { startService } from '../support/service/service';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile();

interface Route {
  readonly method: string;
  readonly path: string;
  readonly isForWallets: boolean;
}

function everyRoute(): Route[] {
  return servedRoutes(service.app).map((route) => ({
    method: route.method,
    path: route.path.replace(/:\w+/g, 'x'),
    isForWallets: audienceOf(route) === 'wallets',
  }));
}

const crossOriginNames = (reply: Reply): string[] =>
  [...reply.headers.keys()].filter((name) => name.startsWith('access-control-')).sort();

const origins = () => ['https://wallet.example', 'https://evil.example', 'null', 'http://localhost:8080', service.url];

describe('pages of other origins', () => {
  it('may read the answers to wallets, from any origin, and nothing else', async () => {
    const routes = everyRoute();
    expect(routes.filter(({ isForWallets }) => isForWallets).length).toBeGreaterThan(15);
    expect(routes.filter(({ isForWallets }) => !isForWallets).length).toBeGreaterThan(35);
    for (const { method, path, isForWallets } of routes) {
      for (const origin of origins()) {
        const reply = await send(service.url + path, { method, headers: { origin } });
        const allowed = isForWallets ? ['access-control-allow-origin', 'access-control-expose-headers'] : [];
        expect([method, path, origin, crossOriginNames(reply)]).toEqual([method, path, origin, allowed]);
        expect(reply.headers.get('access-control-allow-origin')).toBe(isForWallets ? '*' : null);
      }
    }
  });

  it('may send wallets’ requests, and no others', async () => {
    for (const { method, path, isForWallets } of everyRoute()) {
      for (const origin of origins()) {
        const asked = {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type',
        };
        const reply = await send(service.url + path, { method: 'OPTIONS', headers: asked });
        if (isForWallets) {
          expect([path, reply.status]).toEqual([path, 204]);
          expect(reply.headers.get('access-control-allow-origin')).toBe('*');
          expect(reply.headers.get('access-control-allow-methods')?.split(', ')).toContain(method);
          expect(reply.headers.get('access-control-allow-headers')).toMatch(/^Authorization, Content-Type, /);
        } else {
          expect(reply.status).toBeGreaterThanOrEqual(400);
          expect([path, crossOriginNames(reply)]).toEqual([path, []]);
        }
        expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
      }
    }
  });

  it('get no CORS headers at routes that wallets do not use', async () => {
    const headers = { origin: 'https://wallet.example', 'access-control-request-method': 'GET' };
    expect((await send(`${service.url}/openid4vci/nothing`, { method: 'OPTIONS', headers })).status).toBe(404);
    const reply = await send(`${service.url}/nothing`, { method: 'OPTIONS', headers });
    expect([reply.status, crossOriginNames(reply)]).toEqual([404, []]);
  });
});

describe('every answer', () => {
  const expected = (policy: string | null, resource: string | undefined): object => ({
    'content-security-policy': policy,
    'cross-origin-resource-policy': resource,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': null,
    'x-powered-by': null,
  });
  const nothing = "default-src 'none';frame-ancestors 'none'";
  const shown = (reply: Reply, names: object): object =>
    Object.fromEntries(Object.keys(names).map((name) => [name, reply.headers.get(name)]));

  it('has headers that keep browsers from interpreting it', async () => {
    for (const { method, path, isForWallets } of everyRoute()) {
      const reply = await send(service.url + path, { method });
      const rules = expected(nothing, isForWallets ? 'cross-origin' : 'same-site');
      const isPage =
        reply.headers.get('content-type')?.startsWith('text/html') === true || /^\/(docs|console)/.test(path);
      if (!isPage) expect({ path, ...shown(reply, rules) }).toEqual({ path, ...rules });
    }
  });

  it.each([
    ['to an unknown path', () => get(`${service.url}/nowhere`)],
    ['without a key', () => get(`${service.url}/v0/offers`, { 'x-api-key': 'wrong' })],
    ['to a wrong method', () => send(`${service.url}/v0/offers`, { method: 'DELETE' })],
    ['to too large a body', () => postJson(`${service.url}/v0/offers`, 'x'.repeat(300_000))],
    ['to a malformed path', () => get(`${service.url}/v0/offers/%`)],
  ])('%s has them, too', async (_what, ask) => {
    const rules = expected(nothing, 'same-site');
    const reply = await ask();
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(shown(reply, rules)).toEqual(rules);
  });

  it('requires https of browsers where the service is reached by https', async () => {
    const secure = await startService({ SERVICE__APPLICATION_URL: 'https://issuer.example' });
    for (const path of ['/jwks.json', '/v0/offers', '/nowhere']) {
      expect((await get(secure.url + path)).headers.get('strict-transport-security')).toBe('max-age=31536000');
    }
    await secure.stop();
  });
});

describe('a page', () => {
  const parts = (reply: Reply): string[] => (reply.headers.get('content-security-policy') ?? '').split('; ');
  const always = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

  it('about a problem loads nothing at all', async () => {
    const page = await get(`${service.url}/problems/not-found`);
    expect(parts(page)).toEqual(["default-src 'none'", ...always]);
    expect(page.text).not.toMatch(/<script|<style|<link|<img|<form|<base|\sstyle=|\son\w+=/i);
  });

  it('of the console runs scripts of this service, has its styles, and calls nothing else', async () => {
    const page = await get(`${service.url}/console`);
    // Letters are printed in a window with the policy of the page.
    const styles = `style-src 'self' ${letterStyleSource}`;
    const own = ["script-src 'self'", styles, "img-src 'self' data:", "connect-src 'self'"];
    const noMarkup = "require-trusted-types-for 'script'";
    expect(parts(page)).toEqual(["default-src 'none'", ...own, noMarkup, ...always]);
    expect(page.text).not.toMatch(/<style|<form|<base|\sstyle=|\son\w+=|<script>/i);
  });

  it('of the explorer runs scripts of this service only', async () => {
    const page = await get(`${service.url}/docs`);
    expect(parts(page)).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", ...always]));
    expect(page.text).not.toMatch(/<style|<form|<base|\sstyle=|\son\w+=|<script>/i);
  });
});
