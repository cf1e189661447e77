import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { guardConnector, publicLookup } from './address-guard';
import { readBody } from './answer-body';
import { NegativeCache } from './negative-cache';
import { OutboundError } from './outbound-error';
import { effectivePort, PrivateHosts } from './private-hosts';

export type OutboundOptions = {
  /** `host` or `host:port` that may be private and may speak http: development and tests only. */
  readonly allowPrivateHosts?: readonly string[];
  /** From the start of a request to the last byte read, redirects and waiting included. Default 5000. */
  readonly totalTimeoutMs?: number;
  /** Parallel connections to one host; further requests wait. Default 4. */
  readonly perHostConcurrency?: number;
  /** Parallel requests altogether; a further one fails with `busy`. Default 64. */
  readonly maxConcurrency?: number;
  /** How long a failure is remembered for the same URL. Default 2000; 0 turns it off. */
  readonly negativeCacheMs?: number;
  /** Milliseconds that the work under way has left; `Infinity` when nobody waits for it. */
  readonly remainingMs?: () => number;
};

export type OutboundRequest = {
  /** Media types (without parameters) that the answer may have; `*` as type and subtype accepts any and none. */
  readonly accept: readonly string[];
  /** Largest body, after decompression as before. Default 1 MiB. */
  readonly maxBytes?: number;
  /** Default 2. */
  readonly maxRedirects?: number;
};

export type OutboundResponse = {
  readonly status: number;
  /** Media type in lower case, without parameters; empty when the answer has none. */
  readonly contentType: string;
  readonly body: Buffer;
  /** The URL that answered, after redirects. */
  readonly url: string;
};

const MIB = 1024 * 1024;
const CONNECT_TIMEOUT_MS = 3_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The only way out of the service to a URL that somebody else wrote. https to public addresses only, checked at the
 * moment of connecting; bounded in time, size, redirects and parallel requests; no cookies, no credentials, no proxy
 * from the environment.
 */
export class OutboundClient {
  private readonly agent: Agent;
  private readonly privateHosts: PrivateHosts;
  private readonly failures: NegativeCache;
  private readonly totalTimeoutMs: number;
  private readonly maxConcurrency: number;
  private readonly remainingMs: () => number;
  private running = 0;

  constructor(options: OutboundOptions = {}) {
    this.privateHosts = new PrivateHosts(options.allowPrivateHosts ?? []);
    this.failures = new NegativeCache(options.negativeCacheMs ?? 2_000);
    this.totalTimeoutMs = options.totalTimeoutMs ?? 5_000;
    this.maxConcurrency = options.maxConcurrency ?? 64;
    this.remainingMs = options.remainingMs ?? (() => Infinity);
    // An Agent of its own also ignores the proxy variables of the environment.
    this.agent = new Agent({ connect: this.connector(), connections: options.perHostConcurrency ?? 4, pipelining: 1 });
  }

  /** Fetches a document. Only a 2xx answer of an expected media type is returned. Throws `OutboundError`. */
  async get(url: string, request: OutboundRequest): Promise<OutboundResponse> {
    const key = `${url} ${request.accept.join()}`;
    const known = this.failures.get(key);
    if (known !== undefined) throw known;
    if (this.running >= this.maxConcurrency) throw new OutboundError('busy', 'too many requests are under way');
    const remaining = Math.ceil(this.remainingMs());
    if (remaining <= 0) throw new OutboundError('timeout', 'the request has no time left');
    this.running++;
    const signal = AbortSignal.timeout(Math.min(this.totalTimeoutMs, remaining));
    try {
      return await this.follow(parseUrl(url), request, signal);
    } catch (error) {
      const failure = describe(error, signal);
      // A server that had less time than usual has not failed.
      if (!(signal.aborted && remaining < this.totalTimeoutMs)) this.failures.remember(key, failure);
      throw failure;
    } finally {
      this.running--;
    }
  }

  /** Closes the connections after the requests under way. */
  async close(): Promise<void> {
    await this.agent.close();
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
    const unguarded = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
    return (options, callback) => {
      const isPrivate = this.privateHosts.includes(options.hostname, effectivePort(options));
      (isPrivate ? unguarded : guarded)(options, callback);
    };
  }
}

async function readAnswer(
  url: URL,
  answer: Dispatcher.ResponseData,
  { accept, maxBytes = MIB }: OutboundRequest,
): Promise<OutboundResponse> {
  const status = answer.statusCode;
  const contentType = (header(answer, 'content-type').split(';')[0] ?? '').trim().toLowerCase();
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

function header({ headers }: Dispatcher.ResponseData, name: string): string {
  const value = headers[name];
  // A header sent twice has no one meaning.
  return typeof value === 'string' ? value : '';
}

/** Ends an answer that nobody reads, together with its connection. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy();
}

function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new OutboundError('invalid-url', 'the URL is not valid');
  return new URL(text, base);
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
