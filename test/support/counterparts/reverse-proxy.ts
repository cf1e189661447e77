import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** A plain reverse proxy on loopback, as an ingress is one. */
export interface Proxy {
  readonly url: string;
  /** Sets the servers behind it; they take turns as far as they are ready. */
  use(backends: readonly string[]): void;
  /** How many servers it sends requests to at present. */
  ready(): number;
  /** Requests it could not forward, with the reason. */
  readonly failures: readonly string[];
  /** Requests that one server answered with 503 and another one was asked then. */
  readonly passedOn: readonly string[];
  stop(): Promise<void>;
}

const CHECK_EVERY = 100;

/**
 * Asks `/readyz` of each server ten times a second and sends requests in turn to those that answer 200. It keeps
 * connections alive and tries a request again elsewhere only while no byte of it can have arrived.
 * @param apiKey sent with every request that has none
 * @param passesOn whether it asks the next server, too, when one answers 503 with `Retry-After`
 */
export async function startProxy({ passesOn = false, apiKey = '' } = {}): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true });
  const failures: string[] = [];
  const passedOn: string[] = [];
  let backends: readonly string[] = [];
  const answering = new Set<string>();
  const watches = new Map<string, Promise<void>>();
  let turn = 0;

  // Each on its own: one that is slow to answer must not delay the check of another.
  async function watch(backend: string): Promise<void> {
    while (backends.includes(backend)) {
      if (await isReady(backend)) answering.add(backend);
      else answering.delete(backend);
      await pause(CHECK_EVERY);
    }
    watches.delete(backend);
  }
  const readyOnes = (): readonly string[] => backends.filter((backend) => answering.has(backend));
  const inTurn = (): readonly string[] => {
    const ready = readyOnes();
    const first = turn++ % Math.max(1, ready.length);
    return [...ready.slice(first), ...ready.slice(0, first)];
  };

  const server = createServer((incoming, outgoing) => {
    buffer(incoming).then(
      (body) => {
        forward(incoming, body, outgoing, inTurn());
      },
      () => outgoing.destroy(),
    );
  });

  /** @param servers to be asked, one after the other */
  function forward(
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    [backend, ...others]: readonly string[],
  ): void {
    if (backend === undefined) {
      failures.push(`no server is ready for ${String(incoming.method)} ${String(incoming.url)}`);
      outgoing.writeHead(502).end();
      return;
    }
    const { hostname, port } = new URL(backend);
    const key = apiKey !== '' && { 'x-api-key': apiKey };
    const headers = { ...key, ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress };
    const onward = request(
      { agent, hostname, port, headers, method: incoming.method, path: incoming.url },
      (answer) => {
        if (passesOn && others.length > 0 && answer.statusCode === 503 && 'retry-after' in answer.headers) {
          passedOn.push(`${String(incoming.method)} ${String(incoming.url)}`);
          answer.resume();
          forward(incoming, body, outgoing, others);
          return;
        }
        const { connection: _ofThisHop, 'keep-alive': _too, ...kept } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, kept);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') {
        answering.delete(backend);
        forward(incoming, body, outgoing, others);
        return;
      }
      failures.push(`${String(incoming.method)} ${String(incoming.url)}: ${error.message}`);
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end();
    });
    onward.end(body);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(urls) {
      backends = urls;
      for (const url of urls) if (!watches.has(url)) watches.set(url, watch(url));
    },
    ready: () => readyOnes().length,
    failures,
    passedOn,
    async stop() {
      backends = [];
      await Promise.all(watches.values());
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) });
    await answer.text();
    return answer.status === 200;
  } catch {
    return false;
  }
}
