import { type RawBody, rawBody } from '@app/http';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { openConnection, type RawConnection } from '../support/http/raw-connection';
import { answered, get, postForm, postJson, sendBytes } from '../support/http/requests';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile();

/** The whole answer to a client whose request was not parsed. */
const bare = (status: number, words: string): string => `HTTP/1.1 ${status} ${words}\r\nConnection: close\r\n\r\n`;

const head = (target: string, ...headers: string[]): string =>
  [target.includes(' ') ? `${target} HTTP/1.1` : `POST ${target} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join(
    '\r\n',
  );

describe('a malformed request', () => {
  it.each([
    ['another protocol', '\u0016\u0003\u0001\u0002', 400, 'Bad Request'],
    ['a header without a name', head('GET /jwks.json', ': x'), 400, 'Bad Request'],
    ['two lengths', head('/v0/offers', 'Content-Length: 1', 'Content-Length: 2'), 400, 'Bad Request'],
    ['a length and chunks', head('/v0/offers', 'Content-Length: 1', 'Transfer-Encoding: chunked'), 400, 'Bad Request'],
  ])('such as %s gets a plain one-line answer and the connection is closed', async (_what, bytes, status, words) => {
    const connection = await openConnection(service.url);
    connection.write(bytes);
    expect(await connection.closed).toBe(bare(status, words));
  });

  it.each([
    ['headers', head('GET /v0/offers', `X: ${'x'.repeat(17 * 1024)}`)],
    ['an address', head(`GET /${'x'.repeat(17 * 1024)}`)],
  ])('with %s of 17 KiB gets a problem and the connection is closed', async (_what, bytes) => {
    const connection = await openConnection(service.url);
    connection.write(bytes);
    const [top = '', body = ''] = (await connection.closed).split('\r\n\r\n');
    expect(top).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(top).toMatch(/^Content-Type: application\/problem\+json\r$/im);
    expect(top).toMatch(/^Connection: close$/im);
    expect(top).toContain(`Content-Length: ${Buffer.byteLength(body)}\r\n`);
    expect(JSON.parse(body)).toMatchObject({
      type: `${service.url}/problems/request-header-fields-too-large`,
      status: 431,
      detail: 'The address and the headers have more than 16 KiB together.',
    });
  });

  it('does not cut into an answer that is under way', async () => {
    const connection = await openConnection(service.url);
    connection.write(head('GET /v0/events'));
    while (!connection.received().includes('text/event-stream')) await delay(5);
    connection.write(head('GET /jwks.json', `X: ${'x'.repeat(17 * 1024)}`));
    expect(await connection.closed).not.toContain('431');
  });

  it('is not one with headers of 15 KiB', async () => {
    expect((await get(`${service.url}/jwks.json`, { 'x-cookie': 'x'.repeat(15 * 1024) })).status).toBe(200);
  });

  it('without a host, or with an unknown expectation, gets a status of its own', async () => {
    expect(await sendBytes(service.url, 'GET /jwks.json HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    const expecting = head('/v0/offers', 'Expect: a-miracle', 'Content-Length: 0', 'Connection: close');
    expect(await sendBytes(service.url, expecting)).toMatch(/^HTTP\/1\.1 417 /);
  });
});

describe('a header that has one value', () => {
  const ask = (target: string, ...headers: string[]): Promise<string> =>
    sendBytes(service.url, head(target, 'Content-Length: 0', ...headers));

  it.each(['Host: localhost', 'host: other.example', 'Content-Type: application/json', 'Authorization: Bearer b'])(
    'is rejected when it is repeated: %s',
    async (again) => {
      const name = again.split(':', 1)[0] ?? '';
      const message = new RegExp(`The header ${name} must be sent once\\.`, 'i');
      const once = ['Content-Type: application/x-www-form-urlencoded', 'Authorization: Bearer a'];
      for (const target of ['/v0/offers', '/nowhere', 'GET /livez']) {
        const answer = await ask(target, ...once, again);
        expect(answer).toMatch(/^HTTP\/1\.1 400 /);
        expect(answer).toMatch(/^connection: close\r$/im);
        expect(answer).toMatch(/^content-type: application\/problem\+json\r$/im);
        expect(answer).toMatch(message);
      }
      for (const target of ['/openid4vci/token', '/openid4vci/credential', 'GET /jwks.json']) {
        const answer = await ask(target, ...once, again);
        expect(answer).toMatch(/^HTTP\/1\.1 400 /);
        expect(answer).toMatch(/^cache-control: no-store\r$/im);
        expect(answer).toContain('{"error":"invalid_request","error_description":"');
        expect(answer).toMatch(message);
      }
    },
  );

  it.each(['a b', 'a/b', 'user@localhost', 'localhost:x', '[::1', 'h\u00f6st'])(
    'is rejected as Host: %s',
    async (host) => {
      const answer = await sendBytes(service.url, `GET /livez HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('The header Host must be a host name or address');
    },
  );

  it.each(['localhost', 'LOCALHOST:3033', '127.0.0.1:80', '[::1]:3033', 'my_host.example.', ''])(
    'is served as Host: %s',
    async (host) => {
      const request = `GET /livez HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(await sendBytes(service.url, request)).toMatch(/^HTTP\/1\.1 200 /);
    },
  );
});

/** Resolves once the text has come back, or the connection has closed. */
async function receivedBy(connection: RawConnection, text: string): Promise<void> {
  while (!connection.received().includes(text) && !connection.isClosed()) await delay(20);
}

describe('a client that sends Expect: 100-continue', () => {
  const announce = (path: string, length: number): string =>
    head(path, 'Content-Type: application/json', `Content-Length: ${length}`, 'Expect: 100-continue');

  it('gets 100 Continue, then the answer', async () => {
    const connection = await openConnection(service.url);
    connection.write(announce('/v0/offers', 21));
    await receivedBy(connection, '\r\n\r\n');
    expect(connection.received()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.write('{"offerId":"invited"}');
    await receivedBy(connection, '\r\n\r\nHTTP/1.1 ');
    expect(connection.received()).toMatch(/\r\n\r\nHTTP\/1\.1 201 /);
    connection.destroy();
  });

  it.each([
    ['/v0/offers', 256 * 1024 + 1, 'payload-too-large'],
    ['/openid4vci/token', 64 * 1024 + 1, 'invalid_request'],
    ['/v0/credentials/batch', 8 * 1024 * 1024 + 1, 'payload-too-large'],
  ])('with a body larger than %s accepts is rejected before the body is read', async (path, length, name) => {
    const connection = await openConnection(service.url);
    connection.write(announce(path, length));
    const answer = await connection.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(answer).toContain(name);
  });
});

it('a body far above the limit is rejected before it is sent', async () => {
  const connection = await openConnection(service.url);
  connection.write(head('/v0/offers', 'Content-Type: application/json', 'Content-Length: 99999999'));
  expect(await connection.closed).toMatch(/^HTTP\/1\.1 413 /);
});

describe('a body that is compressed', () => {
  const headers = { 'content-encoding': 'gzip' };

  it('is rejected with a problem at the management API', async () => {
    const reply = await postJson(`${service.url}/v0/offers`, gzipSync('{"offerId":"gzip"}'), headers);
    expectProblem(reply, 415, 'unsupported-media-type', 'Unsupported Media Type');
    expect(reply.headers.get('accept-encoding')).toBe('identity');
  });

  it('is rejected with an OAuth error at the endpoints of wallets', async () => {
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await postJson(`${service.url}/openid4vci/token`, gzipSync('a=b'), form);
    expectRefusal(reply, 415, 'invalid_request');
    expect(reply.headers.get('accept-encoding')).toBe('identity');
  });

  it('is not one with the encoding identity', async () => {
    answered(201, await postJson(`${service.url}/v0/offers`, { offerId: 'as-is' }, { 'content-encoding': 'Identity' }));
    expect((await postForm(`${service.url}/openid4vci/token`, 'a=b')).status).toBe(400);
  });
});

describe('a client that does not wait for answers', () => {
  const requests = (count: number) => 'GET /jwks.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count);
  const answers = (connection: RawConnection) => connection.received().match(/HTTP\/1\.1 200 /g)?.length ?? 0;

  it('gets answers to a few requests at once', async () => {
    const connection = await openConnection(service.url);
    connection.write(requests(10));
    while (answers(connection) < 10 && !connection.isClosed()) await delay(20);
    expect(answers(connection)).toBe(10);
    connection.destroy();
  });

  it('loses its connection after many, and other clients do not wait', async () => {
    const connections = await Promise.all(Array.from({ length: 20 }, () => openConnection(service.url)));
    for (const connection of connections) connection.write(requests(20_000));
    const asked = Date.now();
    expect((await get(`${service.url}/livez`)).status).toBe(200);
    // All of these would take minutes.
    expect(Date.now() - asked).toBeLessThan(30_000);
    await Promise.all(connections.map(({ closed }) => closed));
  });
});

describe('clients that send slowly', () => {
  async function trickle(connections: readonly RawConnection[], byte: string, until: () => boolean): Promise<void> {
    for (let round = 0; round < 60 && !until(); round += 1) {
      for (const connection of connections) connection.write(byte);
      await delay(500);
    }
  }

  it('do not delay others, and lose their connection after ten seconds of headers', async () => {
    const open = (bytes: string) => async () => {
      const connection = await openConnection(service.url);
      connection.write(bytes);
      return connection;
    };
    const heads = await Promise.all(Array.from({ length: 100 }, open('GET /jwks.json HTTP/1.1\r\nX-Slow: ')));
    const body = head('/openid4vci/token', 'Content-Type: application/json', 'Content-Length: 999');
    const bodies = await Promise.all(Array.from({ length: 100 }, open(body)));
    const began = Date.now();
    let isOver = false;
    const trickling = trickle([...heads, ...bodies], 'x', () => isOver);

    try {
      for (let turn = 0; turn < 100; turn += 1) {
        const asked = Date.now();
        expect((await get(`${service.url}/jwks.json`)).status).toBe(200);
        expect(Date.now() - asked).toBeLessThan(5000);
      }
      const answers = await Promise.all(heads.map(({ closed }) => closed));
      expect(new Set(answers)).toEqual(new Set([bare(408, 'Request Timeout')]));
      expect(Date.now() - began).toBeGreaterThan(8000);
      expect(Date.now() - began).toBeLessThan(28_000);
      expect(bodies.filter(({ isClosed }) => isClosed())).toEqual([]);
    } finally {
      isOver = true;
      await trickling;
      for (const connection of [...heads, ...bodies]) connection.destroy();
    }
  });

  it('cannot fill the memory: the slowest body is dropped for the latest', async () => {
    const limit = { bytes: 100, seconds: 30, together: 250 };
    const read = rawBody(() => limit);
    const server = createServer((request: IncomingMessage & { body?: unknown }, response) => {
      read(request, response, () => response.end(`read ${String((request.body as RawBody).bytes?.length)}`));
    }).listen(0, '127.0.0.1');
    try {
      await delay(50);
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const begin = async () => {
        const connection = await openConnection(url);
        connection.write(head('/', 'Content-Length: 100') + 'x'.repeat(90));
        await delay(50);
        return connection;
      };
      const [oldest, second, third] = [await begin(), await begin(), await begin()];
      await oldest.closed;
      expect(oldest.received()).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
      expect(oldest.received()).toMatch(/\r\nRetry-After: 1\r\n/);
      expect(oldest.received()).toMatch(/\r\nConnection: close\r\n/);
      // Requests that were answered or aborted take no space.
      third.destroy();
      await delay(50);
      const fourth = await begin();
      for (const connection of [second, fourth]) {
        connection.write('x'.repeat(10));
        await receivedBy(connection, 'read 100');
        expect(connection.received()).toMatch(/read 100$/);
        connection.destroy();
      }
      expect(await (await fetch(url, { method: 'POST', body: 'x'.repeat(100) })).text()).toBe('read 100');
    } finally {
      server.close();
    }
  });

  it('have the timeout of the route for a body', async () => {
    let server: Server | undefined;
    try {
      const read = rawBody(() => ({ bytes: 100, seconds: 0.5, together: 1000 }));
      server = createServer((request, response) => {
        read(request, response, () => response.end('answered'));
      }).listen(0, '127.0.0.1');
      await delay(50);
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const connection = await openConnection(url);
      connection.write(head('/', 'Content-Length: 50'));
      await trickle([connection], 'x', connection.isClosed);
      expect(connection.received()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(connection.received()).toMatch(/\r\nConnection: close\r\n/);
      expect(connection.received()).not.toContain('answered');
      expect(await (await fetch(url, { method: 'POST', body: 'fast' })).text()).toBe('answered');
    } finally {
      server?.close();
    }
  });
});
