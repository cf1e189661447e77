import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Page {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** Milliseconds until it answers. */
  readonly delay?: number;
}

/** A web site of an issuer on loopback: test pages by path, and what was asked for. */
export interface IssuerSite {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  readonly url: string;
  readonly pages: Map<string, Page>;
  readonly asked: string[];
  /** TCP connections, also those that never became a request. */
  connections(): number;
  stop(): Promise<void>;
}

export async function startIssuerSite(): Promise<IssuerSite> {
  const pages = new Map<string, Page>();
  const asked: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const page = pages.get(request.url ?? '') ?? { status: 404 };
    setTimeout(() => {
      response.writeHead(page.status ?? 200, { 'content-type': page.type ?? 'application/json', ...page.headers });
      response.end(page.body ?? '');
    }, page.delay ?? 0);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    pages,
    asked,
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
