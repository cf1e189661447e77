import { EventStore } from '@app/event-store';
import { KeyRing } from '@app/keys';
import { WithdrawOffer } from '@app/offers/src/management/offers.handlers';
import { inTenant, type Tenant } from '@app/primitives/context';
import { TenantRegistry } from '@app/tenants';
import { CommandBus } from '@nestjs/cqrs';
import { eventually } from '../event-store/accounts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/counterparts/webhook-receiver';
import { expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postForm, postJson, send } from '../support/http/requests';
import { offerState, prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { ask, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { serviceOfFile } from '../support/service/service-of-file';
import { dpopProof, newDpopKey } from '../support/wallets/dpop';
import { openSession, preAuthorizedGrant, readOffer, requestCredential } from '../support/wallets/wallet';

// What is made for one tenant and taken to another one by those who may do so at the first.
const service = serviceOfFile({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
const [a, b] = ['town-a', 'town-b'];
const at = (tenant: string): string => `${service.url}/t/${tenant}`;
const issuerOf = (tenant: string): string => `${at(tenant)}/openid4vci`;
const tenantOf = async (id: string): Promise<Tenant | undefined> =>
  service.app.get(TenantRegistry, { strict: false }).byId(id);
const linkAt = async (tenant: string): Promise<string> => (await prepareOffer(at(tenant), ['membership'])).link;

beforeAll(async () => {
  for (const tenantId of [a, b]) {
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }));
    await publishedTemplate(at(tenantId), { templateId: 'membership' });
  }
});

describe('the proof of a wallet', () => {
  const key = newDpopKey();

  it('that names the endpoint of another tenant gets no token', async () => {
    const { code } = await readOffer(await linkAt(b));
    const form = Object.entries({ grant_type: preAuthorizedGrant, 'pre-authorized_code': code });
    const redeem = (named: string) =>
      postForm(`${issuerOf(b)}/token`, form, { dpop: dpopProof(key, `${issuerOf(named)}/token`) });
    expectRefusal(await redeem(a), 400, 'invalid_dpop_proof');
    const token = String(answered(200, await redeem(b))['access_token']);
    const call = (named: string) => {
      const dpop = dpopProof(key, `${issuerOf(named)}/credential`, token);
      return postJson(`${issuerOf(b)}/credential`, {}, { authorization: `DPoP ${token}`, dpop });
    };
    expectRefusal(await call(a), 401, 'invalid_dpop_proof');
    expect((await call(b)).status).toBe(400);
  });

  it('that is for another tenant gets no credential', async () => {
    const session = await openSession(await linkAt(b));
    const refused = await requestCredential(session, { proof: { claims: { aud: issuerOf(a) } } });
    expectRefusal(refused, 400, 'invalid_proof');
    answered(200, await requestCredential(session));
  });
});

describe('a credential of another tenant', () => {
  let holdings: Holdings;
  beforeAll(async () => {
    holdings = await receiveHoldings(at(b), { given_name: 'Erika' });
  });

  async function presented(tenant: string): Promise<unknown> {
    const asked = await ask(at(tenant), { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));
    const [{ issuer, trust } = {}] = (await resultOf(asked))['credentials'] as Json[];
    return { issuer, trust };
  }

  it('is that of a stranger, unless its issuer is listed', async () => {
    const { issuer, trust } = (await presented(b)) as Json;
    expect(trust).toBe('trusted');
    // As of every issuer in development; in production it is untrusted.
    expect(await presented(a)).toEqual({ issuer, trust: 'accepted-in-development' });
    const settings = { verification: { trustedIssuers: [issuer] } };
    const changed = await send(`${service.url}/v0/tenants/${a}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ settings }),
    });
    answered(200, changed);
    expect(await presented(a)).toEqual({ issuer, trust: 'trusted' });
    expect(await presented(b)).toEqual({ issuer, trust: 'trusted' });
  });
});

describe('a webhook of a tenant', () => {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver.stop());

  const eventAt = async (url: string): Promise<string> => {
    const templateId = await publishedTemplate(url);
    answered(200, await postJson(`${url}/v0/templates/${templateId}/archive`, ''));
    return templateId;
  };

  it('gets no event of another, nor by a replay', async () => {
    const begin = new Date().toISOString();
    for (const url of [service.url, at(b)]) answered(201, await postJson(`${url}/v0/webhooks`, { url: receiver.url }));
    const subjects: string[] = [];
    for (const url of [service.url, at(b), at(a), service.url, at(b)]) subjects.push(await eventAt(url));
    await eventually(() => receiver.messages.length >= 8);
    const { webhookId } = answered(201, await postJson(`${at(a)}/v0/webhooks`, { url: receiver.url }));
    const before = receiver.messages.length;
    const received = (): Json[] => receiver.messages.slice(before).map(({ event }) => event);
    answered(204, await postJson(`${at(a)}/v0/webhooks/${String(webhookId)}/replay`, { from: begin }));
    const expected = [subjects[2] ?? '', await eventAt(at(a))];
    await eventually(() => expected.every((id) => received().some((event) => isOf(event, id, 'archived'))));
    expect(new Set(received().map(({ source }) => source))).toEqual(new Set([at(a)]));
    const ofAnother = receiver.messages.find(({ event }) => event['source'] === at(b))?.id;
    const replay = `${at(a)}/v0/webhooks/${String(webhookId)}/replay`;
    const refused = answered(404, await postJson(replay, { fromEvent: ofAnother }));
    expect(refused['type']).toMatch(/event-not-found$/);
  });

  it('that leads to the management API of another does nothing there', async () => {
    const draft = { title: 'Draft', format: 'jwt_vc_json', schema: { type: 'object' } };
    const { templateId } = answered(201, await postJson(`${at(b)}/v0/templates`, draft));
    const template = `${at(b)}/v0/templates/${String(templateId)}`;
    const { webhookId } = answered(201, await postJson(`${at(a)}/v0/webhooks`, { url: `${template}/publish` }));
    await eventAt(at(a));
    const deliveries = async (): Promise<Json[]> =>
      answered(200, await get(`${at(a)}/v0/webhooks/${String(webhookId)}/deliveries`))['items'] as Json[];
    const answers = async (): Promise<unknown[]> =>
      (await deliveries()).flatMap(({ attempts }) => (attempts as Json[]).map(({ status }) => status));
    await eventually(async () => (await answers()).length > 0);
    expect(new Set(await answers())).toEqual(new Set([401]));
    expect(answered(200, await get(template))['status']).toBe('Draft');
  });
});

const isOf = ({ type, subject }: Json, templateId: string, what: string): boolean =>
  type === `template.${what}` && subject === `templates/${templateId}`;

describe('what another tenant has published', () => {
  it('stays as it is when a key is revoked', async () => {
    const documents = async (tenant: string): Promise<string[]> => {
      const paths = ['/jwks.json', '/did.json', '/openid4vci/.well-known/openid-credential-issuer'];
      const inserted = ['jwt-vc-issuer', 'openid-credential-issuer', 'oauth-authorization-server'];
      const urls = [
        ...paths.map((path) => at(tenant) + path),
        ...inserted.map((name) => `${service.url}/.well-known/${name}/t/${tenant}/openid4vci`),
      ];
      return Promise.all(urls.map(async (url) => (await get(url)).text));
    };
    const [ofA, ofB] = [await documents(a), await documents(b)];
    const ring = service.app.get(KeyRing, { strict: false });
    const tenant = await tenantOf(a);
    const revoked = inTenant(tenant, () => ring.activeKey('ES256').kid);
    await inTenant(tenant, () => ring.revoke(revoked));
    expect(ofA.join()).toContain(revoked);
    expect((await documents(a)).join()).not.toContain(revoked);
    expect(await documents(b)).toEqual(ofB);
  });
});

describe('a unit of work', () => {
  it('writes what is of one tenant, or nothing', async () => {
    const [ofA, ofB] = [await prepareOffer(at(a), ['membership']), await prepareOffer(at(b), ['membership'])];
    const store = service.app.get(EventStore, { strict: false });
    const bus = service.app.get(CommandBus, { strict: false });
    const withdraw = async (tenant: string, offerId: string): Promise<void> =>
      inTenant(await tenantOf(tenant), () => bus.execute(new WithdrawOffer(offerId, {})));
    const both = inTenant(await tenantOf(a), () =>
      store.transact(async () => {
        await withdraw(a, ofA.offerId);
        await withdraw(b, ofB.offerId);
      }),
    );
    await expect(both).rejects.toThrow('A unit of work writes streams of one tenant only.');
    expect([await offerState(at(a), ofA.offerId), await offerState(at(b), ofB.offerId)]).toEqual(['Open', 'Open']);
  });
});
