import { randomUUID } from 'node:crypto';
import { answered, get, type Json, postJson, type Reply } from '../http/requests';
import type { Session } from './wallet';

/** A deferred offer of these templates, without data. */
export async function deferredOffer(
  url: string,
  templateIds: readonly string[],
): Promise<{ readonly offerId: string; readonly link: string }> {
  const offerId = randomUUID();
  const opened = await postJson(`${url}/v0/offers`, { offerId, templateIds, deferred: true });
  return { offerId, link: String(answered(201, opened)['credentialOffer']) };
}

export function submit(url: string, body: Json): Promise<Reply> {
  return postJson(`${url}/v0/credentials`, body);
}

/** What the portal sees of the credentials of an offer. */
export async function credentialsOfOffer(url: string, offerId: string): Promise<Json[]> {
  return answered(200, await get(`${url}/v0/credentials?offerId=${offerId}`))['items'] as Json[];
}

/** @param changes of the body; `undefined` leaves a member out */
export function collect(
  session: Session,
  transactionId: unknown,
  { accessToken = session.accessToken, ...changes }: Json & { readonly accessToken?: string } = {},
): Promise<Reply> {
  const endpoint = String(session.metadata['deferred_credential_endpoint']);
  const headers = { authorization: `Bearer ${accessToken}` };
  return postJson(endpoint, { transaction_id: transactionId, ...changes }, headers);
}
