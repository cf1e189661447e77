import { EventSourceParserStream } from 'eventsource-parser/stream';
import createClient from 'openapi-fetch';
import type { components, paths } from './management-api';

type Schemas = components['schemas'];

/** What an issuer portal does with one kind of credential: docs/portal-tutorial.md explains each step. */
export class Portal {
  private readonly api;

  /** @param key an API key; a service in development needs none from its own machine */
  constructor(url: string, key?: string) {
    this.api = createClient<paths>({ baseUrl: url, ...(key !== undefined && { headers: { 'X-API-Key': key } }) });
  }

  /** A template describes the credential; there is one, however often the portal starts. */
  async describe(template: Schemas['CreateTemplateBody'] & { readonly templateId: string }): Promise<void> {
    const known = await this.api.GET('/v0/templates/{templateId}', { params: { path: template } });
    if (known.response.status === 404) answerOf(await this.api.POST('/v0/templates', { body: template }));
    else answerOf(known);
  }

  /** Submits the data of one person. The answer has the link for the wallet, and the addresses of its QR code and page. */
  async offer(body: Schemas['PrepareCredentialBody']): Promise<Schemas['PreparedCredential']> {
    // Sent again after a broken connection, the request creates nothing a second time.
    const header = { 'Idempotency-Key': body.offerId };
    return answerOf(await this.api.POST('/v0/credentials', { body, params: { header } }));
  }

  /** The ids of the credentials that wallets keep, the first one ever first, and from then on as soon as one is added. */
  async *accepted(): AsyncGenerator<string> {
    const query = { types: 'credential.accepted', after: '0' };
    const events = answerOf(await this.api.GET('/v0/events', { params: { query }, parseAs: 'stream' }));
    const text = (events as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
    for await (const { event, data } of text.pipeThrough(new EventSourceParserStream())) {
      // A heartbeat has a name and no data.
      if (event === undefined) yield (JSON.parse(data) as Schemas['CredentialAcceptedEvent']).data.credentialId;
    }
  }

  async read(credentialId: string): Promise<Schemas['CredentialWithContent']> {
    return answerOf(await this.api.GET('/v0/credentials/{credentialId}', { params: { path: { credentialId } } }));
  }

  /** For good: verifiers reject the credential from then on. */
  async revoke(credentialId: string, reason: string): Promise<void> {
    const path = { credentialId };
    answerOf(await this.api.POST('/v0/credentials/{credentialId}/revoke', { params: { path }, body: { reason } }));
  }
}

/** The body of an answer. Throws what a problem (RFC 9457) says is wrong, and what to send instead. */
function answerOf<T>({ data, error }: { data?: T; error?: Schemas['Problem'] }): T {
  if (error) throw new Error(`${error.title}: ${error.detail}`);
  return data as T;
}
