import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Json } from '../http/requests';

/** A message as the receiver got it. */
export interface ReceivedMessage {
  /** `webhook-id` */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The CloudEvent. */
  readonly event: Json;
  readonly subject: string;
}

/** The server of a portal that gets events. It answers 204 unless told otherwise. */
export interface WebhookReceiver {
  readonly url: string;
  /** `127.0.0.1:<port>` */
  readonly host: string;
  /** All requests, in the order in which they came, answered or not. */
  readonly messages: readonly ReceivedMessage[];
  /** Answers from now on; a `respond` that does nothing leaves the request open. */
  answerBy(respond: (message: ReceivedMessage, response: ServerResponse) => void): void;
  stop(): Promise<void>;
}

export async function startWebhookReceiver(port = 0): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = [];
  let respond = (_message: ReceivedMessage, response: ServerResponse): void => {
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const event = JSON.parse(text) as Json;
      const id = String(request.headers['webhook-id']);
      const message = { id, headers: request.headers, text, event, subject: String(event['subject']) };
      messages.push(message);
      respond(message, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/hooks`,
    host,
    messages,
    answerBy: (next) => {
      respond = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What a receiver gets out of a message with the library of Standard Webhooks. Throws for a wrong signature. */
export function verifiedEvent(secret: string, { text, headers }: ReceivedMessage): Json {
  return new Webhook(secret).verify(text, headers as Record<string, string>) as Json;
}

/** The first time that each message came, by subject. */
export function firstArrivals(messages: readonly ReceivedMessage[]): Map<string, string[]> {
  const seen = new Set<string>();
  const bySubject = new Map<string, string[]>();
  for (const { id, subject } of messages) {
    if (seen.has(id)) continue;
    seen.add(id);
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), id]);
  }
  return bySubject;
}
