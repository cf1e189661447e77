import { reservedSegments } from '@app/config';
import { MetricsListener } from '@app/observability';
import { servedRoutes } from '../support/service/routes';
import { reachByHost } from '../support/http/public-address';
import { answered, exchangeBytes, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { degree, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { serviceOfFile } from '../support/service/service-of-file';
import { receive } from '../support/wallets/wallet';

// The service behind a proxy, below a path; a tenant below it, one with a host, and two below paths of that host.
const publicUrl = 'https://credentials.example/base';
const service = serviceOfFile({
  SERVICE__APPLICATION_URL: publicUrl,
  SERVICE__METRICS__ENABLED: 'true',
  SERVICE__METRICS__PORT: '0',
});
const host = 'id.town.example';
const urls = {
  village: `${publicUrl}/t/village`,
  town: `https://${host}`,
  school: `https://${host}/schools/north`,
  club: `https://${host}/schools/north-b`,
  other: 'https://id.other.example',
} as const;
type Name = keyof typeof urls;
const names = Object.keys(urls) as Name[];
const at = (tenant: string): string => `${service.url}/t/${tenant}`;

const create = (tenantId: string, more: Json = {}): Promise<Reply> =>
  postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId, ...more });
const change = (tenantId: string, body: Json): Promise<Reply> =>
  send(`${service.url}/v0/tenants/${tenantId}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  reachByHost([publicUrl, urls.town, urls.other], () => service.url);
  for (const name of names) {
    const own = name === 'village' ? {} : { publicUrl: urls[name] };
    expect(answered(201, await create(name, own))).toMatchObject({ url: urls[name] });
  }
});
afterAll(() => jest.restoreAllMocks());

const metadataPath = '/openid4vci/.well-known/openid-credential-issuer';

/** The issuer that the metadata at a path name, asked with these headers; the status where there are none. */
async function issuerAt(path: string, headers: Record<string, string>): Promise<unknown> {
  const { status, json } = await get(service.url + path, headers);
  return status === 200 ? json['credential_issuer'] : status;
}

describe.each(names)('the tenant %s', (name) => {
  it('is found by wallets below its URL, under its own name', async () => {
    const { origin, pathname } = new URL(urls[name]);
    const path = pathname === '/' ? '' : pathname;
    const issuer = `${urls[name]}/openid4vci`;
    for (const [inserted, appended] of [
      ['openid-credential-issuer', 'openid-credential-issuer'],
      ['oauth-authorization-server', 'openid-configuration'],
    ]) {
      for (const url of [
        `${origin}/.well-known/${String(inserted)}${path}/openid4vci`,
        `${issuer}/.well-known/${String(appended)}`,
      ]) {
        const { json } = await get(url);
        expect(json['credential_issuer'] ?? json['issuer']).toBe(issuer);
      }
    }
    const did = ['did:web', origin.slice(8), ...path.split('/').slice(1)].join(':');
    const document = path === '' ? `${origin}/.well-known/did.json` : `${origin}${path}/did.json`;
    expect(answered(200, await get(document))['id']).toBe(did);
    const keys = answered(200, await get(`${origin}/.well-known/jwt-vc-issuer${path}/openid4vci`));
    expect(keys['issuer']).toBe(issuer);
  });

  it('issues to a wallet and verifies what it has issued', async () => {
    const holdings = await receiveHoldings(at(name), { given_name: 'Erika' });
    const asked = await ask(at(name), { dcql_query: { credentials: [idCard, degree] } });
    const received = await receiveRequest(asked);
    expect(received.responseUri.startsWith(`${urls[name]}/openid4vp/`)).toBe(true);
    answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card', 'degree']) }));
    const own = { issuer: expect.stringContaining('did:web:') as unknown, trust: 'trusted' };
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', credentials: [own, own] });
  });

  it('serves the management API of the tenant below /t/', async () => {
    answered(200, await get(`${at(name)}/v0/templates`));
  });
});

describe('the host of a request', () => {
  const issuer = `${urls.town}/openid4vci`;

  it.each([
    ['as it is', host],
    ['in capitals', host.toUpperCase()],
    ['with a dot at the end', `${host}.`],
    ['with the port of https', `${host}:443`],
    ['with the port of http', `${host}:80`],
    ['with both', `${host}.:443`],
  ])('is that of the tenant %s', async (_, called) => {
    expect(await issuerAt(metadataPath, { host: called })).toBe(issuer);
  });

  it('may be an IDN', async () => {
    const url = 'https://id.xn--mnchen-3ya.example';
    const written = await create('idn', { publicUrl: 'https://id.münchen.example' });
    expect(written.status).toBe(400);
    expect(written.text).toContain(`write it as ${url}`);
    answered(201, await create('idn', { publicUrl: url }));
    expect(await issuerAt(metadataPath, { host: 'id.XN--Mnchen-3YA.example' })).toBe(`${url}/openid4vci`);
  });

  it.each(['id.unknown.example', `${host}:8443`, `x${host}`, `${host}.example`, '127.0.0.1', 'sealwright', ''])(
    'that no tenant has, %s, is served as that of the service',
    async (called) => {
      expect(await issuerAt(metadataPath, { host: called })).toBe(`${publicUrl}/openid4vci`);
    },
  );

  it.each([`user@${host}`, `${host}/`, `${host}@id.unknown.example`, `${host} x`])(
    'is refused as %s',
    async (called) => {
      expect(await issuerAt(metadataPath, { host: called })).toBe(400);
    },
  );

  it('of one tenant has no address of another, nor of the service', async () => {
    for (const path of [`/t/village`, `/base`, `/base/t/village`, `/t/other`, '/t/town', '/schools', '/schools/nort']) {
      expect(await issuerAt(path + metadataPath, { host })).toBe(404);
    }
    const { link } = await prepareOffer(at('village'), [await publishedTemplate(at('village'))]);
    const offer = new URL(new URL(link).searchParams.get('credential_offer_uri') ?? '').pathname;
    const path = offer.replace('/base/t/village', '');
    expect((await get(service.url + path, { host })).status).toBe(404);
    expect((await get(service.url + path, { host: 'id.other.example' })).status).toBe(404);
    answered(200, await get(service.url + offer, { host: 'credentials.example' }));
  });

  it('is that of the target where it is absolute', async () => {
    const named = async (target: string, header: string): Promise<string | undefined> => {
      const bytes = `GET ${target} HTTP/1.1\r\nHost: ${header}\r\nConnection: close\r\n\r\n`;
      const answer = await exchangeBytes(service.url, 5_000, [bytes]);
      return /"credential_issuer":"([^"]+)"/.exec(answer)?.[1];
    };
    expect(await named(`http://${host}${metadataPath}`, 'id.other.example')).toBe(issuer);
    expect(await named(`https://ID.Town.example.:443${metadataPath}`, 'credentials.example')).toBe(issuer);
    expect(await named(`https://credentials.example/base${metadataPath}`, host)).toBe(`${publicUrl}/openid4vci`);
    expect(await named(`http://x@${host}${metadataPath}`, 'id.unknown.example')).toBe(`${publicUrl}/openid4vci`);
  });

  it('is not one that somebody says it was forwarded for', async () => {
    for (const header of ['x-forwarded-host', 'x-original-host', 'x-host']) {
      expect(await issuerAt(metadataPath, { host: '127.0.0.1', [header]: host })).toBe(`${publicUrl}/openid4vci`);
    }
    expect(await issuerAt(metadataPath, { host: '127.0.0.1', forwarded: `host=${host}` })).toBe(
      `${publicUrl}/openid4vci`,
    );
  });

  it('does not matter to probes', async () => {
    for (const path of ['/livez', '/readyz']) expect((await get(service.url + path, { host })).status).toBe(200);
  });
});

describe('URLs of which one is the beginning of another', () => {
  it.each([
    [`${metadataPath}`, urls.town],
    [`/schools/north${metadataPath}`, urls.school],
    [`/schools/north-b${metadataPath}`, urls.club],
    ['/.well-known/openid-credential-issuer/openid4vci', urls.town],
    ['/.well-known/openid-credential-issuer/schools/north/openid4vci', urls.school],
    ['/.well-known/openid-credential-issuer/schools/north-b/openid4vci', urls.club],
  ])('are told apart by whole segments: %s', async (path, url) => {
    expect(await issuerAt(path, { host })).toBe(`${url}/openid4vci`);
  });

  it.each(['/schools/north-c', '/schools/NORTH', '/schools/north%2f', '/schools/./north', '/schools//north'])(
    'and nobody has %s',
    async (path) => {
      expect(await issuerAt(path + metadataPath, { host })).toBe(404);
    },
  );
});

describe('below /t/ of the service', () => {
  it('wallets and people do not find who has a host', async () => {
    const { link } = await prepareOffer(at('town'), [await publishedTemplate(at('town'))]);
    const offer = new URL(new URL(link).searchParams.get('credential_offer_uri') ?? '').pathname;
    for (const path of [
      metadataPath,
      '/.well-known/did.json',
      '/did.json',
      '/jwks.json',
      '/status_lists',
      '/pages/style.css',
      offer,
    ]) {
      expect([path, (await get(at('town') + path)).status]).toEqual([path, 404]);
    }
    const inserted = '/.well-known/openid-credential-issuer/t/town/openid4vci';
    expect((await get(service.url + inserted)).status).toBe(404);
    await expect(receive(link)).resolves.toHaveLength(1);
  });
});

describe('the URL of a tenant', () => {
  it.each([
    ['https://credentials.example', 'tenants are below https://credentials.example/base/t/'],
    ['https://credentials.example/base/t/a', 'tenants are below'],
    ['https://credentials.example/town', 'tenants are below'],
    ['http://id.new.example', 'use https'],
    ['https://id.new.example/', 'remove the trailing slash'],
    ['https://ID.new.example', 'write it as https://id.new.example'],
    ['https://id.new.example:443', 'write it as https://id.new.example'],
    ['https://id.new.example.', 'remove the dot'],
    ['https://id.new.example/a/../b', 'write it as https://id.new.example/b'],
    ['https://id.new.example/%2e', 'write it as'],
    ['https://id.new.example/.well-known', 'letters, digits'],
    ['https://id.new.example/a%2fb', 'letters, digits'],
    ['https://id.new.example/a//b', 'letters, digits'],
    ['https://id.new.example/v0', 'another segment than v0'],
    ['https://id.new.example/town/openid4vci', 'another segment than openid4vci'],
    ['https://id.new.example/a/b/c/d/e/f/g/h/i', 'at most 8 segments'],
    ['https://user:word@id.new.example', 'remove the user name'],
    ['https://id.new.example?x', 'remove the query'],
    ['https://192.0.2.1', 'which is no address'],
    ['https://[2001:db8::1]', 'which is no address'],
    ['https://sealwright', 'two labels'],
    ['id.new.example', 'absolute URL'],
  ])('cannot be %s', async (url, words) => {
    const reply = await create('refused', { publicUrl: url });
    expect(reply.status).toBe(400);
    expect(reply.json['violations']).toEqual([
      { pointer: '/publicUrl', message: expect.stringContaining(words) as unknown },
    ]);
  });

  it('is of one tenant alone, for ever', async () => {
    for (const url of [urls.town, `${urls.town}:80`, urls.school]) {
      const reply = await create('second', { publicUrl: url });
      expect([reply.status, reply.json['detail']]).toEqual([409, expect.stringContaining('choose another') as unknown]);
    }
    answered(201, await create('mover', { publicUrl: 'https://first.mover.example' }));
    answered(200, await change('mover', { publicUrl: 'https://second.mover.example' }));
    expect(await issuerAt(metadataPath, { host: 'second.mover.example' })).toContain('second.mover');
    expect(await issuerAt(metadataPath, { host: 'first.mover.example' })).toBe(`${publicUrl}/openid4vci`);
    expect((await create('second', { publicUrl: 'https://first.mover.example' })).status).toBe(409);
    answered(200, await change('mover', { publicUrl: 'https://first.mover.example' }));
    expect(await issuerAt(metadataPath, { host: 'first.mover.example' })).toContain('first.mover');
    expect(answered(200, await change('mover', { publicUrl: null }))).toMatchObject({
      url: `${publicUrl}/t/mover`,
      publicUrl: null,
    });
    expect(await issuerAt(`/t/mover${metadataPath}`, {})).toBe(`${publicUrl}/t/mover/openid4vci`);
  });

  it('stays once credentials name it', async () => {
    for (const publicUrl of [null, 'https://new.town.example']) {
      const reply = await change('town', { publicUrl });
      expect([reply.status, reply.json['detail']]).toEqual([409, expect.stringContaining('has issued') as unknown]);
    }
    answered(200, await change('town', { displayName: 'Town', publicUrl: urls.town }));
  });

  it('has no segment that an address of an issuer begins with', () => {
    const first = servedRoutes(service.app).map(({ path }) => path.split('/')[1] ?? '');
    const taken = new Set(first.filter((segment) => /^[A-Za-z0-9][\w~-]*$/.test(segment)));
    expect([...taken].filter((segment) => !reservedSegments.includes(segment))).toEqual([]);
  });
});

describe('a proxy that makes certificates', () => {
  it.each([
    [host, 200],
    [host.toUpperCase(), 200],
    [`${host}.`, 200],
    ['id.unknown.example', 404],
    ['credentials.example', 404],
    [`x.${host}`, 404],
    ['127.0.0.1', 404],
    ['%00', 404],
  ])('is told of %s: %i', async (domain, status) => {
    const query = `/v0/tenants/by-host?domain=${encodeURIComponent(domain)}`;
    const metrics = `http://127.0.0.1:${service.app.get(MetricsListener, { strict: false }).port}`;
    expect((await get(metrics + query)).status).toBe(status);
    expect((await get(service.url + query)).status).toBe(status);
  });

  it('asks at an address that no tenant can have', async () => {
    const reply = await create('by-host');
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('choose another') as unknown]);
    expect((await get(`${at('village')}/v0/tenants/by-host?domain=${host}`)).status).toBe(403);
  });
});

describe('a proxy that does not keep the host', () => {
  const trusting = serviceOfFile({
    SERVICE__APPLICATION_URL: publicUrl,
    SERVICE__HTTP__TRUSTED_PROXIES: '127.0.0.1',
  });
  const named = async (headers: Record<string, string>): Promise<unknown> =>
    answered(200, await get(trusting.url + metadataPath, headers))['credential_issuer'];

  beforeAll(async () => {
    for (const name of ['town', 'other'] as const) {
      const body = { tenantId: name, displayName: name, publicUrl: urls[name] };
      answered(201, await postJson(`${trusting.url}/v0/tenants`, body));
    }
  });

  it('says which one was called, and has to be trusted', async () => {
    const forwarded = { 'x-forwarded-host': `${host.toUpperCase()}:443, inner.example` };
    expect(await named({ host: '127.0.0.1', ...forwarded })).toBe(`${urls.town}/openid4vci`);
    expect(await named({ host: 'id.other.example', ...forwarded })).toBe(`${urls.other}/openid4vci`);
    expect(await named({ host: 'credentials.example', ...forwarded })).toBe(`${publicUrl}/openid4vci`);
  });
});
