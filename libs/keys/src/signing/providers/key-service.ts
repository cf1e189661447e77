import { urlOf } from '@app/primitives/url';
import { type createPublicKey, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isLoopback } from '@app/config';
import { OutboundClient, OutboundError, type OutboundResponse } from '@app/outbound';
import { isJsonObject, type JsonObject, parseStrictJsonObject } from '@app/primitives/json';
import { publicHalf } from './der';
import { Lanes } from './lanes';
import { type ProviderCalls, type ProviderKey, SignerError, type SignerFault } from './provider';
import { type Secret, SecretFileError } from './secret-file';

/** PEM texts, read again for each connection. */
export interface ServiceTls {
  /** Certificates of the authorities that the service's own may come from; those the system trusts when absent. */
  readonly authorities?: Secret;
  /** Who we are: the chain of our certificate and its key. */
  readonly client?: { readonly chain: Secret; readonly key: Secret };
}

export interface ServiceOptions {
  /** As the settings name the provider. */
  readonly name: string;
  /** https; http for a loopback address only. It may end with a path. */
  readonly url: string;
  /** Calls under way at once. Default 16; at most 256. */
  readonly concurrency?: number;
  readonly tls?: ServiceTls;
}

export interface SentRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** Those that the call has by itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How one kind of service is spoken to. */
export interface ServiceDialect {
  /** All headers of a request, with those that authenticate it. */
  headers(request: SentRequest): Promise<Readonly<Record<string, string>>>;
  /** What a refusal says in its body, where its status is not enough. */
  refusal(answer: JsonObject, status: number): { readonly fault?: SignerFault | undefined; readonly code?: unknown };
}

export interface Call {
  readonly method: 'GET' | 'POST';
  /** Behind the address of the service; encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The key that it signs with: keys share the limit. Absent for what an operator waits for. */
  readonly key?: string;
  /** Milliseconds. Default 10 s. */
  readonly patience?: number;
  /** It makes a key: sent again after a cut connection, it might make two. */
  readonly isOnce?: boolean;
}

const usualPatience = 10_000;
const longestPatience = 60_000;
const freshPause = 250;
const signatureBytes = 64;

/** A service that holds keys and is reached over HTTP: its address, its limits, and what its answers mean. All reject with `SignerError`. */
export class KeyService {
  readonly name: string;
  private readonly base: string;
  private readonly lanes: Lanes;
  private readonly client: OutboundClient;

  constructor(
    { name, url, concurrency = 16, tls }: ServiceOptions,
    private readonly dialect: ServiceDialect,
  ) {
    const { protocol, host, hostname, port, href } = addressOf(name, url);
    this.name = name;
    this.base = href.replace(/\/+$/, '');
    this.lanes = new Lanes(name, concurrency);
    const usualPort = protocol === 'http:' ? '80' : '443';
    this.client = new OutboundClient({
      // Who runs the service has named it, most often by a private address.
      allowPrivateHosts: [port === '' ? `${hostname}:${usualPort}` : host],
      ...(tls && { tls: () => textsOf(tls) }),
    });
  }

  /** The body of an answer of success; without members when it is empty. */
  async call(call: Call): Promise<JsonObject> {
    const patience = Math.min(call.patience ?? usualPatience, longestPatience);
    const until = performance.now() + patience;
    return this.lanes.run(call.key ?? '', patience, () => this.exchange(call, until));
  }

  /** One about an input, with others that wait for the key. Resolves to its own one of the parts, which are in the order of the inputs. */
  callTogether(
    { input, key, patience }: { readonly input: string; readonly key: string; readonly patience: number },
    callOf: (inputs: readonly string[]) => Call,
    partsOf: (answer: JsonObject) => unknown,
  ): Promise<unknown> {
    const own = { input, until: performance.now() + patience };
    return this.lanes.runTogether(key, patience, own, async (all) => {
      // Whoever has less time is told by the lanes.
      const until = Math.max(...all.map((each) => each.until));
      const parts = partsOf(await this.exchange(callOf(all.map((each) => each.input)), until));
      if (Array.isArray(parts) && parts.length === all.length) return parts as readonly unknown[];
      throw this.fault('garbage', 'not as many as asked for');
    });
  }

  /** Of a key that was made a moment ago, which some services do not know at once. */
  async ofFreshKey<Result>(read: () => Promise<Result>): Promise<Result> {
    const until = performance.now() + usualPatience;
    for (;;) {
      try {
        return await read();
      } catch (error) {
        const isEarly = error instanceof SignerError && (error.fault === 'missing' || error.code === pendingCode);
        if (!isEarly || performance.now() > until) throw error;
      }
      await delay(freshPause);
    }
  }

  /** A name for a new key: services make a new version of a key, or none, under a name that they have. */
  newName(label: string): string {
    const words = label.toLowerCase().match(/[a-z0-9]+/g) ?? ['key'];
    return `${words.join('-').slice(0, 40)}-${randomBytes(6).toString('hex')}`;
  }

  keyOf(reference: string, key: Parameters<typeof createPublicKey>[0]): ProviderKey {
    const half = publicHalf(key);
    if (!half) throw this.fault('garbage', 'neither a P-256 nor an Ed25519 key');
    return { ...half, reference };
  }

  /** @param raw absent when the answer has none */
  signatureOf(raw: Buffer | undefined): Buffer {
    if (raw?.length !== signatureBytes) throw this.fault('garbage', 'not 64 bytes');
    return raw;
  }

  fault(fault: SignerFault, code?: string): SignerError {
    return new SignerError(this.name, fault, undefined, code);
  }

  get calls(): ProviderCalls {
    return this.lanes.calls;
  }

  async close(): Promise<void> {
    this.lanes.close();
    await this.client.close();
  }

  private async exchange(call: Call, until: number): Promise<JsonObject> {
    const answer = await this.send(call, until).catch((error: unknown) => {
      if (call.isOnce || !isCut(error)) throw this.errorOf(error);
      return this.send(call, until).catch((again: unknown) => {
        throw this.errorOf(again);
      });
    });
    return this.contentOf(answer);
  }

  private async send(call: Call, until: number): Promise<OutboundResponse> {
    const { method } = call;
    const url = new URL(this.base + call.path);
    const body = call.body === undefined ? '' : JSON.stringify(call.body);
    const json = call.body === undefined ? {} : { 'content-type': 'application/json' };
    const request = { method, url, body, headers: { ...json, ...call.headers } };
    const headers = await this.dialect.headers(request).catch((error: unknown) => {
      throw this.fault('denied', error instanceof SecretFileError ? error.message : 'a secret cannot be had');
    });
    // Said here, as nothing that is said later would be about a secret.
    if (Object.values(headers).some((value) => !/^[\x20-\x7e]*$/.test(value)))
      throw this.fault('denied', 'a secret is more than one line of ASCII');
    const timeoutMs = Math.ceil(until - performance.now());
    if (timeoutMs <= 0) throw this.fault('timeout');
    return this.client.exchange(url.href, {
      purpose: 'signer',
      requester: this.name,
      method,
      headers,
      timeoutMs,
      ...(call.body !== undefined && { body }),
    });
  }

  private errorOf(error: unknown): unknown {
    if (!(error instanceof OutboundError)) return error;
    const { cause, reason } = error;
    if (cause instanceof SecretFileError) return this.fault('denied', cause.message);
    // Of the socket, such as ECONNREFUSED.
    const code = isCoded(cause) ? cause.code : reason;
    return this.fault(faults[reason] ?? 'unreachable', word(code));
  }

  private contentOf({ status, headers, body }: OutboundResponse): JsonObject {
    if (status >= 200 && status < 300) {
      if (body.length === 0) return {};
      const answer = jsonOf(body);
      if (!answer) throw this.fault('garbage', 'not a JSON object');
      return answer;
    }
    const said = this.dialect.refusal(jsonOf(body) ?? {}, status);
    const retryAfter = secondsOf(headers?.['retry-after']);
    const fault = said.fault ?? faultOf(status, retryAfter);
    throw new SignerError(this.name, fault, retryAfter, word(said.code) ?? `HTTP ${status}`);
  }
}

/** Of Google, whose keys are made after the answer that they are. */
const pendingCode = 'FAILED_PRECONDITION';

const faults: Partial<Record<OutboundError['reason'], SignerFault>> = {
  timeout: 'timeout',
  busy: 'busy',
  'too-large': 'garbage',
  'malformed-body': 'garbage',
};

function faultOf(status: number, retryAfter: number | undefined): SignerFault {
  if (status === 429 || (status === 503 && retryAfter !== undefined)) return 'throttled';
  if (status === 404 || status === 410) return 'missing';
  return status >= 500 || status === 408 ? 'unreachable' : 'denied';
}

/** Bytes in the one way that base64 (or base64url) has to write them; `undefined` for anything else. */
export function decoded(text: unknown, encoding: 'base64' | 'base64url'): Buffer | undefined {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}

/** Of a member that has to be there: the empty text where it is missing. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function addressOf(name: string, text: string): URL {
  const fault = (what: string): Error => new Error(`The address of the signer "${name}" ${what}.`);
  const url = urlOf(text);
  if (url === undefined) throw fault('is no URL: give one such as https://signer.example.com');
  if (url.username !== '' || url.password !== '') throw fault('has a user name or password: give secrets in files');
  if (url.search !== '' || url.hash !== '') throw fault('has a query or fragment: leave it out');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(text)))
    throw fault('is not an https URL; http is for loopback addresses only');
  return url;
}

async function textsOf({ authorities, client }: ServiceTls): Promise<{ ca?: string; cert?: string; key?: string }> {
  return {
    ...(authorities && { ca: await authorities() }),
    ...(client && { cert: await client.chain(), key: await client.key() }),
  };
}

function isCut(error: unknown): boolean {
  return error instanceof OutboundError && error.reason === 'connection-failed';
}

function isCoded(error: unknown): error is { readonly code: unknown } {
  return typeof error === 'object' && error !== null && 'code' in error;
}

/** What others may put into our messages. */
function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z_-]{1,60}$/.test(value) ? value : undefined;
}

function jsonOf(body: Buffer): JsonObject | undefined {
  try {
    return parseStrictJsonObject(body);
  } catch {
    return undefined;
  }
}

/** Of `Retry-After`, which has seconds or a date (RFC 9110 §10.2.3). */
function secondsOf(text = ''): number | undefined {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
