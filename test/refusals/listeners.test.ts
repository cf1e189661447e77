import { Settings } from '@app/config';
import { type LeanExpressAdapter, Listeners } from '@app/http';
import type { HttpAdapterHost } from '@nestjs/core';
import { createServer } from 'node:http';
import { get, postJson, send, sendBytes } from '../support/http/requests';
import { audienceOf, type ServedRoute, servedRoutes } from '../support/service/routes';
import { freePort, type RunningService, startService } from '../support/service/service';
import { pathVariants } from '../support/http/path-variants';

/** One service with two listeners, one with a single one; both have a public URL with a path. */
let split: RunningService;
let single: RunningService;
let front: string;
let onePort: string;
beforeAll(async () => {
  [split, front] = await startBelow('/base', { SERVICE__MANAGEMENT__PORT: '0' });
  [single, onePort] = await startBelow('/base');
});
afterAll(() => Promise.all([split.stop(), single.stop()]));

async function startBelow(path: string, settings = {}): Promise<[RunningService, string]> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const addresses = { SERVICE__HTTP__PORT: String(port), SERVICE__APPLICATION_URL: url + path };
  return [await startService({ ...addresses, ...settings }), url];
}

function routesFor(audience: string): ServedRoute[] {
  return servedRoutes(split.app).filter((route) => audienceOf(route) === audience);
}

const withValues = (path: string): string => path.replace(/:\w+/g, 'x');

/** As this machine, which needs no key in development. */
function ask(url: string, target: string, method = 'GET', ...headers: string[]): Promise<string> {
  const head = [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join(
    '\r\n',
  );
  return sendBytes(url, Buffer.from(head, 'latin1'));
}

const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 'none';

/** Without what differs between any two answers. */
function comparable(answer: string): string {
  return answer
    .replace(/^(Date|X-Request-Id|traceparent|Content-Length): .*\r\n/gim, '')
    .replace(/"instance":"[^"]*"/, '');
}

it('every route has an audience', () => {
  const unassigned = servedRoutes(split.app).filter((route) => audienceOf(route) === undefined);
  expect(unassigned.map(({ name }) => name)).toEqual([]);
  expect(routesFor('management').length).toBeGreaterThan(35);
  expect(routesFor('wallets').length).toBeGreaterThan(15);
});

describe('the management API on the public listener of two', () => {
  const entries = Object.entries(pathVariants);

  it(`is not reachable by any of ${entries.length} path variants`, async () => {
    const paths = [...new Set(routesFor('management').map(({ path }) => withValues(path)))];
    expect(entries.length).toBeGreaterThan(80);
    expect(paths.length).toBeGreaterThan(25);
    const found: string[] = [];
    for (const path of paths) {
      await Promise.all(
        entries.map(async ([name, vary]) => {
          const answer = await ask(front, vary(path));
          const isRefused = ['400', '404'].includes(statusOf(answer)) && !/^allow:/im.test(answer);
          if (!isRefused) found.push(`${path} (${name}): ${answer.slice(0, 200)}`);
        }),
      );
    }
    expect(found).toEqual([]);
  }, 300_000);

  it('would be reachable by some of them on one listener', async () => {
    const found: string[] = [];
    for (const [name, vary] of entries) {
      if (statusOf(await ask(onePort, vary('/v0/offers'))) === '200') found.push(name);
    }
    expect(found).toEqual([
      'as it is',
      'a slash at the end',
      'an empty query',
      'a fragment',
      'absolute form',
      'absolute form in capitals',
      'absolute form with a port',
      'absolute form with a user',
      'absolute form with IPv6',
      'below the path of the public URL',
      'absolute form below the path of the public URL',
    ]);
  });

  it('is answered exactly as an unknown path, by every method and with every body', async () => {
    const never = (method: string) => ask(front, '/never/was', method);
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const expected = comparable(await never(method));
      expect(expected).toMatch(/^HTTP\/1\.1 404 /);
      for (const path of ['/v0', '/v0/offers', '/v0/offers/x', '/v0/credentials/batch', '/docs', '/openapi.json']) {
        expect(comparable(await ask(front, path, method))).toBe(expected);
        expect(comparable(await ask(front, path, method, 'X-API-Key: wrong'))).toBe(expected);
      }
    }
    for (const body of ['{}', '{', 'x'.repeat(300_000)]) {
      expect((await postJson(`${front}/v0/credentials`, body)).status).toBe(404);
    }
  });

  it('is not reachable by headers of a client', async () => {
    const port = new URL(split.managementUrl).port;
    for (const header of [
      `X-Forwarded-Port: ${port}`,
      `X-Forwarded-Host: 127.0.0.1:${port}`,
      `Forwarded: for=127.0.0.1;host="127.0.0.1:${port}"`,
      'X-Original-URL: /v0/offers',
      'X-Rewrite-URL: /v0/offers',
      'X-HTTP-Method-Override: GET',
    ]) {
      expect(statusOf(await ask(front, '/v0/offers', 'GET', header))).toBe('404');
    }
    expect(statusOf(await ask(front, `http://127.0.0.1:${port}/v0/offers`))).toBe('404');
  });
});

describe('two listeners', () => {
  it('serve the management API on one', async () => {
    for (const path of ['/v0/offers', '/base/v0/offers', '/docs', '/openapi.json', '/v0/credential_configurations']) {
      expect([path, (await get(split.managementUrl + path)).status]).toEqual([path, 200]);
    }
    const wrong = await send(`${split.managementUrl}/v0/offers`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });

  it('serve wallets on the other only', async () => {
    expect((await get(`${front}/jwks.json`)).status).toBe(200);
    expect((await get(`${front}/base/openid4vci/.well-known/openid-credential-issuer`)).status).toBe(200);
    const expected = comparable(await ask(split.managementUrl, '/never/was'));
    for (const { path } of routesFor('wallets')) {
      expect(comparable(await ask(split.managementUrl, withValues(path)))).toBe(expected);
    }
    const token = await send(`${split.managementUrl}/openid4vci/token`, { method: 'POST', body: 'x' });
    expect([token.status, token.json['title']]).toEqual([404, 'Not Found']);
  });

  it('serve probes and problem pages on both, and link the pages by their public address', async () => {
    const { json } = await get(`${split.managementUrl}/v0/offers/none`);
    expect(json['type']).toBe(`${front}/base/problems/missing-credential-offer`);
    for (const url of [front, split.managementUrl]) {
      for (const path of ['/livez', '/readyz', '/problems/not-found']) {
        expect([url, path, (await get(url + path)).status]).toEqual([url, path, 200]);
      }
    }
  });
});

describe('a public port that is in use', () => {
  it('is named with its setting, and with what to do', async () => {
    const host = { httpAdapter: { getHttpServer: () => createServer() } };
    const { port } = new URL(onePort);
    const settings = Object.assign(new Settings(), { http: { port: Number(port) } });
    const listeners = new Listeners(host as unknown as HttpAdapterHost<LeanExpressAdapter>, settings);
    await expect(listeners.open('127.0.0.1')).rejects.toThrow(
      `Port ${port} (SERVICE__HTTP__PORT) is in use by another process: end that process, or set another port.`,
    );
  });
});
