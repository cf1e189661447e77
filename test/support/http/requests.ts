import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { agent } from 'supertest';

export type Json = Record<string, unknown>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body when it is a JSON object, else an empty object. */
  readonly json: Json;
}

export interface Sent {
  /** GET when absent. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | null;
}

const patience = 20_000;

/** Sends a request as it is described and follows no redirect. */
export function send(url: string, sent: Sent = {}): Promise<Reply> {
  // A public address exists only behind the proxy that stands in for `fetch`: see public-address.ts.
  return url.startsWith('https:') ? sendByFetch(url, sent) : sendBySupertest(url, sent);
}

async function sendBySupertest(url: string, { method = 'GET', headers = {}, body }: Sent): Promise<Reply> {
  const { origin } = new URL(url);
  const request = agent(origin)
    [verbOf(method)](url.slice(origin.length))
    .timeout(patience)
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      const received = (): void => {
        done(null, Buffer.concat(chunks));
      };
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', received);
      // It has no end: its beginning is the answer.
      if (response.headers['content-type'] === 'text/event-stream') {
        response.once('data', () => {
          received();
          // Its end is an error of the response for those who listen for one, and nobody waits for that any more.
          const stream = response as unknown as IncomingMessage;
          stream.removeAllListeners('error').removeAllListeners('aborted').destroy();
        });
      }
    });
  // A text of no declared type is one of a form to supertest, and one of plain text to a browser.
  if (typeof body === 'string') void request.set('content-type', 'text/plain;charset=UTF-8');
  void request.set(headers);
  // Bytes go out as they are, whatever their type says.
  if (body != null) void request.serialize((bytes: string) => bytes).send(body);
  const answer = await request;
  const text = Buffer.isBuffer(answer.body) ? answer.body.toString('utf8') : '';
  return { status: answer.status, headers: headersOf(answer.headers), text, json: objectIn(text) };
}

const verbs = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'propfind'] as const;

function verbOf(method: string): (typeof verbs)[number] {
  const verb = verbs.find((one) => one === method.toLowerCase());
  if (!verb) throw new Error(`No request is sent with the method ${method}.`);
  return verb;
}

function headersOf(received: Readonly<Record<string, string | readonly string[]>>): Headers {
  return new Headers(
    Object.entries(received).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value] as [string, string]),
    ),
  );
}

async function sendByFetch(url: string, { body = null, ...sent }: Sent): Promise<Reply> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(patience), ...sent, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: objectIn(text) };
}

export function get(url: string, headers: Record<string, string> = {}): Promise<Reply> {
  return send(url, { headers });
}

/** @param body an object is sent as JSON, a string or bytes as they are */
export function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: isRaw ? Buffer.from(body) : JSON.stringify(body),
  });
}

/** @param parameters name and value, one may come twice; a string is sent as it is */
export function postForm(
  url: string,
  parameters: [string, string][] | string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const body = typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return send(url, { method: 'POST', headers: { ...type, ...headers }, body });
}

/** The body of an answer that must have the status; the answer itself is in the message when it has another one. */
export function answered(status: number, reply: Reply): Json {
  if (reply.status !== status) throw new Error(`answered ${reply.status} instead of ${status}: ${reply.text}`);
  return reply.json;
}

/**
 * Sends bytes that no HTTP client would send and answers everything that comes back until the server closes the
 * connection, which it must do within 20 seconds.
 */
export function sendBytes(url: string, ...parts: readonly (string | Uint8Array)[]): Promise<string> {
  return exchangeBytes(url, 20_000, parts);
}

/** The same for a server that may keep the connection open. @param silence milliseconds without a byte that end it */
export function exchangeBytes(url: string, silence: number, parts: readonly (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname);
    const done = (): void => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(silence, done);
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('close', done);
    socket.on('error', done);
    for (const part of parts) socket.write(part);
  });
}

function objectIn(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
  } catch {
    return {};
  }
}
