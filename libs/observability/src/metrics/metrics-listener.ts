import { portError } from '@app/config';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  AggregatorRegistry,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';

/** A metric with its values. */
export type Counted = MetricObjectWithValues<MetricValue<string>>;

/** Answers by a status alone. Rejects when it cannot be found out. */
export type StatusAnswer = (query: URLSearchParams) => Promise<number>;

/** Metrics are for the operator: they have a port of their own, which no wallet reaches. */
export class MetricsListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;
  private readonly answers = new Map<string, StatusAnswer>();
  private readBeside: (() => Promise<readonly Counted[]>) | undefined;

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

  /** How to read what another thread has counted, see `countedIn`; it is added to what this one has. */
  addThread(read: () => Promise<readonly Counted[]>): void {
    this.readBeside = read;
  }

  /** Answers another address as well, of which proxies ask without a key. */
  addAnswer(path: string, answer: StatusAnswer): void {
    this.answers.set(path, answer);
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

  private async text(): Promise<string> {
    if (!this.readBeside) return this.registry.metrics();
    const shown = addUp([await countedIn(this.registry), await this.readBeside()]);
    for (const metric of heldIn(this.registry)) {
      if (!shown.getSingleMetric(metric.name)) shown.registerMetric(metric as unknown as Metric);
    }
    return shown.metrics();
  }

  private async answer({ url = '/', method }: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query] = url.split('?', 2);
    const status = this.answers.get(path);
    if ((path !== '/metrics' && !status) || (method !== 'GET' && method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    try {
      if (status) {
        response.writeHead(await status(new URLSearchParams(query)), { 'Cache-Control': 'no-store' }).end();
        return;
      }
      const text = await this.text();
      response.writeHead(200, { 'Content-Type': this.registry.contentType, 'Cache-Control': 'no-store' }).end(text);
    } catch {
      response.writeHead(status ? 503 : 500).end();
    }
  }
}

interface Held {
  readonly name: string;
  readonly type: string;
  readonly aggregator: string;
  /** Those that were added up have their values at once. */
  get(): Promise<Counted>;
}

/** What can be added up of a registry: counters, histograms, and gauges that say how. It can be sent to another thread. */
export function countedIn(registry: Registry): Promise<Counted[]> {
  const added = heldIn(registry).filter(({ type, aggregator }) => type !== 'gauge' || aggregator === 'max');
  return Promise.all(added.map((metric) => metric.get()));
}

function heldIn(registry: Registry): readonly Held[] {
  // The library declares them without their values, and their type as a number.
  return registry.getMetricsAsArray() as unknown as readonly Held[];
}

/** One metric of each name, with the values of all. */
export function addUp(counted: readonly (readonly Counted[])[]): Registry {
  return AggregatorRegistry.aggregate(counted.map((one) => [...one]));
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(portError('SERVICE__METRICS__PORT', port, error));
    });
    server.listen(port, resolve);
  });
}
