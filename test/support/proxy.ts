import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A plain reverse proxy on loopback, as an ingress is one. */
export interface Proxy {
  readonly url: string;
  /** Sets the servers behind it; they take turns as far as they are ready. */
  use(backends: readonly string[]): void;
  /** How many servers it sends requests to at present. */
  ready(): number;
  /** Requests it could not hand on, with the reason. */
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
  let ready: readonly string[] = [];
  let turn = 0;

  const check = async (): Promise<void> => {
    const asked = backends;
    const answers = await Promise.all(asked.map(isReady));
    if (asked === backends) ready = asked.filter((_, index) => answers[index]);
  };
  let checking = Promise.resolve();
  const timer = setInterval(() => {
    checking = checking.then(check);
  }, CHECK_EVERY);

  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing, ready.length);
  });

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, attempts: number): void {
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
        ready = ready.filter((other) => other !== backend);
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
    },
    ready: () => ready.length,
    failures,
    async stop() {
      clearInterval(timer);
      await checking;
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) });
    await answer.text();
    return answer.status === 200;
  } catch {
    return false;
  }
}
