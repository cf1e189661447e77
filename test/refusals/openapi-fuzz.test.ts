import { ApiKeys } from '@app/access';
import fc from 'fast-check';
import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OpenApiDocument, type Operation } from '../support/openapi/document';
import { patternsIn, strangeIn } from '../support/openapi/patterns';
import { brokenRequests, type MadeRequest, validRequests } from '../support/openapi/requests';
import { SchemaValues } from '../support/openapi/values';
import { answered, get, type Json, postForm, postJson } from '../support/http/requests';
import { uploaded, until } from '../support/portal/imports';
import { png, sendPicture } from '../support/portal/pictures';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { authorizedSession, credentialsOfAuthorization } from '../support/wallets/authorized';
import { credentialsOfOffer, deferredOffer } from '../support/wallets/deferred';
import { openSession, receive, requestCredential } from '../support/wallets/wallet';

/** The gate makes the same requests each time; `npm run test:faults` makes more, and others. */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 2_000);
const partSize = 500;
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const lanes = 16;

let service: RunningService;
let text: Json;
let document: OpenApiDocument;
let values: SchemaValues;
/** A wallet that waits for offers, and a receiver of events that is gone, so that no time goes into sending it any. */
const wallet = createServer((request, response) => response.writeHead(request.url === '/hooks' ? 410 : 200).end());
const agent = new Agent({ keepAlive: true, maxSockets: lanes });

beforeAll(async () => {
  await new Promise<void>((resolve) => wallet.listen(0, '127.0.0.1', resolve));
  service = await startService({
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: `${walletHost()},portal.example`,
    SERVICE__IDENTIFICATION__DATA_URL: `http://${walletHost()}/data`,
    SERVICE__IDENTIFICATION__DATA_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  });
  text = answered(200, await get(`${service.url}/openapi.json`));
  document = new OpenApiDocument(text);
  values = new SchemaValues(document, await thingsThatExist());
});
afterAll(async () => {
  agent.destroy();
  await service.stop();
  wallet.close();
});

function walletHost(): string {
  return `127.0.0.1:${(wallet.address() as AddressInfo).port}`;
}

/** Several of each resource, so that requests still find some after others were withdrawn or deleted. */
async function thingsThatExist(): Promise<Record<string, unknown[]>> {
  const { url } = service;
  const many = Array.from({ length: 10 }, () => randomUUID());
  const constant = { type: 'object', properties: { level: { const: 3 } } };
  const published = await Promise.all(many.map(() => publishedTemplate(url, { schema: constant })));
  const draft = { title: 'Draft', format: 'jwt_vc_json', schema: { type: 'object' } };
  const drafts = await Promise.all(many.map(() => postJson(`${url}/v0/templates`, draft)));
  const offers = await Promise.all([...many.map(() => prepareOffer(url)), prepareOffer(url, [], { txCode: true })]);
  const redeemed = await Promise.all(many.map(() => prepareOffer(url)));
  await Promise.all(redeemed.map(({ link }) => openSession(link)));
  const awaited = await Promise.all(many.map(() => awaitedCredential(published.slice(0, 1))));
  const issued = await Promise.all(many.map(() => issuedCredential()));
  const everybody = { templateIds: published.slice(0, 1), public: true };
  const open = await Promise.all([...many, ...many].map(() => postJson(`${url}/v0/offers`, everybody)));
  for (const state of many) answered(201, await postJson(`${url}/v0/authorization_requests`, { state }));
  const waiting = await Promise.all(many.map(() => waitingForData()));
  const authorizations = await pushedAuthorizations(many.length);
  const hook = { url: `http://${walletHost()}/hooks` };
  const webhooks = await Promise.all(many.map(() => postJson(`${url}/v0/webhooks`, hook)));
  const keys = await Promise.all(many.map(() => madeKey()));
  const approvals = await Promise.all(many.map(() => requestedApproval()));
  const page = answered(200, await get(`${url}/v0/offers?limit=1`));
  const imported = await Promise.all([...many, ...many].map(() => uploaded(url, published[0] ?? '', 'level\n3\n3\n')));
  await Promise.all(imported.map((importId) => until(url, importId, 'Checked')));
  // Those that are quick enough wait for somebody to go on.
  for (const importId of imported.slice(0, 10)) {
    await postJson(`${url}/v0/imports/${importId}/start`, '');
    await postJson(`${url}/v0/imports/${importId}/pause`, '');
  }
  const pictures = await Promise.all(many.map((_, index) => sendPicture(url, png(2, 1 + index))));
  const tenants = ['town-a', 'town-b'];
  for (const tenantId of tenants)
    answered(201, await postJson(`${url}/v0/tenants`, { tenantId, displayName: tenantId }));
  const domain = 'id.town-c.example';
  const ofHost = { tenantId: 'town-c', displayName: 'Town C', publicUrl: `http://${domain}` };
  answered(201, await postJson(`${url}/v0/tenants`, ofHost));
  return {
    domain: [domain],
    tenantId: tenants,
    confirm: tenants,
    'X-Tenant': tenants,
    templateId: [...published, ...drafts.map((reply) => answered(201, reply)['templateId'])],
    offerId: [
      ...[...offers, ...redeemed].map(({ offerId }) => offerId),
      ...open.map((reply) => answered(201, reply)['offerId']),
    ],
    credentialId: [...waiting, ...awaited, ...issued, ...offers.flatMap(({ credentialIds }) => credentialIds)],
    configurationId: ['w3c_vc_credential', ...published],
    approvalId: approvals,
    keyId: keys,
    authorizationId: authorizations,
    credentialConfigurationId: ['w3c_vc_credential', ...published],
    state: many,
    'listOffers.cursor': [page['nextCursor']],
    importId: imported,
    imageId: pictures.map((reply) => answered(201, reply)['imageId']),
    row: ['2', '3'],
    webhookId: webhooks.map((reply) => answered(201, reply)['webhookId']),
    url: [`http://${walletHost()}/hooks`],
    // No request leaves this machine.
    targetUrl: [`http://${walletHost()}/`, 'https://127.0.0.1:1/'],
    'If-Match': ['*', '"1"', '"2"'],
    after: ['0'],
    'Last-Event-ID': ['0'],
    'If-None-Match': ['*', '"1"', '"7"', 'W/"1"'],
  };
}

async function madeKey(): Promise<unknown> {
  const key = { name: 'portal', scopes: ['offers:read'] };
  return answered(200, await postJson(`${service.url}/v0/api_keys`, key))['keyId'];
}

/** The id of a credential that a wallet waits for. */
async function awaitedCredential(templateIds: readonly string[]): Promise<unknown> {
  const { offerId, link } = await deferredOffer(service.url, templateIds);
  answered(202, await requestCredential(await openSession(link)));
  const [credential] = await credentialsOfOffer(service.url, offerId);
  return credential?.['credentialId'];
}

/** The id of a credential that a wallet has, and that can be revoked. */
async function issuedCredential(): Promise<unknown> {
  const revocable = await publishedTemplate(service.url, { revocable: true });
  const { link, credentialIds } = await prepareOffer(service.url, [revocable]);
  await receive(link);
  return credentialIds[0];
}

/** The id of an approval that another caller than the one of the requests has asked for. */
async function requestedApproval(): Promise<unknown> {
  const { text: key } = await service.app.get(ApiKeys).create({ name: 'Clerk', scopes: ['templates:write'] });
  const template = { title: 'Of two', format: 'jwt_vc_json', schema: { type: 'object' }, fourEyes: { publish: true } };
  const { templateId } = answered(201, await postJson(`${service.url}/v0/templates`, template));
  const asked = await postJson(`${service.url}/v0/templates/${String(templateId)}/publish`, '', { 'x-api-key': key });
  return answered(202, asked)['approvalId'];
}

/** The id of a credential that a wallet has asked for by itself, and that somebody is to approve. Another waits for its data. */
async function waitingForData(): Promise<unknown> {
  const person = { source: 'openid', claims: { given_name: 'Erika' } } as const;
  const claims = { '/given_name': 'login:/given_name' };
  const [held, asked] = await Promise.all([
    publishedTemplate(service.url, { claims, approval: 'manual' }),
    publishedTemplate(service.url, { data: 'webhook' }),
  ]);
  const waiting = await Promise.all(
    [held, asked].map(async (templateId) => {
      const session = await authorizedSession(service, [templateId], person);
      answered(202, await requestCredential(session));
      const [credential] = await credentialsOfAuthorization(service.url, session.authorizationId);
      return credential?.['credentialId'];
    }),
  );
  return waiting[0];
}

/**
 * A response code is known to the browser that a wallet has sent back, and to nobody else; a registration certificate is signed by a
 * registrar; a delivery is found at its own offer; a session is known by its cookie.
 */
const outOfReach: readonly string[] = [
  'redeemResponseCode',
  'getOfferDelivery',
  'cancelDelivery',
  'bounceDelivery',
  // Needs a relay.
  'mailImport',
  'extendSession',
  'signOut',
  'addRegistrationCertificate',
  'getRegistrationCertificate',
  'removeRegistrationCertificate',
];
/** How often others are tried until one is accepted. */
const mostTries = 400;

/** The ids of authorizations that wallets have asked for. */
async function pushedAuthorizations(count: number): Promise<unknown[]> {
  const form = {
    client_id: 'https://wallet.example',
    response_type: 'code',
    redirect_uri: 'https://wallet.example/callback',
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
    scope: 'w3c_vc_credential',
  };
  const push = () => postForm(`${service.url}/openid4vci/par`, Object.entries(form));
  for (const pushed of await Promise.all(Array.from({ length: count }, push))) answered(201, pushed);
  const { items } = answered(200, await get(`${service.url}/v0/authorizations`));
  return (items as Json[]).map(({ authorizationId }) => authorizationId);
}

interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

function ask(made: MadeRequest): Promise<Heard> {
  const { operation, path, headers, body } = made;
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { agent, hostname, port, path, method: operation.method, headers: { ...headers, ...length } };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      const heard = (): void => {
        const { statusCode = 0 } = response;
        resolve({ status: statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() });
      };
      if (response.headers['content-type'] === 'text/event-stream') {
        // It has no end.
        response.once('data', () => {
          heard();
          response.destroy();
        });
      } else {
        response.on('end', heard);
      }
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close an idle connection at the moment in which it is used again.
      if (request.reusedSocket && error.code === 'ECONNRESET') resolve(ask(made));
      else reject(error);
    });
    request.end(body);
  });
}

/** What is wrong with an answer; empty when the document names it. */
function objection(made: MadeRequest, heard: Heard): string | undefined {
  const answer = made.operation.answers[heard.status];
  if (!answer) return `the status ${heard.status} is not documented`;
  const type = String(heard.headers['content-type'] ?? '').split(';')[0] ?? '';
  const missing = answer.headers.filter((name) => heard.headers[name.toLowerCase()] === undefined);
  // Links and images have no URL of their own.
  const isBare = heard.status === 201 && type !== 'application/json';
  if (missing.length > 0 && !(missing[0] === 'Location' && isBare)) {
    return `the headers ${missing.join()} are missing`;
  }
  if (heard.status === 302 && made.mustBeRefused) return 'it is not refused';
  if ([204, 302, 304].includes(heard.status)) return heard.text === '' ? undefined : 'there is a body';
  if (!answer.mediaTypes.includes(type)) return `the media type ${type} is not documented`;
  if (heard.status < 400) {
    // Each credential of a batch is refused by itself.
    if (made.mustBeRefused && made.fault !== 'body: credentials') return 'it is not refused';
    if (type !== 'application/json' || !answer.accepts || answer.accepts(JSON.parse(heard.text))) return undefined;
    return `the answer is not as documented: ${JSON.stringify(answer.accepts.errors)}`;
  }
  const slug =
    String((JSON.parse(heard.text) as Json)['type'])
      .split('/')
      .at(-1) ?? '';
  if (!answer.problems.includes(slug)) return `the problem ${slug} is not documented`;
  if (slug === 'internal' || slug === 'unavailable') return 'the service failed';
  return made.fault === undefined && isRefusalOfForm(made, heard.status, slug) && !isBeyondSchemas.test(heard.text)
    ? 'a valid request is refused'
    : undefined;
}

/** Of what the schemas do not say: a sum of parts, what comes after now, and what makes another member needless. */
const isBeyondSchemas =
  /^\{"type":"[^"]*\/(invalid-expiration-date"|validation-failed".*(ISO 8601 duration of at most|registration certificate: wallets take one))/;

/** A valid request may meet a state that does not fit, but nothing is wrong with the request by itself. */
function isRefusalOfForm({ operation, path }: MadeRequest, status: number, slug: string): boolean {
  const isAlwaysRefused = !['200', '201', '204'].some((one) => one in operation.answers);
  // A changed template has to be consistent as a whole; the document does not know the stored part.
  // The id of a tenant to delete comes twice.
  const dependsOnState = ['changeTemplate', 'deleteTenant'].includes(operation.id) && slug === 'validation-failed';
  // Which addresses may be called is up to settings and name servers.
  const dependsOnPlace = slug === 'webhook-url-not-allowed';
  return status === 400 && !isAlwaysRefused && !dependsOnState && !dependsOnPlace && !hasEmptyPeriod(path);
}

/** A period has to end after it begins, which the schemas of two parameters cannot say. */
function hasEmptyPeriod(path: string): boolean {
  const { searchParams } = new URL(path, service.url);
  return [...searchParams].some(([name, after]) => {
    const before = name.endsWith('After') ? searchParams.get(name.replace('After', 'Before')) : null;
    return before !== null && Date.parse(before) <= Date.parse(after);
  });
}

/** What is wrong with the answer to a request, and how to repeat it. */
function faultIn(made: MadeRequest, heard: Heard, label: string): string[] {
  const wrong = objection(made, heard);
  if (wrong === undefined) return [];
  const body = made.body === undefined ? '' : Buffer.from(made.body).toString().slice(0, 600);
  return [
    `${label} ${wrong}\n  ${made.fault ?? 'valid'}: ${made.operation.method} ${made.path}\n  ` +
      `${JSON.stringify(made.headers)} ${body}\n  -> ${heard.status} ${heard.text.slice(0, 600)}`,
  ];
}

async function faultsIn(made: readonly MadeRequest[], part: number): Promise<string[]> {
  const faults: string[] = [];
  const queue = made.entries();
  const lane = async (): Promise<void> => {
    for (const [index, one] of queue) faults.push(...faultIn(one, await ask(one), `FUZZ_SEED=${part} #${index}`));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return faults;
}

/** Makes valid requests one after another until one is accepted: each operation ends one thing of its kind at most. */
async function faultsUntilAccepted(documented: Operation): Promise<string[]> {
  // Tenants have none of the things that exist.
  const parameters = documented.parameters.filter(({ name }) => name !== 'X-Tenant');
  const operation = { ...documented, parameters };
  const statuses = new Set<number>();
  const few = 10;
  for (let tried = 0; tried < mostTries; tried += few) {
    for (const made of fc.sample(validRequests(operation, values), { numRuns: few, seed: tried })) {
      const heard = await ask(made);
      const faults = faultIn(made, heard, operation.id);
      if (faults.length > 0 || heard.status < 300) return faults;
      statuses.add(heard.status);
    }
  }
  return [`${operation.id} was never accepted: ${[...statuses].join()}`];
}

describe('the OpenAPI document', () => {
  it('has regular expressions that every engine reads alike', () => {
    const strange = [...patternsIn(text)].map(([pattern, place]) => [place, pattern, strangeIn(pattern)] as const);
    expect(strange.length).toBeGreaterThan(20);
    expect(strange.filter(([, , found]) => found.length > 0)).toEqual([]);
  });
});

describe(`requests made from the OpenAPI document (FUZZ_SEED=${seed})`, () => {
  it('are accepted by each operation while what they need is there', async () => {
    const faults: string[] = [];
    for (const operation of document.operations) {
      const canSucceed = Object.keys(operation.answers).some((status) => Number(status) < 300);
      if (canSucceed && !outOfReach.includes(operation.id)) faults.push(...(await faultsUntilAccepted(operation)));
    }
    expect(faults.join('\n')).toBe('');
  });

  it('get documented answers: valid ones are accepted, invalid ones rejected, none fails', async () => {
    const any = fc.oneof(
      ...document.operations.flatMap((operation) => [
        { arbitrary: validRequests(operation, values), weight: operation.body ? 2 : 1 },
        { arbitrary: brokenRequests(operation, values), weight: operation.body ? 6 : 1 },
      ]),
    );
    const faults: string[] = [];
    // In parts: all of them at once would stop the service, which runs in this process, for a quarter of a minute.
    for (let made = 0; made < requests; made += partSize) {
      const part = seed + made;
      faults.push(...(await faultsIn(fc.sample(any, { numRuns: partSize, seed: part }), part)));
    }
    expect(faults.slice(0, 5).join('\n')).toBe('');
  }, 400_000);
});
