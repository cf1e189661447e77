import { AsyncResource } from 'node:async_hooks';
import type { SecureContextOptions } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { assertPublicHost, guardConnector, publicLookup } from './address-guard';
import { readBody } from './answer-body';
import { NegativeCache } from './negative-cache';
import { OutboundError } from './outbound-error';
import { effectivePort, PrivateHosts } from './private-hosts';
import { type OutboundPurpose, outboundPurposes, slotLimits } from './purposes';
import { type Sent, Slots } from './slots';

export type OutboundOptions = {
  /** `host` or `host:port` that may be private and may speak http: development and tests, and servers that the settings name. */
  readonly allowPrivateHosts?: readonly string[];
  /** PEM texts for connections to these hosts, asked for at each: whom to trust instead of what the system does, and who we are. */
  readonly tls?: () => Promise<Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>>;
  /** From the start of a request to the last byte read, redirects and waiting included. Default 5000. */
  readonly totalTimeoutMs?: number;
  /** Parallel requests of one purpose to one host; further ones wait. Default 4. */
  readonly perHostConcurrency?: number;
  /** How long a failure is remembered for the same URL. Default 2000; 0 turns it off. */
  readonly negativeCacheMs?: number;
  /** Milliseconds that the work under way has left; `Infinity` when no caller waits for it. */
  readonly remainingMs?: () => number;
  /** Who has the present work done: requesters share the slots of a purpose. All are one when absent. */
  readonly requester?: () => string;
  /** Called for each request that was dropped for lack of a slot. */
  readonly onBusy?: (purpose: OutboundPurpose) => void;
};

export type OutboundRequest = {
  /** What the answer is for: it decides with whom the request shares its slots. */
  readonly purpose: OutboundPurpose;
  /** Media types (without parameters) that the answer may have; `*` as type and subtype accepts any and none. */
  readonly accept: readonly string[];
  /** Largest body, after decompression as before. Default 1 MiB. */
  readonly maxBytes?: number;
  /** Default 2. */
  readonly maxRedirects?: number;
};

export type OutboundPost = {
  /** On whose behalf: requesters share no slots, not even those of one host. */
  readonly requester: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From the start to the headers of the answer. */
  readonly timeoutMs: number;
  /** Ends the request before. */
  readonly signal?: AbortSignal;
};

export type OutboundExchange = {
  readonly purpose: OutboundPurpose;
  /** On whose behalf: requesters have a share each of the slots of the purpose. */
  readonly requester: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the start to the end of the answer. */
  readonly timeoutMs: number;
  /** Largest body of the answer. Default 1 MiB. */
  readonly maxBytes?: number;
};

export type OutboundAnswer = {
  readonly status: number;
  /** The header; absent when there is none, or more than one. */
  readonly retryAfter?: string;
};

export type OutboundResponse = {
  readonly status: number;
  /** Media type in lower case, without parameters; empty when the answer has none. */
  readonly contentType: string;
  readonly body: Buffer;
  /** The URL that answered, after redirects. */
  readonly url: string;
  /** Of `exchange` alone: by names in lower case, without those that were sent twice. */
  readonly headers?: Readonly<Record<string, string>>;
};

const MIB = 1024 * 1024;
/** Longer ones are never needed, and they are kept as keys. */
const LONGEST_URL = 4_096;
const CONNECT_TIMEOUT_MS = 3_000;
/** Connections outlive the request that opens them, and would keep its context. */
const apart = new AsyncResource('OutboundConnection');
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The only way out of the service to a URL from outside. https to public addresses only, checked at the
 * moment of connecting; bounded in time, size, redirects and parallel requests; no cookies, no credentials, no proxy
 * from the environment.
 */
export class OutboundClient {
  private readonly agent: Agent;
  private readonly privateHosts: PrivateHosts;
  private readonly failures: NegativeCache;
  private readonly totalTimeoutMs: number;
  private readonly remainingMs: () => number;
  private readonly requester: () => string;
  private readonly slots: ReadonlyMap<OutboundPurpose, Slots<OutboundResponse>>;
  private readonly posts = new Slots<OutboundAnswer>(slotLimits.webhooks, slotLimits.webhooks.perRequester);

  constructor(private readonly options: OutboundOptions = {}) {
    this.privateHosts = new PrivateHosts(options.allowPrivateHosts ?? []);
    this.failures = new NegativeCache(options.negativeCacheMs ?? 2_000);
    this.totalTimeoutMs = options.totalTimeoutMs ?? 5_000;
    this.remainingMs = options.remainingMs ?? (() => Infinity);
    this.requester = options.requester ?? (() => '');
    const perHost = options.perHostConcurrency ?? 4;
    this.slots = new Map(
      outboundPurposes.map((purpose) => {
        const limits = slotLimits[purpose];
        return [purpose, new Slots<OutboundResponse>(limits, limits.perHost ?? perHost)];
      }),
    );
    // A separate Agent also ignores the proxy variables of the environment.
    this.agent = new Agent({ connect: this.connector(), connections: null, pipelining: 1 });
  }

  /** Fetches a document. Only a 2xx answer of an expected media type is returned. Throws `OutboundError`. */
  async get(url: string, request: OutboundRequest): Promise<OutboundResponse> {
    const start = parseUrl(url);
    const key = `${start.href} ${request.accept.join()}`;
    const known = this.failures.get(key);
    if (known !== undefined) throw known;
    const left = this.timeLeft();
    if (left <= 0) throw new OutboundError('timeout', 'the request has no time left');
    const claim = {
      requester: this.requester(),
      host: start.host,
      document: key,
      send: (signal: AbortSignal) => this.fetch(start, request, signal, key),
    };
    return this.counted(request.purpose, this.slotsOf(request.purpose).request(claim, left));
  }

  /**
   * Sends a webhook. Every answer is returned, whatever its status; redirects are not followed and answers not read.
   * Throws `OutboundError`.
   */
  async post(target: string, request: OutboundPost): Promise<OutboundAnswer> {
    const url = parseUrl(target);
    const { requester, timeoutMs } = request;
    const send = (): Sent<OutboundAnswer> => ({ answer: this.submit(url, request), hasFullTime: true });
    const claim = { requester, host: requester, document: '', send };
    return this.counted('webhooks', this.posts.request(claim, timeoutMs));
  }

  /**
   * Sends a request to a server that is known by the settings. Every answer is returned, whatever its status and media type;
   * redirects are not followed. Throws `OutboundError`.
   */
  async exchange(target: string, request: OutboundExchange): Promise<OutboundResponse> {
    const url = parseUrl(target);
    const { purpose, requester, timeoutMs } = request;
    const send = (): Sent<OutboundResponse> => ({ answer: this.answerOf(url, request), hasFullTime: true });
    const claim = { requester, host: url.host, document: '', send };
    return this.counted(purpose, this.slotsOf(purpose).request(claim, timeoutMs));
  }

  /** Checks an address of others before it is used. Throws `OutboundError` unless it is one that `post` and `get` may reach. */
  async assertReachable(target: string): Promise<void> {
    const url = parseUrl(target);
    this.privateHosts.assertAllowed(url);
    if (!this.privateHosts.includes(url.hostname, effectivePort(url))) await assertPublicHost(url.hostname);
  }

  private slotsOf(purpose: OutboundPurpose): Slots<OutboundResponse> {
    const slots = this.slots.get(purpose);
    if (!slots) throw new Error(`There are no slots for ${purpose}.`);
    return slots;
  }

  private async counted<Answer>(purpose: OutboundPurpose, answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof OutboundError && error.reason === 'busy') this.options.onBusy?.(purpose);
      throw error;
    }
  }

  private async submit(url: URL, { headers, body, timeoutMs, signal }: OutboundPost): Promise<OutboundAnswer> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      this.privateHosts.assertAllowed(url);
      const answer = await send(url, {
        method: 'POST',
        dispatcher: this.agent,
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
        headers,
        body,
      });
      const retryAfter = header(answer, 'retry-after');
      // Short answers are read, so that the connection can be used again.
      answer.body.dump({ limit: 16_384, signal: timeout }).catch(() => undefined);
      return { status: answer.statusCode, ...(retryAfter !== '' && { retryAfter }) };
    } catch (error) {
      throw describe(error, timeout);
    }
  }

  private async answerOf(url: URL, request: OutboundExchange): Promise<OutboundResponse> {
    const { method, headers, body, timeoutMs, maxBytes = MIB } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      this.privateHosts.assertAllowed(url);
      const options = { method, dispatcher: this.agent, signal: timeout, ...(body !== undefined && { body }) };
      const answer = await send(url, { ...options, headers: { ...headers, 'accept-encoding': 'gzip, identity' } });
      const read = await readBody(answer.body, header(answer, 'content-encoding'), maxBytes);
      const { statusCode: status } = answer;
      return { status, contentType: contentTypeOf(answer), body: read, url: url.href, headers: headersOf(answer) };
    } catch (error) {
      throw describe(error, timeout);
    }
  }

  private fetch(start: URL, request: OutboundRequest, gaveWay: AbortSignal, key: string): Sent<OutboundResponse> {
    const remaining = this.timeLeft();
    const hasFullTime = remaining >= this.totalTimeoutMs;
    const timeout = AbortSignal.timeout(Math.max(1, Math.min(this.totalTimeoutMs, remaining)));
    const answer = this.follow(start, request, AbortSignal.any([timeout, gaveWay])).catch((error: unknown) => {
      if (gaveWay.aborted) throw gaveWay.reason;
      const failure = describe(error, timeout);
      // A server that had less time than usual has not failed.
      if (hasFullTime || !timeout.aborted) this.failures.remember(key, failure);
      throw failure;
    });
    return { answer, hasFullTime };
  }

  /** Closes the connections after the requests under way. */
  async close(): Promise<void> {
    await this.agent.close();
  }

  private timeLeft(): number {
    return Math.ceil(this.remainingMs());
  }

  private async follow(start: URL, request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse> {
    let url = start;
    for (let redirects = 0; redirects <= (request.maxRedirects ?? 2); redirects++) {
      this.privateHosts.assertAllowed(url);
      const answer = await send(url, {
        dispatcher: this.agent,
        signal,
        headers: { accept: request.accept.join(', '), 'accept-encoding': 'gzip, identity' },
      });
      const location = REDIRECTS.has(answer.statusCode) ? header(answer, 'location') : '';
      if (location === '') return await readAnswer(url, answer, request);
      discard(answer);
      url = parseUrl(location, url);
    }
    throw new OutboundError('too-many-redirects', 'the server redirects too often');
  }

  private connector(): buildConnector.connector {
    const guarded = guardConnector(buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: publicLookup() }));
    const unguarded = this.unguardedConnector();
    return (options, callback) => {
      // Without brackets here.
      const hostname = options.hostname.includes(':') ? `[${options.hostname}]` : options.hostname;
      const isPrivate = this.privateHosts.includes(hostname, effectivePort(options));
      apart.runInAsyncScope(isPrivate ? unguarded : guarded, undefined, options, callback);
    };
  }

  private unguardedConnector(): buildConnector.connector {
    const { tls } = this.options;
    if (!tls) return buildConnector({ timeout: CONNECT_TIMEOUT_MS });
    return (options, callback) => {
      tls()
        .then((texts) => {
          buildConnector({ timeout: CONNECT_TIMEOUT_MS, ...texts })(options, callback);
        })
        .catch((error: unknown) => {
          callback(error instanceof Error ? error : new Error('The TLS settings cannot be had.'), null);
        });
    };
  }
}

async function readAnswer(
  url: URL,
  answer: Dispatcher.ResponseData,
  { accept, maxBytes = MIB }: OutboundRequest,
): Promise<OutboundResponse> {
  const status = answer.statusCode;
  const contentType = contentTypeOf(answer);
  if (status < 200 || status > 299) {
    discard(answer);
    throw new OutboundError('unexpected-status', `the server answered with status ${status}`);
  }
  if (!accept.includes('*/*') && !accept.includes(contentType)) {
    discard(answer);
    throw new OutboundError('unexpected-content-type', 'the answer does not have an expected content type');
  }
  const body = await readBody(answer.body, header(answer, 'content-encoding'), maxBytes);
  return { status, contentType, body, url: url.href };
}

function contentTypeOf(answer: Dispatcher.ResponseData): string {
  return (header(answer, 'content-type').split(';')[0] ?? '').trim().toLowerCase();
}

function headersOf({ headers }: Dispatcher.ResponseData): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((each): each is [string, string] => typeof each[1] === 'string'),
  );
}

function header({ headers }: Dispatcher.ResponseData, name: string): string {
  const value = headers[name];
  // A header sent twice has no one meaning.
  return typeof value === 'string' ? value : '';
}

/** Ends an unread answer, together with its connection. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy();
}

function parseUrl(text: string, base?: URL): URL {
  try {
    if (text.length <= LONGEST_URL) return new URL(text, base);
  } catch {
    // Below it is said what it is not.
  }
  throw new OutboundError('invalid-url', 'the URL is not valid');
}

function describe(error: unknown, signal: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error;
  if (signal.aborted) return new OutboundError('timeout', 'the server did not answer in time', { cause: error });
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new OutboundError('timeout', 'the server could not be reached in time', { cause: error });
  }
  if (typeof code === 'string' && code.startsWith('Z_')) {
    return new OutboundError('malformed-body', 'the answer is not valid gzip', { cause: error });
  }
  return new OutboundError('connection-failed', 'the connection to the server failed', { cause: error });
}
