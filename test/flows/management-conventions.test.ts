import { currentRequest } from '@app/web';
import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { type RunningService, startService } from '../support/service/service';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

const trace = /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/;
const uuid = /^[0-9a-f-]{36}$/;
const given = {
  'x-request-id': 'portal/2026:Order.4711@eu=1',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

describe('X-Request-Id and traceparent', () => {
  it.each([
    ['/v0/offers', 200],
    ['/v0/offers/unknown', 404],
    ['/v0/nothing', 404],
    ['/v0/offers/%zz', 400],
    ['/jwks.json', 200],
    ['/openid4vci/offers/unknown', 404],
  ])('are returned with the answer of %s', async (path, status) => {
    const reply = await get(service.url + path, given);
    expect(reply.status).toBe(status);
    for (const [name, value] of Object.entries(given)) expect(reply.headers.get(name)).toBe(value);
  });

  it('are returned with the answer to a body that is too large', async () => {
    const reply = await postJson(`${service.url}/v0/offers`, 'x'.repeat(300_000), given);
    expectProblem(reply, 413, 'payload-too-large');
    expect(reply.headers.get('x-request-id')).toBe(given['x-request-id']);
  });

  it('are new for each request that has none', async () => {
    const replies = await Promise.all([1, 2].map(() => get(`${service.url}/v0/offers`)));
    for (const name of ['x-request-id', 'traceparent']) {
      const values = replies.map(({ headers }) => headers.get(name));
      expect(values).toEqual([1, 2].map(() => expect.stringMatching(name === 'traceparent' ? trace : uuid) as unknown));
      expect(new Set(values).size).toBe(2);
    }
  });

  it.each([
    ['', ''],
    ['a b', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7'],
    ['x'.repeat(129), '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
    ['<script>', '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01'],
    ['"x"', '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01'],
    ['a,b', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  ])('are replaced when they are not well formed: %p, %p', async (requestId, traceparent) => {
    const reply = await get(`${service.url}/v0/offers`, { 'x-request-id': requestId, traceparent });
    expect(reply.headers.get('x-request-id')).toMatch(uuid);
    expect(reply.headers.get('traceparent')).toMatch(trace);
  });

  it('are available wherever the request is handled, also after its body', async () => {
    const seen: unknown[] = [];
    const spy = jest.spyOn(service.app.get(CommandBus), 'execute').mockImplementation(() => {
      seen.push(currentRequest());
      return Promise.reject(new Error('seen enough'));
    });
    await postJson(`${service.url}/v0/offers`, { offerId: 'x' }, given);
    spy.mockRestore();
    expect(seen).toEqual([{ requestId: given['x-request-id'], traceparent: given.traceparent }]);
  });
});

describe('an unknown query parameter', () => {
  it.each(['offers', 'templates', 'credentials', 'authorization_requests', 'credential_configurations'])(
    'is rejected by the list of %s',
    async (list) => {
      const reply = await get(`${service.url}/v0/${list}?stauts=Open&a/b~c=1`);
      expectProblem(reply, 400, 'validation-failed');
      expect(reply.json['violations']).toMatchObject([{ pointer: '/stauts' }, { pointer: '/a~1b~0c' }]);
    },
  );

  it('is rejected by every other route, before anything is done', async () => {
    const offerId = randomUUID();
    expectProblem(await postJson(`${service.url}/v0/offers?dryRun=true`, { offerId }), 400, 'validation-failed');
    expectProblem(await get(`${service.url}/v0/offers/${offerId}?x`), 400, 'validation-failed');
    expectProblem(await get(`${service.url}/v0/offers/${offerId}`), 404, 'missing-credential-offer');
  });

  it('is ignored for wallets', async () => {
    expect((await get(`${service.url}/jwks.json?x=1`)).status).toBe(200);
  });
});

describe('the OpenAPI document', () => {
  interface Router {
    readonly router: { readonly stack: { readonly route?: { readonly path: string; readonly methods: Json } }[] };
  }

  it('is served to developers and has every management route', async () => {
    const document = answered(200, await get(`${service.url}/openapi.json`));
    const described = Object.entries(document['paths'] as Record<string, Json>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const express = service.app.getHttpAdapter().getInstance() as Router;
    const served = express.router.stack.flatMap(({ route }) =>
      route?.path.startsWith('/v0')
        ? Object.keys(route.methods).map((method) => `${method} ${route.path.replace(/:(\w+)/g, '{$1}')}`)
        : [],
    );
    expect(served.length).toBeGreaterThan(30);
    expect(described.sort()).toEqual(served.sort());
  });
});

describe('a route that changes nothing', () => {
  it('ignores an Idempotency-Key', async () => {
    const reply = await send(`${service.url}/v0/offers`, { headers: { 'idempotency-key': 'a b' } });
    expect(reply.status).toBe(200);
  });
});
