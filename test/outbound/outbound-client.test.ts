import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { OutboundClient, OutboundModule, type OutboundOptions, type OutboundPurpose } from '@app/outbound';
import { Test } from '@nestjs/testing';
import { buildConnector } from 'undici';
import { guardConnector, publicLookup } from '../../libs/outbound/src/address-guard';
import { reasonOf } from '../support/counterparts/outbound-reason';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let host: string;
let answer: Answer;
let requests: IncomingMessage[] = [];
let clients: OutboundClient[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
  requests = [];
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A client that may reach the local server, as in development. */
function client(options: OutboundOptions = {}): OutboundClient {
  const made = new OutboundClient({ allowPrivateHosts: [host], negativeCacheMs: 0, ...options });
  clients.push(made);
  return made;
}

const purpose: OutboundPurpose = 'issuer-keys';
const json = { purpose, accept: ['application/json'] };

function send(status: number, headers: Record<string, string>, body: string | Buffer = ''): Answer {
  return (_, response) => {
    response.writeHead(status, headers).end(body);
  };
}

const sendJson = send(200, { 'content-type': 'application/json' }, '{"a":1}');

describe('an answer', () => {
  it('comes with status, media type, body and URL', async () => {
    answer = send(200, { 'content-type': 'Application/JSON; charset=utf-8' }, '{"a":1}');
    await expect(client().get(`http://${host}/doc`, json)).resolves.toEqual({
      status: 200,
      contentType: 'application/json',
      body: Buffer.from('{"a":1}'),
      url: `http://${host}/doc`,
    });
  });

  it('is unpacked when it is gzip', async () => {
    answer = send(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, gzipSync('{"a":1}'));
    expect((await client().get(`http://${host}/`, json)).body.toString()).toBe('{"a":1}');
  });

  it.each<[string, Answer, string]>([
    ['a media type that was not asked for', send(200, { 'content-type': 'text/html' }), 'unexpected-content-type'],
    ['no media type', send(200, {}), 'unexpected-content-type'],
    ['status 404', send(404, { 'content-type': 'application/json' }), 'unexpected-status'],
    ['status 304', send(304, { 'content-type': 'application/json' }), 'unexpected-status'],
    ['a redirect without Location', send(302, { 'content-type': 'application/json' }), 'unexpected-status'],
    ['more than a mebibyte', send(200, { 'content-type': 'application/json' }, Buffer.alloc(1_048_577)), 'too-large'],
    [
      'a zip bomb',
      send(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000))),
      'too-large',
    ],
    [
      'broken gzip',
      send(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'no gzip'),
      'malformed-body',
    ],
    [
      'another encoding',
      send(200, { 'content-type': 'application/json', 'content-encoding': 'br' }, 'x'),
      'malformed-body',
    ],
    ['a hang-up', (_, response) => response.socket?.destroy(), 'connection-failed'],
    [
      'a hang-up in the body',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{');
        setImmediate(() => response.socket?.destroy());
      },
      'connection-failed',
    ],
  ])('is refused with %s', async (_, given, reason) => {
    answer = given;
    await expect(reasonOf(client().get(`http://${host}/`, json))).resolves.toBe(reason);
  });

  it('may be exactly as large as the limit', async () => {
    answer = send(200, { 'content-type': 'application/json' }, Buffer.alloc(100));
    await expect(reasonOf(client().get(`http://${host}/`, { ...json, maxBytes: 100 }))).resolves.toBe('answered');
    await expect(reasonOf(client().get(`http://${host}/`, { ...json, maxBytes: 99 }))).resolves.toBe('too-large');
  });

  it('without end is cut at the limit', async () => {
    let sent = 0;
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      response.on('drain', more);
      more();
    };
    await expect(reasonOf(client().get(`http://${host}/`, json))).resolves.toBe('too-large');
    await sleep(50);
    expect(sent).toBeLessThan(32 * 1_048_576);
  });

  it.each<[string, Answer]>([
    ['never begins', () => undefined],
    [
      'drips',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 20);
        response.on('close', () => {
          clearInterval(drip);
        });
      },
    ],
  ])('that %s ends at the total timeout', async (_, given) => {
    answer = given;
    const started = Date.now();
    await expect(reasonOf(client({ totalTimeoutMs: 300 }).get(`http://${host}/`, json))).resolves.toBe('timeout');
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  it('of any media type is accepted where any is requested', async () => {
    answer = send(204, {});
    await expect(client().get(`http://${host}/`, { purpose, accept: ['*/*'] })).resolves.toMatchObject({ status: 204 });
  });
});

describe('a request', () => {
  it('carries no credentials, and no cookie that an earlier answer set', async () => {
    answer = send(200, { 'content-type': 'application/json', 'set-cookie': 'a=b' }, '{}');
    const one = client();
    await one.get(`http://${host}/`, json);
    await one.get(`http://${host}/`, json);
    const names = requests.map(({ headers }) => Object.keys(headers).sort().join());
    expect(names).toEqual(Array(2).fill('accept,accept-encoding,connection,host'));
    expect(requests[0]?.headers.accept).toBe('application/json');
  });

  it('ignores a proxy in the environment', async () => {
    answer = sendJson;
    process.env['HTTP_PROXY'] = process.env['http_proxy'] = 'http://127.0.0.1:9';
    try {
      await expect(reasonOf(client().get(`http://${host}/`, json))).resolves.toBe('answered');
    } finally {
      delete process.env['HTTP_PROXY'];
      delete process.env['http_proxy'];
    }
  });

  it('waits for a slot at a busy host', async () => {
    let running = 0;
    let most = 0;
    answer = (_, response) => {
      most = Math.max(most, ++running);
      setTimeout(() => {
        running--;
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      }, 20);
    };
    const one = client({ perHostConcurrency: 2 });
    await Promise.all(Array.from({ length: 8 }, (_, index) => one.get(`http://${host}/${index}`, json)));
    expect(most).toBe(2);
  });

  it.each([
    ['is longer than any server takes', `?${'x'.repeat(4_096)}`],
    ['is none', '\u0000'],
  ])('to an address that %s is not sent', async (_, path) => {
    const address = path === '\u0000' ? 'http://[' : `http://${host}/${path}`;
    await expect(reasonOf(client().get(address, json))).resolves.toBe('invalid-url');
    expect(requests).toEqual([]);
  });

  it('that failed is not repeated for a short time', async () => {
    answer = send(500, {});
    const one = client({ negativeCacheMs: 100 });
    for (let count = 0; count < 3; count++) {
      await expect(reasonOf(one.get(`http://${host}/`, json))).resolves.toBe('unexpected-status');
    }
    expect(requests).toHaveLength(1);
    answer = sendJson;
    await sleep(120);
    await expect(reasonOf(one.get(`http://${host}/`, json))).resolves.toBe('answered');
  });
});

describe('a redirect', () => {
  const redirecting =
    (target: string, times = 1): Answer =>
    (request, response) => {
      const hop = Number(request.url?.slice(1));
      if (hop < times) response.writeHead(302, { location: target || `/${hop + 1}` }).end('moved');
      else sendJson(request, response);
    };

  it('is followed, twice by default', async () => {
    answer = redirecting('', 2);
    await expect(client().get(`http://${host}/0`, json)).resolves.toMatchObject({ url: `http://${host}/2` });
    answer = redirecting('', 3);
    await expect(reasonOf(client().get(`http://${host}/0`, json))).resolves.toBe('too-many-redirects');
  });

  it('is not followed where none is allowed', async () => {
    answer = redirecting('', 1);
    await expect(reasonOf(client().get(`http://${host}/0`, { ...json, maxRedirects: 0 }))).resolves.toBe(
      'too-many-redirects',
    );
  });

  it.each([
    ['http', 'http://wallet.example/', 'invalid-url'],
    ['another scheme', 'file:///etc/passwd', 'invalid-url'],
    ['a URL with a user', 'https://a@wallet.example/', 'invalid-url'],
    ['a URL with a password', 'https://:b@wallet.example/', 'invalid-url'],
    ['nonsense', 'https://[', 'invalid-url'],
    ['loopback', 'https://127.0.0.1/', 'blocked-address'],
    ['the metadata service', 'https://169.254.169.254/latest/meta-data', 'blocked-address'],
    ['a name for loopback', 'https://localhost/', 'blocked-address'],
  ])('to %s is refused', async (_, target, reason) => {
    answer = redirecting(target);
    await expect(reasonOf(client().get(`http://${host}/0`, json))).resolves.toBe(reason);
  });
});

describe('inside addresses', () => {
  // A trap that listens on every local address and counts connections.
  const trap = createTcpServer((socket) => {
    hits++;
    socket.destroy();
  });
  let hits = 0;
  let port: number;

  beforeAll(async () => {
    await new Promise<void>((resolve) => trap.listen(0, resolve));
    port = (trap.address() as AddressInfo).port;
  });

  beforeEach(() => {
    hits = 0;
  });

  afterAll(() => {
    trap.close();
  });

  const connectTo = (connect: buildConnector.connector, hostname: string): Promise<Error | null> =>
    new Promise((resolve) => {
      connect({ hostname, protocol: 'http:', port: String(port) }, (...[error, socket]) => {
        socket?.destroy();
        resolve(error);
      });
    });

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
    'localhost',
    '１２７.０.０.１',
  ])('are not reached as %s', async (form) => {
    await expect(reasonOf(client().get(`https://${form}/`, json))).resolves.toBe('blocked-address');
    const guarded = guardConnector(buildConnector({ lookup: publicLookup() }));
    const { hostname } = new URL(`https://${form}/`);
    await expect(connectTo(guarded, hostname)).resolves.toMatchObject({ reason: 'blocked-address' });
    expect(hits).toBe(0);
  });

  it('would be reached without the guard', async () => {
    await expect(connectTo(buildConnector({}), 'localhost')).resolves.toBeNull();
    await sleep(20);
    expect(hits).toBe(1);
  });

  it('are reached by version 6 of IP where they are allowed', async () => {
    const allowed = client({ allowPrivateHosts: ['[::1]:1'] });
    // Nothing listens there.
    await expect(reasonOf(allowed.get('https://[::1]:1/', json))).resolves.toBe('connection-failed');
  });

  it('are reached only at the host and port that development allows', async () => {
    answer = sendJson;
    const one = client();
    await expect(reasonOf(one.get(`http://${host}/`, json))).resolves.toBe('answered');
    await expect(reasonOf(one.get(`http://127.0.0.1:${port}/`, json))).resolves.toBe('invalid-url');
    await expect(reasonOf(one.get(`https://127.0.0.1:${port}/`, json))).resolves.toBe('invalid-url');
    expect(hits).toBe(0);
    const wide = client({ allowPrivateHosts: ['127.0.0.1'] });
    await expect(reasonOf(wide.get(`http://127.0.0.1:${port}/`, json))).resolves.toBe('connection-failed');
    expect(hits).toBe(1);
  });
});

describe('the outbound module', () => {
  it('provides one client with the settings it was built with', async () => {
    answer = sendJson;
    const module = await Test.createTestingModule({
      imports: [OutboundModule.forRootAsync({ useFactory: () => ({ allowPrivateHosts: [host] }) })],
    }).compile();
    const made = module.get(OutboundClient);
    await expect(made.get(`http://${host}/`, json)).resolves.toMatchObject({ status: 200 });
    await module.close();
    await expect(reasonOf(made.get(`http://${host}/`, json))).resolves.toBe('connection-failed');
  });
});

it('takes no longer than the remaining time of its work, and does not count that as a failure of the server', async () => {
  let remaining = 200;
  const one = client({ negativeCacheMs: 60_000, remainingMs: () => remaining });
  const ask = (): Promise<string> => reasonOf(one.get(`http://${host}/slow`, { purpose, accept: ['*/*'] }));
  answer = () => undefined;
  expect(await ask()).toBe('timeout');
  remaining = 0;
  expect(await ask()).toBe('timeout');
  expect(requests).toHaveLength(1);
  remaining = Infinity;
  answer = (_, response) => response.end('here');
  expect(await ask()).toBe('answered');
});
