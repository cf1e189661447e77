import { Agent, request } from 'node:http';
import type { Json } from '../support/http/requests';

/** The outcome of a request: `status` 0 when the connection ended without an answer. */
export interface Heard {
  readonly status: number;
  readonly json: Json;
  /** Neither carried out nor surely not: it may be repeated as it is. */
  readonly isUnknown: boolean;
  /** Surely not carried out. */
  readonly isRefused: boolean;
}

export interface Asked {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object goes as JSON, parameters as a form. */
  readonly body?: Json | URLSearchParams;
}

/** Sends requests over keep-alive connections, and reports a broken connection as an answer of its own. */
export class FaultyClient {
  private readonly agent = new Agent({ keepAlive: true });

  send(url: string, { method, path, headers = {}, body }: Asked): Promise<Heard> {
    const type = body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : 'application/json';
    const text = body instanceof URLSearchParams ? body.toString() : JSON.stringify(body);
    return new Promise((resolve) => {
      const outgoing = request(
        url + path,
        {
          method,
          agent: this.agent,
          headers: { ...(body !== undefined && { 'Content-Type': type }), ...headers },
          timeout: 30_000,
        },
        (response) => {
          let received = '';
          response.on('data', (chunk) => (received += String(chunk)));
          response.on('end', () => {
            resolve(heard(response.statusCode ?? 0, received));
          });
          response.on('error', () => {
            resolve(heard(0, ''));
          });
        },
      );
      outgoing.on('timeout', () => outgoing.destroy());
      outgoing.on('error', () => {
        resolve(heard(0, ''));
      });
      outgoing.end(text);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

function heard(status: number, text: string): Heard {
  const json = status === 0 ? {} : objectIn(text);
  const saysUnknown = /outcome-unknown|not known whether/.test(text);
  const isUnknown = status === 0 || (status === 503 && saysUnknown);
  // 409: another request with this key, or for the same thing, was under way.
  return { status, json, isUnknown, isRefused: !isUnknown && (status === 503 || status === 409) };
}

function objectIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
