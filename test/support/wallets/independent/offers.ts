import { randomUUID } from 'node:crypto';

/** What the management API needs for one credential of one template. */
export interface OfferedCredential {
  readonly template: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
}

export interface PreparedOffer {
  readonly link: string;
  readonly txCode: string | undefined;
}

/** Publishes a template, prepares one credential of it in a fresh offer, and returns the offer link for a wallet. */
export async function prepareOffer(
  url: string,
  { template, claims }: OfferedCredential,
  withTxCode: boolean,
): Promise<PreparedOffer> {
  const offerId = randomUUID();
  const { templateId } = await post<{ templateId: string }>(`${url}/v0/templates`, {
    ...template,
    status: 'Published',
  });
  const offer = { offerId, ...(withTxCode ? { txCode: true } : {}) };
  const { credentialOffer, txCode } = await post<{ credentialOffer: string; txCode?: string }>(
    `${url}/v0/offers`,
    offer,
  );
  await post(`${url}/v0/credentials`, { offerId, templateId, credential: { credentialSubject: claims } });
  return { link: credentialOffer, txCode };
}

async function post<T>(url: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
