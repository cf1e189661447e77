import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  stop(): Promise<void>;
}

const CHECK_EVERY = 100;

/**
 * Asks `/readyz` of each server ten times a second and sends requests in turn to those that answer 200. It keeps
 * connections alive and tries a request again elsewhere only while no byte of it can have arrived.
 */
export async function startProxy(): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true });
  const failures: string[] = [];
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

  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing, readyOnes().length);
  });

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, attempts: number): void {
    const ready = readyOnes();
    const backend = ready[turn++ % Math.max(1, ready.length)];
    if (backend === undefined || attempts === 0) {
      failures.push(`no server is ready for ${String(incoming.method)} ${String(incoming.url)}`);
      outgoing.writeHead(502).end();
      return;
    }
    const { hostname, port } = new URL(backend);
    const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress };
    const onward = request(
      { agent, hostname, port, headers, method: incoming.method, path: incoming.url },
      (answer) => {
        const { connection: _ofThisHop, 'keep-alive': _too, ...kept } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, kept);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') {
        answering.delete(backend);
        incoming.unpipe(onward);
        forward(incoming, outgoing, attempts - 1);
        return;
      }
      failures.push(`${String(incoming.method)} ${String(incoming.url)}: ${error.message}`);
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end();
    });
    incoming.pipe(onward);
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
