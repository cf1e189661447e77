import { MetricsListener } from '@app/observability';
import { randomUUID } from 'node:crypto';
import { answered, get, type Json, postForm, postJson, type Reply, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { scrape, valueOf } from '../support/service/scraped-metrics';
import { serviceOfFile } from '../support/service/service-of-file';
import { keyProof, newHolder } from '../support/wallets/key-proofs';
import {
  credentialRequest,
  freshNonce,
  type Offer,
  offerUri,
  openSession,
  readOffer,
  redeem,
  type RequestClass,
  requestCredential,
  type Session,
} from '../support/wallets/wallet';

/** What a wallet sends that no record of ours may have. */
const canary = 'Zwergspitzmaus';

const service = serviceOfFile({ SERVICE__METRICS__ENABLED: 'true', SERVICE__METRICS__PORT: '0' });
let membership: string;
beforeAll(async () => {
  membership = await publishedTemplate(service.url);
});

/** A refused request, and the offer it concerns. */
interface Refused {
  readonly reply: Reply;
  readonly offerId: string;
}

interface Row {
  readonly reason: string;
  readonly endpoint: string;
  readonly refuse: () => Promise<Refused>;
  readonly about?: Json;
}

const token =
  (changes: Record<string, string | undefined> | ((offer: Offer) => [string, string][]), terms: Json = {}) =>
  async (): Promise<Refused> => {
    const { offerId, link } = await prepareOffer(service.url, [quickStart], terms);
    const offer = await readOffer(link);
    const parameters = typeof changes === 'function' ? changes(offer) : undefined;
    const reply = parameters
      ? await postForm(`${offer.issuer}/token`, parameters)
      : await redeem(offer, changes as Record<string, string | undefined>);
    return { reply, offerId };
  };
const details = (value: unknown) => token({ authorization_details: JSON.stringify(value) });
const named = { type: 'openid_credential', credential_configuration_id: quickStart };

async function session(shape: RequestClass = 'F', parameters: Record<string, string> = {}, ids = [quickStart]) {
  const { offerId, link } = await prepareOffer(service.url, ids);
  return { offerId, session: await openSession(link, shape, parameters) };
}

/** A credential request with one fault. */
const credential =
  (
    fault: (valid: Json, session: Session) => Json | Promise<Json>,
    shape: RequestClass = 'F',
    parameters: Record<string, string> = {},
  ) =>
  async (): Promise<Refused> => {
    const { offerId, session: opened } = await session(shape, parameters);
    const body = { ...(await credentialRequest(opened)), ...(await fault(await credentialRequest(opened), opened)) };
    const headers = { authorization: `Bearer ${opened.accessToken}` };
    return { offerId, reply: await postJson(String(opened.metadata['credential_endpoint']), body, headers) };
  };

/** A body that is none, at an endpoint of the metadata. */
const body =
  (endpoint: string, text: string | Buffer, headers: Record<string, string> = {}) =>
  async (): Promise<Refused> => {
    const { offerId, session: opened } = await session();
    const authorization = `Bearer ${opened.accessToken}`;
    const sent = { authorization, 'content-type': 'application/json', ...headers };
    const url = String(opened.metadata[endpoint]);
    return { offerId, reply: await send(url, { method: 'POST', headers: sent, body: text }) };
  };
const json = (endpoint: string, value: unknown) => body(endpoint, JSON.stringify(value));
const notification = (value: unknown) => json('notification_endpoint', value);
const deferred = (value: unknown) => json('deferred_credential_endpoint', value);
const proof =
  (changes: { header?: Json; claims?: Json }) =>
  async (_: Json, { offer, ...opened }: Session) => ({
    proofs: { jwt: [keyProof(newHolder(), offer.issuer, await freshNonce({ offer, ...opened }), changes)] },
  });
const unset = { credential_configuration_id: undefined };

async function withdrawn(): Promise<Refused> {
  const { offerId, link } = await prepareOffer(service.url);
  await send(`${service.url}/v0/offers/${offerId}`, { method: 'DELETE' });
  return { offerId, reply: await get(offerUri(link)) };
}

async function withoutData(): Promise<Refused> {
  const offerId = randomUUID();
  const { credentialOffer } = answered(201, await postJson(`${service.url}/v0/offers`, { offerId }));
  return { offerId, reply: await get(offerUri(String(credentialOffer))) };
}

async function archived(): Promise<Refused> {
  const templateId = await publishedTemplate(service.url);
  const { offerId, link } = await prepareOffer(service.url, [templateId]);
  const opened = await openSession(link);
  answered(200, await postJson(`${service.url}/v0/templates/${templateId}/archive`, ''));
  return { offerId, reply: await requestCredential(opened) };
}

async function repeatedNonce(): Promise<Refused> {
  const { offerId, session: opened } = await session();
  const nonce = await freshNonce(opened);
  const holders = [newHolder()];
  answered(200, await requestCredential(opened, { nonce, holders }));
  return { offerId, reply: await requestCredential(opened, { nonce, holders }) };
}

const rows: Row[] = [
  { reason: 'not-open', endpoint: 'offer', refuse: withdrawn },
  { reason: 'data-missing', endpoint: 'offer', refuse: withoutData },
  { reason: 'grant-type-missing', endpoint: 'token', refuse: token({ grant_type: undefined }) },
  { reason: 'unsupported_grant_type', endpoint: 'token', refuse: token({ grant_type: canary }) },
  {
    reason: 'parameter-repeated',
    endpoint: 'token',
    refuse: token(({ code }) => [
      ['pre-authorized_code', code],
      [canary, '1'],
      [canary, '2'],
    ]),
  },
  { reason: 'parameter-too-long', endpoint: 'token', refuse: token({ [canary]: 'x'.repeat(3000) }) },
  { reason: 'not-ascii', endpoint: 'token', refuse: token({ client_id: `${canary}é` }) },
  { reason: 'transaction-code-missing', endpoint: 'token', refuse: token({}, { txCode: true }) },
  { reason: 'transaction-code-unexpected', endpoint: 'token', refuse: token({ tx_code: canary }) },
  { reason: 'transaction-code-wrong', endpoint: 'token', refuse: token({ tx_code: canary }, { txCode: true }) },
  {
    reason: 'transaction-code-unexpected',
    endpoint: 'token',
    refuse: token({ user_pin: canary }),
    about: { generation: 'draft 11' },
  },
  { reason: 'transaction-codes-differ', endpoint: 'token', refuse: token({ tx_code: canary, user_pin: '1' }) },
  { reason: 'details-malformed', endpoint: 'token', refuse: details({ of: canary }) },
  { reason: 'details-type-wrong', endpoint: 'token', refuse: details([{ type: canary }]) },
  { reason: 'details-by-format', endpoint: 'token', refuse: details([{ ...named, format: canary }]) },
  {
    reason: 'configuration-not-offered',
    endpoint: 'token',
    refuse: details([{ ...named, credential_configuration_id: canary }]),
  },
  {
    reason: 'not-open',
    endpoint: 'token',
    refuse: async () => {
      const { offerId, link } = await prepareOffer(service.url);
      const offer = await readOffer(link);
      answered(200, await redeem(offer));
      return { offerId, reply: await redeem(offer, { client_id: canary }) };
    },
  },
  { reason: 'not-json', endpoint: 'credential', refuse: body('credential_endpoint', `{"${canary}`) },
  {
    reason: 'wrong-content-type',
    endpoint: 'credential',
    refuse: body('credential_endpoint', canary, { 'content-type': 'text/plain' }),
  },
  {
    reason: 'content-encoding',
    endpoint: 'credential',
    refuse: body('credential_endpoint', canary, { 'content-encoding': 'gzip' }),
  },
  { reason: 'body-too-large', endpoint: 'credential', refuse: body('credential_endpoint', canary.repeat(9000)) },
  { reason: 'not-an-object', endpoint: 'credential', refuse: json('credential_endpoint', [canary]) },
  { reason: 'ids-exclusive', endpoint: 'credential', refuse: credential(() => ({ credential_identifier: canary })) },
  { reason: 'proofs-exclusive', endpoint: 'credential', refuse: credential(() => ({ proof: { jwt: canary } })) },
  { reason: 'credential-unnamed', endpoint: 'credential', refuse: credential(() => unset) },
  {
    reason: 'credential-repeated',
    endpoint: 'credential',
    refuse: async () => {
      const { offerId, session: opened } = await session('L13');
      const one = await credentialRequest(opened);
      const headers = { authorization: `Bearer ${opened.accessToken}` };
      const endpoint = String(opened.metadata['batch_credential_endpoint']);
      return { offerId, reply: await postJson(endpoint, { credential_requests: [one, one] }, headers) };
    },
    about: { generation: 'draft 13' },
  },
  {
    reason: 'name-malformed',
    endpoint: 'credential',
    refuse: credential(() => ({ credential_configuration_id: [canary] })),
    about: { requestClass: 'F', generation: '1.0' },
  },
  {
    reason: 'unsupported_credential_format',
    endpoint: 'credential',
    refuse: credential(() => ({ ...unset, format: canary })),
  },
  {
    reason: 'type-missing',
    endpoint: 'credential',
    refuse: credential(() => ({ ...unset, format: 'jwt_vc_json' })),
    about: { requestClass: 'L14', generation: 'draft 14' },
  },
  {
    reason: 'encryption-in-clear',
    endpoint: 'credential',
    refuse: credential(() => ({ credential_response_encryption: { jwk: canary } })),
  },
  {
    reason: 'unknown_credential_configuration',
    endpoint: 'credential',
    refuse: credential(() => ({ credential_configuration_id: canary })),
  },
  {
    reason: 'insufficient_scope',
    endpoint: 'credential',
    refuse: credential(() => ({ credential_configuration_id: membership })),
  },
  {
    reason: 'unknown_credential_identifier',
    endpoint: 'credential',
    refuse: credential(() => ({ ...unset, credential_identifier: canary })),
  },
  {
    reason: 'identifier-expected',
    endpoint: 'credential',
    refuse: credential(() => ({}), 'F', { authorization_details: JSON.stringify([named]) }),
  },
  {
    reason: 'unsupported_credential_type',
    endpoint: 'credential',
    refuse: credential(() => ({ credential_definition: { type: [canary] } }), 'L13'),
    about: { requestClass: 'L13', generation: 'draft 13' },
  },
  { reason: 'proof-missing', endpoint: 'credential', refuse: credential(() => ({ proofs: undefined })) },
  { reason: 'proof-malformed', endpoint: 'credential', refuse: credential(() => ({ proofs: canary })) },
  { reason: 'proof-type-count', endpoint: 'credential', refuse: credential(() => ({ proofs: {} })) },
  { reason: 'proof-type-unknown', endpoint: 'credential', refuse: credential(() => ({ proofs: { [canary]: [] } })) },
  { reason: 'malformed', endpoint: 'credential', refuse: credential(() => ({ proofs: { jwt: [canary] } })) },
  { reason: 'wrong-type', endpoint: 'credential', refuse: credential(proof({ header: { typ: canary } })) },
  {
    reason: 'wrong-audience',
    endpoint: 'credential',
    refuse: credential(proof({ claims: { aud: canary } })),
    about: { requestClass: 'F', generation: '1.0', configurationId: quickStart },
  },
  { reason: 'too-old', endpoint: 'credential', refuse: credential(proof({ claims: { iat: 1 } })) },
  { reason: 'missing-nonce', endpoint: 'credential', refuse: credential(proof({ claims: { nonce: undefined } })) },
  { reason: 'nonce-unknown', endpoint: 'credential', refuse: credential(proof({ claims: { nonce: canary } })) },
  { reason: 'nonce-used', endpoint: 'credential', refuse: repeatedNonce },
  { reason: 'template-archived', endpoint: 'credential', refuse: archived },
  { reason: 'not-an-object', endpoint: 'deferred-credential', refuse: deferred([canary]) },
  {
    reason: 'transaction-id-missing',
    endpoint: 'deferred-credential',
    refuse: deferred({}),
  },
  {
    reason: 'invalid_transaction_id',
    endpoint: 'deferred-credential',
    refuse: deferred({ transaction_id: canary }),
  },
  { reason: 'not-an-object', endpoint: 'notification', refuse: notification([canary]) },
  { reason: 'notification-id-missing', endpoint: 'notification', refuse: notification({}) },
  {
    reason: 'notification-id-malformed',
    endpoint: 'notification',
    refuse: notification({ notification_id: `${canary} é` }),
  },
  {
    reason: 'event-unknown',
    endpoint: 'notification',
    refuse: notification({ notification_id: canary, event: canary }),
  },
  {
    reason: 'event-description-malformed',
    endpoint: 'notification',
    refuse: notification({
      notification_id: canary,
      event: 'credential_accepted',
      event_description: [canary],
    }),
  },
  {
    reason: 'invalid_notification_id',
    endpoint: 'notification',
    refuse: notification({ notification_id: canary, event: 'credential_accepted' }),
  },
];

async function timelineOf(offerId: string): Promise<Json[]> {
  return answered(200, await get(`${service.url}/v0/offers/${offerId}`))['timeline'] as Json[];
}

/** The words of an answer, without what they quote of the request. */
function words({ json: { error_description: text } }: Reply): string {
  return String(text).replaceAll(new RegExp(`'[^']*${canary}[^']*'`, 'g'), "'...'");
}

describe('a refused wallet', () => {
  it.each(rows)(
    'leaves its words in the timeline: $reason at $endpoint',
    async ({ reason, endpoint, refuse, about }) => {
      const { reply, offerId } = await refuse();
      expect(reply.status).toBeGreaterThanOrEqual(400);
      const timeline = await timelineOf(offerId);
      const refused = timeline.filter(({ step }) => step === 'wallet refused');
      expect(refused).toEqual([
        {
          at: expect.any(String) as unknown,
          step: 'wallet refused',
          outcome: 'refused',
          detail: words(reply),
          refusal: expect.objectContaining({
            endpoint,
            error: reply.json['error'],
            reason,
            count: 1,
            ...about,
          }) as unknown,
        },
      ]);
      expect(JSON.stringify(timeline)).not.toContain(canary);
    },
  );
});

describe('the metrics', () => {
  it('count refusals by route, error and reason, in words of the code', async () => {
    const port = service.app.get(MetricsListener).port ?? 0;
    const labels = { route: '/openid4vci/credential', error: 'invalid_nonce', reason: 'nonce-unknown' };
    const name = 'sealwright_wallet_refusals_total';
    const before = valueOf(await scrape(port), name, labels);
    const { session: opened } = await session();
    await requestCredential(opened, { nonce: canary });
    const samples = await scrape(port);
    expect(valueOf(samples, name, labels) - before).toBe(1);
    expect(JSON.stringify(samples)).not.toContain(canary);
  });
});
