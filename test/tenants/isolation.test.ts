import { readFileSync } from 'node:fs';
import { answered, get, type Json, postForm, postJson, type Reply, send } from '../support/http/requests';
import { uploaded } from '../support/portal/imports';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import {
  credentialRequest,
  nonceFrom,
  openSession,
  preAuthorizedGrant,
  readOffer,
  receive,
  redeem,
  requestCredential,
} from '../support/wallets/wallet';

// Two tenants whose portals have chosen the same ids. Whatever is of one gets at the other what a stranger's gets.
const service = serviceOfFile({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
const at = (tenant: string): string => `${service.url}/t/${tenant}`;
const [a, b] = ['town-a', 'town-b'];
const keys = new Map<string, string>();

beforeAll(async () => {
  for (const tenantId of [a, b]) {
    const made = answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }));
    keys.set(tenantId, String(made['apiKey']));
    const vct = 'https://credentials.example/membership';
    await publishedTemplate(at(tenantId), { templateId: 'membership', vct, revocable: true });
  }
}, 60_000);

const asKey = (tenant: string): { readonly authorization: string } => ({
  authorization: `Bearer ${String(keys.get(tenant))}`,
});

/** What is of the tenant, by the name of its parameter in the management API. */
async function madeAt(tenant: string): Promise<Record<string, string>> {
  const { offerId, credentialIds } = await prepareOffer(at(tenant), ['membership']);
  const template = await publishedTemplate(at(tenant), { templateId: `only-${tenant}` });
  const dcql_query = {
    credentials: [{ id: 'm', format: 'dc+sd-jwt', meta: { vct_values: ['https://credentials.example/membership'] } }],
  };
  const asked = answered(201, await postJson(`${at(tenant)}/v0/authorization_requests`, { dcql_query }));
  const hook = answered(201, await postJson(`${at(tenant)}/v0/webhooks`, { url: 'http://127.0.0.1:9/hook' }));
  return {
    offerId,
    credentialId: credentialIds[0] ?? '',
    templateId: template,
    configurationId: template,
    state: String(asked['state']),
    webhookId: String(hook['webhookId']),
    authorizationId: '00000000-0000-4000-8000-000000000000',
    importId: await uploaded(at(tenant), template, 'given_name\nErika\n'),
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
const methods = ['get', 'post', 'put', 'patch', 'delete'];
const operations = Object.entries(document.paths).flatMap(([path, described]) =>
  path.includes('{') && !path.startsWith('/v0/tenants')
    ? Object.keys(described).flatMap((method) => (methods.includes(method) ? [[method.toUpperCase(), path]] : []))
    : [],
) as [method: string, path: string][];

describe('the management API of a tenant', () => {
  let ofOther: Record<string, string> = {};
  beforeAll(async () => {
    ofOther = await madeAt(a);
  });

  const call = (method: string, path: string, ids: (name: string) => string): Promise<Reply> => {
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => ids(name));
    const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
    return send(`${at(b)}${address}`, {
      method,
      headers: { ...asKey(b), ...(hasBody && { 'content-type': 'application/json' }) },
      body: hasBody ? '{}' : null,
    });
  };
  /** Without what the caller named itself. */
  const seen = ({ status, text }: Reply, id: string): string => `${status} ${text.replaceAll(id, '...')}`;

  it('is walked by operations with parameters', () => {
    expect(operations.length).toBeGreaterThan(30);
  });

  it.each(operations)(
    'answers %s %s with what is of another tenant as with what is of nobody',
    async (method, path) => {
      const [name = ''] = /(?<=\{)\w+/.exec(path) ?? [];
      const theirs = ofOther[name] ?? 'none';
      const nobodys = theirs.replace(/[a-z0-9]/gi, (letter) => (/\d/.test(letter) ? '7' : letter));
      const unknown = nobodys === theirs ? `${theirs}x` : nobodys;
      const first = await call(method, path, (parameter) => ofOther[parameter] ?? 'none');
      const second = await call(method, path, (parameter) => (parameter === name ? unknown : 'none'));
      expect(first.status).toBeGreaterThanOrEqual(400);
      expect(seen(first, theirs)).toBe(seen(second, unknown));
    },
  );

  it('takes a key of its own alone', async () => {
    expect((await get(`${at(a)}/v0/offers`, asKey(a))).status).toBe(200);
    const refused = await get(`${at(b)}/v0/offers`, asKey(a));
    expect(refused.status).toBe(401);
    const mistyped = await get(`${at(b)}/v0/offers`, { authorization: `Bearer swk_00000000_${'0'.repeat(43)}_000000` });
    expect(refused.json['detail']).toBe(mistyped.json['detail']);
    expect((await get(`${service.url}/v0/offers`, asKey(a))).status).toBe(401);
  });

  it('knows nothing of tenants', async () => {
    for (const method of ['GET', 'POST']) {
      const reply = await send(`${at(a)}/v0/tenants`, { method, headers: asKey(a) });
      expect(reply.status).toBe(403);
    }
  });

  it('has its own ids, cursors and idempotency keys', async () => {
    const offer = { offerId: 'order-1' };
    const headers = { 'idempotency-key': 'same', 'content-type': 'application/json' };
    for (const tenant of [a, b]) {
      const reply = await postJson(`${at(tenant)}/v0/offers`, offer, { ...headers, ...asKey(tenant) });
      answered(201, reply);
      expect(reply.headers.get('idempotent-replayed')).toBeNull();
      await postJson(`${at(tenant)}/v0/offers`, { offerId: 'order-2' }, asKey(tenant));
    }
    const page = answered(200, await get(`${at(a)}/v0/offers?limit=1`, asKey(a)));
    const cursor = encodeURIComponent(String(page['nextCursor']));
    expect((await get(`${at(a)}/v0/offers?limit=1&cursor=${cursor}`, asKey(a))).status).toBe(200);
    expect((await get(`${at(b)}/v0/offers?limit=1&cursor=${cursor}`, asKey(b))).status).toBe(400);
  });

  it('audits its own callers', async () => {
    const actions = async (url: string, tenant: string): Promise<Json[]> =>
      answered(200, await get(url, asKey(tenant)))['items'] as Json[];
    const objects = (await actions(`${at(b)}/v0/audit?action=webhooks.create`, b)).map(({ object }) => object);
    expect(objects).not.toContain(ofOther['webhookId']);
    const own = (await actions(`${at(a)}/v0/audit?action=webhooks.create`, a)).map(({ object }) => object);
    expect(own).toContain(ofOther['webhookId']);
    const ofService = answered(200, await get(`${service.url}/v0/audit?limit=200`))['items'] as Json[];
    expect(ofService.map(({ object }) => object)).not.toContain(ofOther['webhookId']);
  });
});

describe('a wallet of one tenant', () => {
  it('finds no offer of it below the address of another', async () => {
    const { link } = await prepareOffer(at(a), ['membership']);
    const uri = new URL(new URL(link).searchParams.get('credential_offer_uri') ?? '');
    const elsewhere = await get(uri.href.replace(`/t/${a}/`, `/t/${b}/`));
    const nowhere = await get(uri.href.replace(`/t/${a}/`, `/t/${b}/`).replace(/.$/, 'A'));
    expect([elsewhere.status, elsewhere.text]).toEqual([nowhere.status, nowhere.text]);
    expect(elsewhere.status).toBe(404);
  });

  it('redeems its code there alone', async () => {
    const { link } = await prepareOffer(at(a), ['membership']);
    const offer = await readOffer(link);
    const elsewhere = await redeem({ ...offer, issuer: `${at(b)}/openid4vci` });
    expect([elsewhere.status, elsewhere.json['error']]).toEqual([400, 'invalid_grant']);
    const form = { grant_type: preAuthorizedGrant, 'pre-authorized_code': offer.code };
    expect((await postForm(`${service.url}/openid4vci/token`, Object.entries(form))).json['error']).toBe(
      'invalid_grant',
    );
    answered(200, await redeem(offer));
  });

  it('gets a credential by its token and nonce there alone', async () => {
    const session = await openSession((await prepareOffer(at(a), ['membership'])).link);
    const there = await requestCredential(session, { endpoint: `${at(b)}/openid4vci/credential` });
    expect([there.status, there.json['error']]).toEqual([401, 'invalid_token']);
    const nonce = await nonceFrom(`${at(b)}/openid4vci`);
    expect((await requestCredential(session, { nonce })).json['error']).toBe('invalid_nonce');
    const body = JSON.stringify(await credentialRequest(session)).replaceAll(a, b);
    expect(body).not.toBe('');
    answered(200, await requestCredential(session));
  });

  it('reads its status list there alone, and every list is of one tenant', async () => {
    await receive((await prepareOffer(at(a), ['membership'])).link);
    const lists = answered(200, await get(`${at(a)}/status_lists`))['status_lists'] as string[];
    expect(lists.length).toBeGreaterThan(0);
    for (const uri of lists) {
      expect(uri).toContain(`/t/${a}/status_lists/`);
      expect((await get(uri)).status).toBe(200);
      expect((await get(uri.replace(`/t/${a}/`, `/t/${b}/`))).status).toBe(404);
      expect((await get(uri.replace(`/t/${a}/`, '/'))).status).toBe(404);
    }
    expect(answered(200, await get(`${at(b)}/status_lists`))['status_lists']).toEqual([]);
  });

  it('finds other keys at each', async () => {
    const [one, other, own] = await Promise.all(
      [at(a), at(b), service.url].map(async (url) => answered(200, await get(`${url}/jwks.json`))['keys'] as Json[]),
    );
    const kids = [one, other, own].flatMap((published) => published?.map(({ kid }) => kid) ?? []);
    expect(new Set(kids).size).toBe(kids.length);
  });
});

describe('an address', () => {
  it.each(['/t/town-c', '/t/town', '/t/TOWN-A', '/t/town-a%2f', '/t/..', '/t/%2e', '/t/', '/t/v0', '/t/.well-known'])(
    'that no tenant has, %s, leads nowhere',
    async (path) => {
      expect((await get(`${service.url}${path}/jwks.json`)).status).toBe(404);
    },
  );

  it('below which another one begins is told apart by whole segments', async () => {
    const name = 'town-a-b';
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId: name, displayName: name }));
    expect(answered(200, await get(`${at(name)}/openid4vci/.well-known/openid-credential-issuer`))).toMatchObject({
      credential_issuer: `${at(name)}/openid4vci`,
    });
  });

  it.each([
    ['X', 'must be 2 to 39 characters'],
    ['-a', 'must be 2 to 39 characters'],
    ['a/b', 'must be 2 to 39 characters'],
    ['..', 'must be 2 to 39 characters'],
    [a, 'choose another'],
  ])('cannot be made of %s', async (tenantId, words) => {
    const reply = await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: 'X' });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.text).toContain(words);
  });
});
