import { LeanExpressAdapter, HttpReply } from '@app/http';
import { Logger } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the process would end with. */
const unhandled: unknown[] = [];
const note = (reason: unknown): void => {
  unhandled.push(reason);
};

const adapter = new LeanExpressAdapter();
const server = adapter.newServer(10);
let url: string;

beforeAll(async () => {
  Logger.overrideLogger(false);
  process.on('unhandledRejection', note);
  adapter.passThrough((request, _response, next) => {
    if (request.url === '/middleware') throw new Error('in a middleware');
    next(request.url === '/refused' ? new Error('by a middleware') : undefined);
  });
  adapter.get('/rejected', () => Promise.reject(new Error('in a handler')));
  adapter.get('/thrown', () => {
    throw new Error('in a handler');
  });
  adapter.get('/begun', async (_request: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'Content-Length': 10 });
    response.write('half');
    await Promise.reject(new Error('after the headers'));
  });
  adapter.get('/hopeless', () => Promise.reject(new Error('cannot be rendered')));
  adapter.setErrorHandler(async (error, _request, response: ServerResponse, _next) => {
    if (error instanceof Error && error.message === 'cannot be rendered') throw error;
    await Promise.resolve();
    adapter.reply(response, new HttpReply(500, { detail: 'failed' }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  process.off('unhandledRejection', note);
  await new Promise((closed) => server.close(closed));
});

describe('a failure that nothing has foreseen', () => {
  // `/rejected/` is answered by way of Express.
  it.each(['/rejected', '/rejected/', '/thrown', '/middleware', '/refused'])('of %s gets an answer', async (path) => {
    const response = await fetch(url + path);
    expect([response.status, await response.json()]).toEqual([500, { detail: 'failed' }]);
  });

  it('gets a bare answer when the answer to it fails as well', async () => {
    const response = await fetch(`${url}/hopeless`);
    expect([response.status, await response.text()]).toEqual([500, '']);
  });

  it('ends an answer that has begun', async () => {
    await expect(fetch(`${url}/begun`).then((response) => response.text())).rejects.toThrow();
  });

  it('never ends the process', () => {
    expect(unhandled).toEqual([]);
  });
});
