import { publicEventTypes } from '@app/events';
import { currentRequest } from '@app/http';
import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { uploaded, until } from '../support/portal/imports';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { pushRequest } from '../support/wallets/authorization';
import { openSession } from '../support/wallets/wallet';

const service = serviceOfFile({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: 'portal.example' });

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

describe('Cache-Control', () => {
  it('keeps every answer to a portal out of caches, whatever it is', async () => {
    const { link, credentialIds } = await prepareOffer(service.url);
    await openSession(link);
    const one = `/v0/credentials/${credentialIds[0] ?? ''}`;
    const tag = (await get(service.url + one)).headers.get('etag') ?? '';
    const { headers } = await postJson(`${service.url}/v0/offers`, { offerId: randomUUID() });
    const answers: [number, string | null][] = [[201, headers.get('cache-control')]];
    for (const [path, given] of [
      [one, {}],
      [one, { 'if-none-match': tag }],
      ['/v0/credentials', {}],
      ['/v0/offers', {}],
      ['/v0/authorizations', {}],
      ['/v0/credentials/unknown', {}],
      ['/v0/credentials?unknown=1', {}],
    ] as const) {
      const reply = await get(service.url + path, given);
      answers.push([reply.status, reply.headers.get('cache-control')]);
    }
    expect(answers).toEqual([201, 200, 304, 200, 200, 200, 404, 400].map((status) => [status, 'no-store']));
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

describe('what the OpenAPI document says to typed clients', () => {
  let document: Json;
  beforeAll(async () => {
    document = answered(200, await get(`${service.url}/openapi.json`));
  });

  it('is the JSON first, and a type of all that can come instead', () => {
    const contents = Object.values(document['paths'] as Record<string, Record<string, Json>>)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ responses }) => Object.values(responses as Record<string, { content?: Record<string, Json> }>))
      .flatMap(({ content }) => (content ? [content] : []));
    expect(contents.some((content) => 'image/png' in content)).toBe(true);
    for (const content of contents) {
      const [first] = Object.keys(content);
      if ('application/json' in content) expect(first).toBe('application/json');
      for (const { schema } of Object.values(content)) expect(schema).not.toEqual({});
      expect(Object.values(content).every(({ schema }) => schema !== undefined)).toBe(true);
    }
  });

  it('has each event that is streamed and posted, with its data', () => {
    const { schemas } = document['components'] as { schemas: Record<string, Json> };
    const event = { $ref: '#/components/schemas/Event' };
    const streamed = (document['paths'] as Record<string, Json>)['/v0/events'];
    expect(JSON.stringify(streamed)).toContain(JSON.stringify(event));
    const { event: posted } = document['webhooks'] as Record<string, Json>;
    expect(posted).toMatchObject({
      post: { requestBody: { content: { 'application/cloudevents+json': { schema: event } } } },
    });
    const named = (schemas['Event']?.['oneOf'] as { $ref: string }[]).map(({ $ref }) => $ref.split('/').at(-1) ?? '');
    const types = named.map((name) => (schemas[name]?.['properties'] as Record<string, Json>)['type']?.['const']);
    expect(types).toEqual(publicEventTypes);
  });
});

describe('a route that changes nothing', () => {
  it('ignores an Idempotency-Key', async () => {
    const reply = await send(`${service.url}/v0/offers`, { headers: { 'idempotency-key': 'a b' } });
    expect(reply.status).toBe(200);
  });
});

describe('a body with several faults', () => {
  it('is answered with all of them, and a detail that can be read alone', async () => {
    const faulty = {
      offerId: '',
      templateIds: [1],
      txCode: { length: 3 },
      expiresIn: 'soon',
      templateId: 'membership',
    };
    const reply = await postJson(`${service.url}/v0/offers`, faulty);
    expectProblem(reply, 400, 'validation-failed');
    const pointers = (reply.json['violations'] as Json[]).map(({ pointer }) => pointer);
    expect(pointers.sort()).toEqual(['/expiresIn', '/offerId', '/templateId', '/templateIds', '/txCode/length']);
    for (const pointer of pointers) expect(reply.json['detail']).toContain(`${String(pointer)}: `);
    expect(reply.json['detail']).toContain('Did you mean templateIds?');
  });
});

describe('an address that does not exist', () => {
  it.each([
    ['/v0/ofers', '/v0/offers'],
    ['/v0/offers/4711/qr.sgv', '/v0/offers/4711/qr.svg'],
    ['/openid4vci/tokens', '/openid4vci/token'],
  ])('%s is answered with the one that may have been meant', async (path, meant) => {
    const reply = await get(service.url + path);
    expectProblem(reply, 404, 'not-found');
    expect(reply.json['detail']).toBe(`No such resource. Did you mean ${meant}?`);
  });

  it('is answered without one when none is near', async () => {
    expect((await get(`${service.url}/v0/invoices`)).json['detail']).toBe('No such resource.');
  });
});

describe('conditions', () => {
  const at = (path: string) => `${service.url}/v0/${path}`;
  const ask = (method: string, path: string, headers: Record<string, string>, body?: Json) => {
    const json = body && { body: JSON.stringify(body) };
    return send(at(path), {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...json,
    });
  };
  const provisioned = 'credential_configurations/w3c_vc_credential';
  const resources: Record<string, () => Promise<string>> = {
    template: async () => {
      const body = { title: 'A', format: 'dc+sd-jwt', schema: { type: 'object' } };
      return `templates/${String(answered(201, await postJson(at('templates'), body))['templateId'])}`;
    },
    configuration: () => Promise.resolve(provisioned),
    'set of settings': () => Promise.resolve('configuration'),
    offer: async () =>
      `offers/${String(answered(201, await postJson(at('offers'), { offerId: randomUUID() }))['offerId'])}`,
    credential: async () => {
      const credential = { credentialSubject: { given_name: 'Erika' } };
      const body = { offerId: randomUUID(), credentialConfigurationId: 'w3c_vc_credential', credential };
      return `credentials/${String(answered(201, await postJson(at('credentials'), body))['credentialId'])}`;
    },
    webhook: async () => {
      const body = { url: 'https://portal.example/hooks' };
      return `webhooks/${String(answered(201, await postJson(at('webhooks'), body))['webhookId'])}`;
    },
    'authorization request': async () =>
      `authorization_requests/${String(answered(201, await postJson(at('authorization_requests'), {}))['state'])}`,
    tenant: async () => {
      const body = { tenantId: `t-${randomUUID().slice(0, 8)}`, displayName: 'A' };
      return `tenants/${String(answered(201, await postJson(at('tenants'), body))['tenantId'])}`;
    },
    authorization: async () => {
      answered(201, (await pushRequest(service.url)).answer);
      const [first] = answered(200, await get(at('authorizations?limit=1')))['items'] as { authorizationId: string }[];
      return `authorizations/${first?.authorizationId ?? ''}`;
    },
  };

  const created: Record<string, (() => Promise<string>) | undefined> = {
    templates: resources['template'],
    credential_configurations: resources['configuration'],
    configuration: resources['set of settings'],
    offers: resources['offer'],
    credentials: resources['credential'],
    webhooks: resources['webhook'],
    tenants: resources['tenant'],
    authorization_requests: resources['authorization request'],
    authorizations: resources['authorization'],
    approvals: async () => {
      const body = { title: 'T', format: 'dc+sd-jwt', schema: { type: 'object' }, fourEyes: { publish: true } };
      const { templateId } = answered(201, await postJson(at('templates'), body));
      const asked = await postJson(at(`templates/${String(templateId)}/publish`), '');
      return `approvals/${String(answered(202, asked)['approvalId'])}`;
    },
    imports: async () => {
      const importId = await uploaded(service.url, await publishedTemplate(service.url), 'given_name\nErika\n');
      await until(service.url, importId, 'Checked');
      return `imports/${importId}`;
    },
  };
  const exampleIn = (operation: Json): Json | undefined => {
    const body = operation['requestBody'] as { content: Record<string, { examples: Record<string, { value: Json }> }> };
    const examples = Object.values((body as typeof body | undefined)?.content ?? {})[0]?.examples ?? {};
    return Object.values(examples)[0]?.value;
  };

  it.each(Object.keys(resources))('let a caller keep the %s that did not change', async (name) => {
    const path = (await resources[name]?.()) ?? '';
    const first = await get(at(path));
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]+"$/);
    const again = await get(at(path), { 'if-none-match': `"other", W/${tag}` });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await get(at(path), { 'if-none-match': '"other"' })).text).toBe(first.text);
  });

  it('are documented for every operation about one resource, and reject each of them', async () => {
    const document = answered(200, await get(`${service.url}/openapi.json`));
    const operations = Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(
      ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    const conditional = operations.filter(({ operation }) =>
      JSON.stringify(operation['parameters']).includes('/parameters/If-Match'),
    );
    expect(conditional.map(({ operation }) => operation['operationId'])).toEqual(
      expect.arrayContaining(['getOffer', 'withdrawOffer', 'sendOffer', 'changeTemplate', 'redeemResponseCode']),
    );
    for (const { path, method, operation } of conditional) {
      const [collection = '', ...below] = path.slice('/v0/'.length).split('/');
      const address = [(await created[collection]?.()) ?? collection, ...below.slice(1)]
        .join('/')
        .replace('{row}', '2');
      const reply = await ask(method.toUpperCase(), address, { 'if-match': '"999999"' }, exampleIn(operation));
      expect([operation['operationId'], reply.status]).toEqual([operation['operationId'], 412]);
    }
  });

  it('reject changes of an offer that was changed since', async () => {
    const path = (await resources['offer']?.()) ?? '';
    const stale = (await get(at(path))).headers.get('etag') ?? '';
    const credential = { credentialSubject: { given_name: 'Erika' } };
    const body = { offerId: path.split('/')[1], credentialConfigurationId: 'w3c_vc_credential', credential };
    answered(201, await postJson(at('credentials'), body));
    expectProblem(await ask('DELETE', path, { 'if-match': stale }), 412, 'version-conflict');
    const fresh = (await get(at(path))).headers.get('etag') ?? '';
    expect(fresh).not.toBe(stale);
    expectProblem(await ask('DELETE', path, { 'if-none-match': fresh }), 412, 'version-conflict');
    expectProblem(await ask('DELETE', path, { 'if-none-match': '*' }), 412, 'version-conflict');
    expect((await ask('DELETE', path, { 'if-match': fresh, 'if-none-match': stale })).status).toBe(204);
  });

  it('come after the existence of what they are about', async () => {
    expectProblem(await ask('DELETE', 'offers/unknown', { 'if-match': '"1"' }), 404, 'missing-credential-offer');
    const code = { responseCode: 'x' };
    expectProblem(
      await ask('POST', 'authorization_requests/unknown/response_code', { 'if-match': '"1"' }, code),
      404,
      'not-found',
    );
    const path = (await resources['authorization request']?.()) ?? '';
    expectProblem(await ask('POST', `${path}/response_code`, { 'if-match': '"9"' }, code), 412, 'version-conflict');
  });

  it('give an expired offer another tag than the open one had', async () => {
    const offerId = randomUUID();
    answered(201, await postJson(at('offers'), { offerId, expiresIn: 'PT2S' }));
    const open = await get(at(`offers/${offerId}`));
    expect(open.json['state']).toBe('Open');
    let now = open;
    while (now.status !== 200 || now.json['state'] === 'Open') {
      await new Promise((resolve) => setTimeout(resolve, 200));
      now = await get(at(`offers/${offerId}`), { 'if-none-match': open.headers.get('etag') ?? '' });
    }
    expect([now.status, now.json['state']]).toEqual([200, 'Expired']);
  });
});

describe('a property of the wrong type', () => {
  it.each([{ toString: 1 }, { toString: null, valueOf: null }, [], 7, null] as unknown[])(
    'is rejected: %j',
    async (value) => {
      const offerId = randomUUID();
      answered(201, await postJson(`${service.url}/v0/offers`, { offerId }));
      const sent = await postJson(`${service.url}/v0/offers/${offerId}/send`, { targetUrl: value });
      expectProblem(sent, 400, 'validation-failed');
      const asked = await postJson(`${service.url}/v0/authorization_requests`, { redirectUri: value });
      expectProblem(asked, 400, 'validation-failed');
    },
  );
});

describe('an address with an empty part', () => {
  it.each(['/v0/offers//', '/v0/offers//qr.svg', '/openid4vci/offers//', '/vct//1'])(
    '%s does not exist',
    async (path) => {
      expect((await send(service.url + path, { method: 'PUT' })).status).toBe(404);
    },
  );

  it.each(['/openid4vci/offers//', '/vct//1', '/vct/x/%zz'])('%s has no preflight', async (path) => {
    const headers = { 'access-control-request-method': 'GET', origin: 'https://wallet.example' };
    const reply = await send(service.url + path, { method: 'OPTIONS', headers });
    expect(reply.headers.get('access-control-allow-methods')).toBeNull();
  });
});
