import { answered, get, type Json, postForm, postJson, send } from '../support/http/requests';
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

// Two tenants whose portals have chosen the same ids. What the operations of the management API do: operations.test.ts.
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
});

const asKey = (tenant: string): { readonly authorization: string } => ({
  authorization: `Bearer ${String(keys.get(tenant))}`,
});

describe('the management API of a tenant', () => {
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
    const hook = { url: 'http://127.0.0.1:9/hook' };
    const { webhookId } = answered(201, await postJson(`${at(a)}/v0/webhooks`, hook, asKey(a)));
    const objects = (await actions(`${at(b)}/v0/audit?action=webhooks.create`, b)).map(({ object }) => object);
    expect(objects).not.toContain(webhookId);
    const own = (await actions(`${at(a)}/v0/audit?action=webhooks.create`, a)).map(({ object }) => object);
    expect(own).toContain(webhookId);
    const ofService = answered(200, await get(`${service.url}/v0/audit?limit=200`))['items'] as Json[];
    expect(ofService.map(({ object }) => object)).not.toContain(webhookId);
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
