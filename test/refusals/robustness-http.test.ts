import { gzipSync } from 'node:zlib';
import { answered, get, postJson, send, exchangeBytes, sendBytes } from '../support/http/requests';
import { expectNamed } from '../support/http/refusals';
import { prepareOffer } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { openSession, type Session } from '../support/wallets/wallet';

const service = serviceOfFile();
let session: Session;
beforeAll(async () => {
  session = await openSession((await prepareOffer(service.url)).link);
});

describe('a body that is too large', () => {
  it.each([
    ['/v0/credentials', 300_000, 'application/json'],
    ['/v0/templates', 1_000_000, 'application/json'],
    ['/openid4vci/token', 100_000, 'application/x-www-form-urlencoded'],
    ['/openid4vci/credential', 100_000, 'application/json'],
    ['/openid4vci/nonce', 100_000, 'application/json'],
  ])('at %s gets an answer', async (path, size, type) => {
    const reply = await send(service.url + path, {
      method: 'POST',
      headers: {
        'content-type': type,
        ...(path.startsWith('/openid4vci/') && { authorization: `Bearer ${session.accessToken}` }),
      },
      body: 'x'.repeat(size),
    });
    expect(path === '/openid4vci/nonce' ? 200 : 413).toBe(reply.status);
    expectNamed(reply);
  });

  it('that never ends is cut off', async () => {
    const head =
      'POST /v0/credentials HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n';
    const answer = await sendBytes(service.url, head, Buffer.alloc(8_000_000, 0x20));
    expect(answer === '' || answer.startsWith('HTTP/1.1 4')).toBe(true);
  });

  it('in chunks is limited as well', async () => {
    const head =
      'POST /v0/credentials HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const answer = await sendBytes(service.url, head, chunk.repeat(5), '0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('/problems/payload-too-large');
  });
});

describe('a request that contradicts itself', () => {
  const body = '{"offerId":"lies"}';
  const request = (...headers: string[]) =>
    ['POST /v0/offers HTTP/1.1', 'Host: localhost', ...headers, '', body].join('\r\n');
  it.each([
    ['a longer Content-Length', request('Content-Type: application/json', 'Content-Length: 500')],
    ['a shorter Content-Length', request('Content-Type: application/json', 'Content-Length: 5', 'Connection: close')],
    ['two Content-Lengths', request('Content-Length: 5', 'Content-Length: 18')],
    ['Content-Length and chunks', request('Content-Length: 5', 'Transfer-Encoding: chunked')],
    ['a negative Content-Length', request('Content-Length: -1')],
    ['an unknown transfer encoding', request('Transfer-Encoding: rot13')],
    ['no host', 'GET /v0/offers HTTP/1.1\r\n\r\n'],
    ['another protocol', '\u0016\u0003\u0001\u0002'],
    ['headers of 100 KB', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('by %s never gets a 5xx', async (_what, bytes) => {
    expect(await exchangeBytes(service.url, 1000, [bytes])).not.toMatch(/^HTTP\/1\.1 5/);
  });
});

describe('an odd address', () => {
  const ends = [
    '%E0%A4%A',
    '%',
    '%00',
    '%ED%A0%80',
    '%FF',
    'x'.repeat(7000),
    '%2e%2e%2f',
    '..%2f',
    '__proto__',
    'constructor',
    "'%22%3Cb%3E",
    '%F0%9F%98%80',
    '%0d%0aX:%20y',
  ];
  const paths = [
    '/v0/offers/',
    '/v0/credentials/',
    '/v0/templates/',
    '/v0/credential_configurations/',
    '/openid4vci/offers/',
    '/vct/',
    '/vct/x/',
    '/problems/',
    '/v0/offers/x/',
    '/',
  ];
  it.each(ends)('ending in %s is rejected with a named error', async (end) => {
    for (const path of paths) {
      const reply = await get(service.url + path + end);
      expect([400, 404]).toContain(reply.status);
      expectNamed(reply);
    }
    expectNamed(await send(`${service.url}/v0/offers/${end}`, { method: 'DELETE' }));
    expectNamed(await postJson(`${service.url}/v0/templates/${end}/publish`, ''));
    expectNamed(await get(`${service.url}/v0/offers?limit=${end}&cursor=${end}`));
    expectNamed(await get(`${service.url}/v0/credentials?offerId=${end}&status=${end}`));
  });

  it.each([
    '//v0/offers',
    '/V0/OFFERS',
    '/v0//offers',
    '/v0/offers/',
    '/v0/./offers',
    '/v0/%6fffers',
    '/v0/offers;x=1',
    '*',
    'http://evil.example/v0/offers',
  ])('such as %s never gets a 5xx', async (target) => {
    const answer = await sendBytes(
      service.url,
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 [24]/);
  });
});

describe('odd headers and methods', () => {
  it.each([
    '*/*',
    '',
    'x',
    '/',
    'text/html;q=2',
    'application/json;q=0',
    'image/*',
    'text/plain;q=0.1, */*;q=0.2',
    ','.repeat(1000),
    'a/b;c="\u00e9',
  ])('Accept: %s gets an answer', async (accept) => {
    expectNamed(await postJson(`${service.url}/v0/offers`, { offerId: 'accept' }, { accept }));
    expectNamed(await get(`${service.url}/jwks.json`, { accept }));
  });

  it.each(['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])('%s gets an answer everywhere', async (method) => {
    for (const path of ['/v0/offers', '/v0/offers/x', '/openid4vci/token', '/jwks.json', '/nowhere']) {
      expect((await send(service.url + path, { method })).status).toBeLessThan(500);
    }
  });

  it('HEAD answers what GET answers, without the body', async () => {
    const [head, full] = [
      await send(`${service.url}/jwks.json`, { method: 'HEAD' }),
      await get(`${service.url}/jwks.json`),
    ];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(full.headers.get('content-length'));
  });

  it.each([
    'application/json; charset=utf-16',
    'APPLICATION/JSON',
    'application/vc+json',
    'text/json',
    ';',
    'multipart/form-data; boundary=x',
  ])('Content-Type: %s gets an answer', async (type) => {
    expectNamed(await postJson(`${service.url}/v0/offers`, '{"offerId":"type"}', { 'content-type': type }));
  });

  it('a compressed body is rejected, not misread', async () => {
    const reply = await postJson(`${service.url}/v0/offers`, gzipSync('{"offerId":"gzip"}'), {
      'content-encoding': 'gzip',
    });
    expect([400, 415]).toContain(reply.status);
  });
});

it('the service still works afterwards', async () => {
  answered(200, await get(`${service.url}/v0/offers`));
  await openSession((await prepareOffer(service.url)).link);
});
