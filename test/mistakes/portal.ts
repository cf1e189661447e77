import { ApiKeys } from '@app/access';
import { answered, type Json, postJson, type Reply, send } from '../support/http/requests';
import type { RunningService } from '../support/service/service';
import { json, type Mistake } from './mistake';

const personal = {
  type: 'object',
  properties: { given_name: { type: 'string' }, level: { type: 'integer' } },
  required: ['given_name'],
  additionalProperties: false,
};
const type = { format: 'dc+sd-jwt', vct: 'https://credentials.example/membership', expiration: '2099-12-31T23:59:59Z' };

/** What the requests of the mistakes find. */
export interface Portal {
  /** An API key with the scope `offers:read` alone. */
  readonly key: string;
}

/** A published, an archived and a draft template, an offer with a credential, a withdrawn one, and a request. */
export async function openPortal({ url, app }: RunningService): Promise<Portal> {
  const post = (path: string, body: unknown, headers?: Record<string, string>): Promise<Reply> =>
    postJson(`${url}/v0/${path}`, body, headers);
  const create = async (path: string, body: Json, headers?: Record<string, string>): Promise<void> => {
    answered(201, await post(path, body, headers));
  };
  await create('templates', {
    templateId: 'membership',
    title: 'Membership',
    schema: personal,
    ...type,
    status: 'Published',
  });
  await create('templates', { templateId: 'diploma', title: 'Diploma', schema: personal, ...type });
  await create('templates', { templateId: 'card', title: 'Card', schema: personal, ...type });
  answered(200, await post('templates/card/archive', ''));
  await create('offers', { offerId: 'order-4711' }, { 'idempotency-key': 'order-4711' });
  await create('offers', { offerId: 'order-4700' });
  await send(`${url}/v0/offers/order-4700`, { method: 'DELETE' });
  const credential = { credentialSubject: { given_name: 'Erika' } };
  await create('credentials', { credentialId: 'card-1', offerId: 'order-4711', templateId: 'membership', credential });
  await create('authorization_requests', { state: 'visit-1' });
  const { text } = await app.get(ApiKeys).create({ name: 'reader', scopes: ['offers:read'] });
  return { key: text };
}

/** Sends the request of a mistake. */
export function make(mistake: Mistake, { url }: RunningService, { key }: Portal): Promise<Reply> {
  const [method = 'GET', path = ''] = mistake.request.split(' ');
  const { body, headers = body === undefined ? {} : json } = mistake;
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const sent = Object.entries(headers).map(([name, value]) => [name, value.replace('<key>', key)] as const);
  return send(`${url}${path}`, {
    method,
    headers: { ...(body !== undefined && json), ...Object.fromEntries(sent) },
    ...(body !== undefined && { body: isRaw ? Buffer.from(body as string) : JSON.stringify(body) }),
  });
}
