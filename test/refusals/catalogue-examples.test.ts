import { ApiKeys } from '@app/access';
import { catalogue, type ProblemSlug } from '@app/primitives/problems';
import { storedRows } from '../support/database/stored-rows';
import { expectProblem } from '../support/http/refusals';
import { answered, type Json, postJson, type Reply, send } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { receive } from '../support/wallets/wallet';

/** No single request leads to these; other tests bring them about. */
const toldInWords: readonly ProblemSlug[] = [
  'unsupported-credential-format',
  'unsupported-credential-configuration-format',
  'claims-not-checked',
  'send-credential-offer-error',
  'signed-credential-format-mismatch',
  'payload-too-large',
  'request-header-fields-too-large',
  'tenant-managed-by-file',
  'tenant-limit-reached',
  'tenant-suspended',
  'too-many-event-streams',
  'request-certificate-missing',
  'document-certificate-missing',
  'replay-not-possible',
  'rate-limited',
  'insufficient-user-authentication',
  'several-credentials',
  'approval-by-requester',
  'approval-ended',
  'unavailable',
  'outcome-unknown',
  'internal',
];

const requestLine = /^([A-Z]+) (\/\S*)((?: [A-Za-z-]+: \S+)*)(?: (.+))?$/;
const entries = Object.entries(catalogue) as [ProblemSlug, { status: number; remedy: string; example: string }][];
const sendable = entries.filter(([, { example }]) => requestLine.test(example));

/** Mistakes that are easily made, and what the answer has to say of each. */
const easilyMade: readonly (readonly [example: string, says: string])[] = [
  ['GET /v0/offer', 'Did you mean /v0/offers?'],
  ['GET /offers', 'Did you mean /v0/offers?'],
  ['GET /v0/Offers', 'Did you mean /v0/offers?'],
  ['GET /v0/authorization-requests', 'Did you mean /v0/authorization_requests?'],
  ['GET /v0/credentialConfigurations', 'Did you mean /v0/credential_configurations?'],
  ['POST /v0/credentials/not-fetched/revok {}', 'Did you mean /v0/credentials/not-fetched/revoke?'],
  ['POST /v0/credentials/not-fetched/unsuspend {}', 'Did you mean /v0/credentials/not-fetched/reinstate?'],
  ['POST /v0/credentials/batches {}', 'Did you mean POST /v0/credentials/batch?'],
  ['GET /v0/credentials/order-1', 'the id in it'],
  ['PUT /v0/templates/membership {}', 'DELETE, GET, PATCH'],
  ['POST /v0/offers Content-Type: multipart/form-data --x', 'multipart/form-data'],
  ['POST /v0/offers Content-Encoding: gzip {}', 'uncompressed'],
  ['POST /v0/offers {"offerId": "order-2", "templateIds": ["membership"', 'line 1, column 52'],
  ['POST /v0/offers {"offerId": "order-2", "offerId": "order-3"}', 'line 1, column 24'],
  ['POST /v0/offers {"offer_id": "order-2"}', '/offer_id: Unknown property. Did you mean offerId?'],
  ['POST /v0/offers {"templateIds": "membership"}', '["membership"]'],
  ['POST /v0/offers {"templateIds": ["membership"], "expiresIn": "24h"}', 'PT24H'],
  ['POST /v0/offers {"templateIds": ["membership"], "txCode": {"inputmode": "x"}}', '/txCode/inputmode'],
  ['POST /v0/credentials {}', '/offerId: is required'],
  ['POST /v0/credentials {"offerId": "order-2", "templateID": "membership"}', 'Did you mean templateId?'],
  ['POST /v0/credentials/batch {"items": []}', '/credentials: is required'],
  ['POST /v0/templates {}', '/schema: is required'],
  ['POST /v0/templates {"title": "Badge", "format": "vc+sd-jwt", "schema": {}}', 'Did you mean dc+sd-jwt?'],
  ['PATCH /v0/templates/a-draft {"format": "jwt_vc_json"}', 'create another template'],
  ['PATCH /v0/templates/a-draft {"display": [{"name": "A", "backgroundColor": "#fff"}]}', 'mean background_color?'],
  ['PATCH /v0/templates/a-draft {"selectivelyDisclosable": ["/givn_name"]}', 'Did you mean /given_name?'],
  ['GET /v0/credentials?status=issued', 'Did you mean Issued?'],
  ['GET /v0/templates/membership?verbose=1', 'Unknown parameter'],
  ['POST /v0/authorization_requests {"dcqlQuery": {}}', 'Did you mean dcql_query?'],
  [
    'POST /v0/authorization_requests {"dcql_query": {"credentials": [{"id": "a", "format": "dc+sd-jwt"}]}}',
    '/credentials/0/meta',
  ],
];

const service = serviceOfFile();
let reader: string;
let before: unknown;

/** What the names of the examples promise: see the text of docs/errors.md. */
beforeAll(async () => {
  const { url, app } = service;
  const create = async (path: string, body: Json, headers?: Record<string, string>): Promise<Json> =>
    answered(201, await postJson(`${url}/v0/${path}`, body, headers));
  const credential = { credentialSubject: { given_name: 'Erika' } };
  const schema = {
    type: 'object',
    properties: { given_name: { type: 'string' } },
    required: ['given_name'],
    additionalProperties: false,
  };
  const draft = { title: 'Draft', format: 'dc+sd-jwt', vct: 'https://credentials.example/draft', schema };
  await create('templates', { templateId: 'a-draft', ...draft });
  await publishedTemplate(url, { templateId: 'membership', schema, expiration: '2099-12-31T23:59:59Z' });
  await publishedTemplate(url, { templateId: 'revocable', schema, revocable: true });
  await create('offers', { offerId: 'order-1' }, { 'idempotency-key': 'order-1' });
  await create('credentials', {
    credentialId: 'not-fetched',
    offerId: 'order-1',
    templateId: 'membership',
    credential,
  });
  for (const [credentialId, templateId] of [
    ['not-revocable', 'membership'],
    ['revoked', 'revocable'],
  ]) {
    const offered = await create('credentials', { credentialId, offerId: credentialId, templateId, credential });
    await receive(String(offered['credentialOffer']));
  }
  answered(204, await postJson(`${url}/v0/credentials/revoked/revoke`, {}));
  await create('authorization_requests', { state: 'used' });
  reader = (await app.get(ApiKeys).create({ name: 'reader', scopes: ['offers:read'] })).text;
  before = await storedRows(service);
});

function make(example: string): Promise<Reply> {
  const [, method = '', path = '', headers = '', body] = requestLine.exec(example) ?? [];
  const named = [...headers.matchAll(/ ([A-Za-z-]+): (\S+)/g)].map(([, name = '', value = '']) => [name, value]);
  const sent = Object.fromEntries(named.map(([name, value]) => [name?.toLowerCase(), value])) as Record<string, string>;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  if (sent['x-api-key']?.startsWith('KEY_WITH_')) sent['x-api-key'] = reader;
  return send(`${service.url}${path}`, { method, headers: { ...type, ...sent }, ...(body !== undefined && { body }) });
}

/** What an answer says: neither a value that nobody wrote nor a sentence that ends twice. */
function saidIn({ json: { detail, remedy, violations = [] } }: Reply): string {
  expect(String(detail)).not.toMatch(/undefined|\[object|\.\.$|\?\.$/);
  const faults = (violations as Json[]).map(({ pointer, message }) => `${String(pointer)}: ${String(message)}`);
  return [detail, remedy, ...faults].join('\n');
}

describe('an example of the catalogue', () => {
  it.each(sendable)('leads to %s', async (slug, { status, remedy, example }) => {
    const reply = await make(example);
    expectProblem(reply, status, slug);
    expect(saidIn(reply)).toContain(remedy);
  });

  it('is a request wherever one leads to the error', () => {
    const others = entries.filter(([, { example }]) => !requestLine.test(example)).map(([slug]) => slug);
    expect(others.sort()).toEqual([...toldInWords].sort());
  });
});

describe('the answer to a mistake that is easily made', () => {
  it.each(easilyMade)('to %s says %s', async (example, says) => {
    const reply = await make(example);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(saidIn(reply)).toContain(says);
  });
});

it('stores nothing', async () => {
  expect(await storedRows(service)).toEqual(before);
});
