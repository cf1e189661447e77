import { readFileSync } from 'node:fs';
import { listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { OpenApiDocument, type Operation } from '../support/openapi/document';
import { uploaded, until } from '../support/portal/imports';
import { png, sendPicture } from '../support/portal/pictures';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { pushRequest } from '../support/wallets/authorization';
import { receive } from '../support/wallets/wallet';
import { type Held, invented, withoutSent } from './strangers';

// Every operation of the management API, called at one tenant with what is of another one: it answers what it answers a stranger.
const service = serviceOfFile({
  SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  SERVICE__MAIL__HOST: '127.0.0.1',
  SERVICE__MAIL__PORT: '9',
  SERVICE__MAIL__SECURITY: 'none',
  SERVICE__MAIL__FROM: 'credentials@town.example',
});
const at = (tenant: string): string => `${service.url}/t/${tenant}`;
const [a, b] = ['town-a', 'town-b'];
const keys = new Map<string, string>();
const asKey = (tenant: string): { readonly authorization: string } => ({
  authorization: `Bearer ${String(keys.get(tenant))}`,
});

/** By the name that parameters have for them. */
type Ids = Held;
let ofA: Ids;
/** As much as `ofA`, made before. */
let olderOfA: Ids;

/** What there is of `a`; a new kind of parameter has to be here. */
async function made(): Promise<Ids> {
  const url = at(a);
  const headers = asKey(a);
  const recipient = { email: 'erika@example.org', name: 'Erika Mustermann' };
  const reference = `case-${Math.random()}`;
  const { offerId, credentialIds, link } = await prepareOffer(url, ['membership'], { recipient }, { reference });
  const queued = await postJson(`${url}/v0/offers/${offerId}/deliveries`, { channel: 'email' });
  await receive(link);
  const template = await publishedTemplate(url);
  const ofTwo = { title: 'Of two', format: 'jwt_vc_json', schema: { type: 'object' }, fourEyes: { publish: true } };
  const draft = String(answered(201, await postJson(`${url}/v0/templates`, ofTwo))['templateId']);
  const approval = await postJson(`${url}/v0/templates/${draft}/publish`, '', headers);
  const { state } = answered(201, await postJson(`${url}/v0/authorization_requests`, {}));
  const hook = answered(201, await postJson(`${url}/v0/webhooks`, { url: 'http://127.0.0.1:9/hook' }));
  const key = answered(200, await postJson(`${url}/v0/api_keys`, { name: 'portal', scopes: ['offers:read'] }));
  const importId = await uploaded(url, template, 'given_name\nErika\n');
  await until(url, importId, 'Checked');
  answered(201, (await pushRequest(url, { scope: template })).answer);
  const [asked] = answered(200, await get(`${url}/v0/authorizations?limit=1`))['items'] as Json[];
  return {
    offerId,
    credentialId: credentialIds[0] ?? '',
    templateId: template,
    credentialConfigurationId: template,
    configurationId: template,
    approvalId: String(answered(202, approval)['approvalId']),
    deliveryId: String(answered(201, queued)['deliveryId']),
    state: String(state),
    webhookId: String(hook['webhookId']),
    keyId: String(key['keyId']),
    authorizationId: String(asked?.['authorizationId']),
    importId,
    row: '2',
    imageId: String(answered(201, await sendPicture(url, png(2, 2, [ofA ? 1 : 0, 0, 0])))['imageId']),
    reference,
    // One that a registrar has signed: registration/tenants.test.ts.
    certificateId: 'none',
  };
}

/** What of another tenant such operations can be given that have no parameter for it in the path; a new one belongs here. */
const given: Readonly<Record<string, (ids: Ids) => Json | string>> = {
  'POST /v0/offers': ({ templateId }) => ({ templateIds: [templateId] }),
  'POST /v0/offers/send': ({ offerId }) => ({ offerId, targetUrl: 'http://127.0.0.1:9/' }),
  'POST /v0/offers/letters': ({ offerId }) => ({ offers: [{ offerId }] }),
  'POST /v0/offers/cancel_deliveries': ({ offerId }) => ({ offerIds: [offerId] }),
  'POST /v0/credentials': ({ templateId }) => ({ offerId: 'of-b', templateId, credential: {} }),
  'POST /v0/credentials/batch': ({ templateId }) => ({
    credentials: [{ offerId: 'of-b', templateId, credential: {} }],
  }),
  'POST /v0/credentials/status_changes': ({ credentialId }) => ({
    change: 'revoke',
    credentialIds: [credentialId],
    reason: 'keyCompromise',
  }),
  'POST /v0/searches': ({ reference }) => ({ reference }),
  'POST /v0/imports': () => 'given_name\nErika\n',
  'POST /v0/sessions/end': () => ({ subject: 'clerk@town-a.example' }),
};
/** Those that take nothing of anybody: ids in them are chosen by the portal, of which each has its own. */
const chosen: readonly string[] = [
  ...['POST /v0/templates', 'POST /v0/authorization_requests', 'POST /v0/webhooks', 'POST /v0/api_keys'],
  ...['POST /v0/registration_certificates', 'POST /v0/images', 'POST /v0/session/extend', 'POST /v0/session/sign_out'],
];
/** Members that name something new. */
const newIds: Readonly<Record<string, readonly string[]>> = {
  'POST /v0/offers': ['offerId'],
  'POST /v0/credentials': ['credentialId', 'credentialConfigurationId'],
};

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;
const operations = new OpenApiDocument(JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Json).operations.filter(
  ({ path }) => !path.startsWith('/v0/tenants'),
);
const withIds = operations.filter(({ path }) => path.includes('{'));
const others = operations.filter(({ path }) => !path.includes('{'));
const rows = (some: readonly Operation[]): [string, Operation][] => some.map((one) => [nameOf(one), one]);
const queryNames = ({ parameters }: Operation): string[] =>
  parameters.filter((one) => one.in === 'query').map(({ name }) => name);

beforeAll(async () => {
  for (const tenantId of [a, b]) {
    const { apiKey } = answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }));
    keys.set(tenantId, String(apiKey));
    await publishedTemplate(at(tenantId), { templateId: 'membership', revocable: true });
    answered(201, await postJson(`${at(tenantId)}/v0/offers`, { offerId: `of-${tenantId.slice(-1)}` }));
  }
  olderOfA = await made();
  ofA = await made();
});

function call(tenant: string, { method, path, body }: Operation, ids: Ids, more: Partial<Called> = {}): Promise<Reply> {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`There is no ${name} among what was made: add one.`);
    return id;
  });
  const { query = {}, sent = body?.examples[0] } = more;
  const isFile = typeof sent === 'string';
  return send(`${at(tenant)}${address}?${new URLSearchParams(query).toString()}`, {
    method,
    headers: {
      ...asKey(tenant),
      ...(sent !== undefined && { 'content-type': isFile ? 'text/csv' : 'application/json' }),
    },
    body: sent === undefined ? null : isFile ? sent : JSON.stringify(sent),
  });
}

interface Called {
  readonly query: Readonly<Record<string, string>>;
  readonly sent: Json | string | undefined;
}

const seen = ({ status, text }: Reply, ids: Ids): string => withoutSent(`${status} ${text}`, ids);

/** At `b` what is of `a` is answered as what nobody has. */
async function isUnknown(operation: Operation, called: (ids: Ids) => Partial<Called> = () => ({})): Promise<Reply> {
  const unknown = invented(ofA);
  const first = await call(b, operation, ofA, called(ofA));
  const second = await call(b, operation, unknown, called(unknown));
  expect(seen(first, ofA)).toBe(seen(second, unknown));
  return first;
}

function showsNothing({ text }: Reply): void {
  for (const [name, id] of [...Object.entries(ofA), ...Object.entries(olderOfA)])
    if (id.length > 4) expect({ name, isShown: text.includes(id) }).toEqual({ name, isShown: false });
}

describe('with what is of another tenant', () => {
  it.each(rows(withIds))('%s finds nothing', async (_, operation) => {
    expect((await isUnknown(operation)).status).toBe(404);
  });

  it.each(rows(withIds.filter(({ method, path }) => method === 'GET' && !path.includes('certificate'))))(
    '%s would have found it at its own',
    async (_, operation) => {
      expect((await call(a, operation, ofA)).status).not.toBe(404);
    },
  );

  it.each(rows(others.filter(({ method, path }) => method === 'GET' && path !== '/v0/events')))(
    '%s shows nothing of it',
    async (_, operation) => {
      const names = queryNames(operation).filter((name) => /Id$/.test(name) && name !== 'clientId');
      const required = operation.parameters.filter((one) => one.in === 'query' && one.required === true);
      if (required.length === 0) showsNothing(await call(b, operation, ofA));
      for (const name of names.map((one) => (one === 'signingKeyId' ? 'keyId' : one))) {
        expect(Object.keys(ofA)).toContain(name);
        await isUnknown(operation, (ids) => ({ query: { [name]: ids[name] ?? '' } }));
      }
    },
  );

  it.each(rows(others.filter((one) => queryNames(one).includes('cursor'))))(
    '%s goes on behind nothing of it',
    async (_, operation) => {
      const { nextCursor } = answered(200, await call(a, operation, ofA, { query: { limit: '1' } }));
      expect(nextCursor).toEqual(expect.any(String));
      const query = { limit: '1', cursor: String(nextCursor) };
      expect((await call(a, operation, ofA, { query })).status).toBe(200);
      expect((await call(b, operation, ofA, { query })).status).toBe(400);
    },
  );

  it.each(rows(others.filter((one) => given[nameOf(one)] !== undefined)))(
    '%s does nothing about it',
    async (_, operation) => {
      await isUnknown(operation, (ids) => ({
        sent: given[nameOf(operation)]?.(ids),
        query: queryNames(operation).includes('templateId') ? { templateId: ids['templateId'] ?? '' } : {},
      }));
    },
  );

  it('is walked by every operation', () => {
    const changing = others.filter(({ method }) => method !== 'GET');
    expect(changing.map(nameOf).sort()).toEqual([...Object.keys(given), ...chosen].sort());
    for (const operation of changing.filter((one) => given[nameOf(one)] !== undefined)) {
      const members = Object.keys((operation.body?.schema['properties'] ?? {}) as Json);
      const ids = members.filter((name) => /Ids?$/.test(name) && newIds[nameOf(operation)]?.includes(name) !== true);
      const sent = given[nameOf(operation)]?.(ofA);
      for (const name of ids)
        expect([nameOf(operation), Object.keys(sent as Json)]).toEqual([
          nameOf(operation),
          expect.arrayContaining([name]),
        ]);
    }
  });

  it('leaves it as it was', async () => {
    const credential = answered(200, await get(`${at(a)}/v0/credentials/${ofA['credentialId'] ?? ''}`, asKey(a)));
    expect(credential).toMatchObject({ status: 'Issued', validity: 'Valid' });
    const delivery = `${at(a)}/v0/offers/${ofA['offerId'] ?? ''}/deliveries/${ofA['deliveryId'] ?? ''}`;
    expect(answered(200, await get(delivery, asKey(a)))['status']).not.toBe('Cancelled');
    expect((await get(`${at(a)}/v0/webhooks/${ofA['webhookId'] ?? ''}`, asKey(a))).status).toBe(200);
    expect(answered(200, await get(`${at(a)}/v0/imports/${ofA['importId'] ?? ''}`, asKey(a)))['state']).toBe('Checked');
  });

  it('the stream of events has nothing to do', async () => {
    const stream = await listen(`${at(b)}/v0/events?after=0`, asKey(b));
    await receive((await prepareOffer(at(b), ['membership'])).link);
    const heard: Json[] = [];
    while (heard.at(-1)?.['type'] !== 'credential.issued') heard.push(...(await stream.take(1)));
    stream.cut();
    expect(new Set(heard.map(({ source }) => source))).toEqual(new Set([at(b)]));
  });
});
