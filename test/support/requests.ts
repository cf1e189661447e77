import { connect } from 'node:net';

export type Json = Record<string, unknown>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body when it is a JSON object, else an empty object. */
  readonly json: Json;
}

export async function send(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(20_000), ...init });
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
