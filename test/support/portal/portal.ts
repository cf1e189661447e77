import { randomUUID } from 'node:crypto';
import { answered, get, type Json, postJson } from '../http/requests';

/** What a portal submits; every member can be replaced, `undefined` leaves one out. */
export interface PreparedOffer {
  readonly offerId: string;
  /** `openid-credential-offer://...` */
  readonly link: string;
  readonly txCode: string | undefined;
  readonly credentialIds: readonly string[];
}

export const quickStart = 'w3c_vc_credential';
export const claims = { given_name: 'Erika', family_name: 'Mustermann', level: 3 };

/** Publishes an SD-JWT VC template and returns its id. */
export async function publishedTemplate(url: string, changes: Json = {}): Promise<string> {
  const template = {
    title: 'Membership',
    format: 'dc+sd-jwt',
    vct: `https://credentials.example/${randomUUID()}`,
    schema: { type: 'object', properties: { given_name: { type: 'string' }, level: { type: 'integer' } } },
    expiration: 'P30D',
    ...changes,
  };
  const { templateId } = answered(201, await postJson(`${url}/v0/templates`, template));
  answered(200, await postJson(`${url}/v0/templates/${String(templateId)}/publish`, ''));
  return String(templateId);
}

/**
 * An offer of its own with one credential for each configuration: `w3c_vc_credential` or template ids.
 * @param offer further members of `POST /v0/offers`, for example `{ txCode: true }`
 */
export async function prepareOffer(
  url: string,
  configurations: readonly string[] = [quickStart],
  offer: Json = {},
  credential: Json = {},
): Promise<PreparedOffer> {
  const offerId = randomUUID();
  const opened = await postJson(`${url}/v0/offers`, { offerId, ...offer });
  const { credentialOffer, txCode } = answered(201, opened);
  const credentialIds: string[] = [];
  for (const id of configurations) {
    const body = { offerId, credentialConfigurationId: id, credential: { credentialSubject: claims }, ...credential };
    credentialIds.push(String(answered(201, await postJson(`${url}/v0/credentials`, body))['credentialId']));
  }
  return {
    offerId,
    link: String(credentialOffer),
    txCode: txCode as string | undefined,
    credentialIds,
  };
}

/** The state of an offer as the portal sees it. */
export async function offerState(url: string, offerId: string): Promise<unknown> {
  return answered(200, await get(`${url}/v0/offers/${offerId}`))['state'];
}

export async function credentialStatus(url: string, credentialId: string): Promise<unknown> {
  return answered(200, await get(`${url}/v0/credentials/${credentialId}`))['status'];
}
