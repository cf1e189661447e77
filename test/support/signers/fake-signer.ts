import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SigningAlgorithm } from '@app/keys';
import type { Json } from '../http/requests';
import { type FakeKey, fakeKey, type FakeKeys } from './fake-keys';

export interface FakeRequest {
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Json;
}

export interface FakeAnswer {
  readonly status: number;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type FakeRefusal = 'denied' | 'missing' | 'throttled';

/** What can go wrong at a service, until it is set back. */
export interface Knobs {
  /** Milliseconds before an answer. */
  latency: number;
  /** The status and `Retry-After` with which all is refused. */
  throttle: { readonly status?: number; readonly retryAfter?: string } | undefined;
  deny: boolean;
  /** So many requests are cut off instead of answered. */
  die: number;
  /** What has this in its path or body gets no answer. */
  hang: string | undefined;
  /** Signatures of 63 bytes, or of another key; a body that is no JSON. */
  garbage: 'short' | 'other-key' | 'no-json' | undefined;
  /** Signs by the latest version, whatever was asked for. */
  ignoreVersion: boolean;
  /** The one input that is not signed, where others are in the same call. */
  refused: string | undefined;
  /** What has been sent arrives altered: for those that compare checksums. */
  alter: boolean;
}

/** A kind of service. Each checks who asks, and how. */
export interface FakeDialect {
  isAllowed(request: FakeRequest): boolean;
  refusal(kind: FakeRefusal, status?: number): FakeAnswer;
  /** `undefined` when there is no such key or address. */
  answer(request: FakeRequest, service: FakeService): FakeAnswer | undefined;
}

export interface FakeService {
  readonly keys: FakeKeys;
  readonly knobs: Knobs;
  /** A key that the operator makes. @returns what `find` takes */
  add(name: string, algorithm: SigningAlgorithm): FakeKey;
  /** The version, or the latest one when the knob says so. */
  version(name: string, version?: number): { readonly key: FakeKey; readonly version: number } | undefined;
  /** By the version, as far as the knobs let it. */
  sign(key: FakeKey, input: Buffer): Buffer;
}

export interface FakeSigner extends FakeService {
  readonly url: string;
  /** All that were understood, answered or not. */
  readonly requests: FakeRequest[];
  rotateBehindBack(name: string): FakeKey;
  /** Sets the knobs back and forgets the requests. */
  reset(): void;
  stop(): Promise<void>;
}

const usual: Knobs = {
  latency: 0,
  throttle: undefined,
  deny: false,
  die: 0,
  hang: undefined,
  garbage: undefined,
  ignoreVersion: false,
  refused: undefined,
  alter: false,
};

/** @param tls serves https by it */
export async function startFakeSigner(dialect: FakeDialect, tls?: ServerOptions): Promise<FakeSigner> {
  const keys: FakeKeys = new Map();
  const knobs = { ...usual };
  const requests: FakeRequest[] = [];
  const others = { ES256: fakeKey('ES256'), EdDSA: fakeKey('EdDSA') };
  const service: FakeService = {
    keys,
    knobs,
    add: (name, algorithm) => {
      const key = fakeKey(algorithm);
      keys.set(name, [key]);
      return key;
    },
    version: (name, asked) => {
      const versions = keys.get(name) ?? [];
      const version = knobs.ignoreVersion ? versions.length : (asked ?? versions.length);
      const key = versions[version - 1];
      return key && { key, version };
    },
    sign: (key, input) => {
      if (knobs.garbage === 'other-key') return others[key.algorithm].sign(input);
      const signature = key.sign(input);
      return knobs.garbage === 'short' ? signature.subarray(1) : signature;
    },
  };
  const answerTo = (request: FakeRequest): FakeAnswer => {
    if (knobs.garbage === 'no-json') return { status: 200, body: '<html>' };
    if (knobs.throttle) return dialect.refusal('throttled', knobs.throttle.status);
    if (knobs.deny || !dialect.isAllowed(request)) return dialect.refusal('denied');
    return dialect.answer(request, service) ?? dialect.refusal('missing');
  };
  const listener: RequestListener = (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { pathname, searchParams: query } = new URL(incoming.url ?? '', 'http://signer');
      const text = Buffer.concat(chunks).toString();
      const { method = '', headers } = incoming;
      const body = text === '' ? {} : (JSON.parse(text) as Json);
      const request = { method, path: decodeURIComponent(pathname), query, headers, text, body };
      requests.push(request);
      if (knobs.hang !== undefined && (request.path + text).includes(knobs.hang)) return;
      if (knobs.die > 0) {
        knobs.die--;
        incoming.socket.destroy();
        return;
      }
      const { status, body: content, headers: more } = answerTo(request);
      const wait = knobs.throttle?.retryAfter;
      setTimeout(() => {
        const always = { 'content-type': 'application/json', ...(wait !== undefined && { 'retry-after': wait }) };
        response.writeHead(status, { ...always, ...more });
        response.end(typeof content === 'object' ? JSON.stringify(content) : content);
      }, knobs.latency);
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...service,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    rotateBehindBack: (name) => {
      const [first] = keys.get(name) ?? [];
      const key = fakeKey(first?.algorithm ?? 'ES256');
      keys.get(name)?.push(key);
      return key;
    },
    reset: () => {
      Object.assign(knobs, usual);
      requests.length = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
