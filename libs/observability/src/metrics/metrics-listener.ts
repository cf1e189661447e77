import { portError } from '@app/config';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';

/** Metrics are for the operator: they have a port of their own, which serves nothing else. */
export class MetricsListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  /** @param configuredPort absent: no listener is opened */
  constructor(
    private readonly registry: Registry,
    private readonly configuredPort: number | undefined,
  ) {}

  /** Undefined while the listener is closed. */
  get port(): number | undefined {
    const address = this.server?.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.configuredPort === undefined) return;
    const server = createServer((request, response) => void this.answer(request, response));
    server.requestTimeout = 10_000;
    server.headersTimeout = 5_000;
    await listening(server, this.configuredPort);
    this.server = server;
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
    this.server = undefined;
  }

  private async answer({ url, method }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url?.split('?', 1)[0] !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await this.registry.metrics();
      response.writeHead(200, { 'Content-Type': this.registry.contentType, 'Cache-Control': 'no-store' }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  }
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(portError('SERVICE__METRICS__PORT', port, error));
    });
    server.listen(port, resolve);
  });
}
