import { Settings } from '@app/config';
import { LeanExpressAdapter } from '@app/http';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { HttpListener } from './http-listener';

/** The sockets on which the service answers. */
@Injectable()
export class Listeners implements BeforeApplicationShutdown {
  private listeners: readonly HttpListener[] = [];

  constructor(
    private readonly adapterHost: HttpAdapterHost<LeanExpressAdapter>,
    private readonly settings: Settings,
  ) {}

  /** Opens them on the ports of the settings. @param host all interfaces when absent */
  async open(host?: string): Promise<{ readonly publicPort: number }> {
    const open = new HttpListener(this.adapterHost.httpAdapter.getHttpServer());
    this.listeners = [open];
    await open.open(this.settings.http.port, host);
    return { publicPort: open.port ?? 0 };
  }

  /** From now on each answer is the last one on its connection, so that clients turn to another replica. */
  endConnections(): void {
    this.adapterHost.httpAdapter.endConnections();
  }

  /** @param patience milliseconds for requests in flight. @returns how many connections had to be cut off */
  async close(patience: number): Promise<number> {
    this.endConnections();
    const cut = await Promise.all(this.listeners.map((listener) => listener.close(patience)));
    return cut.reduce((sum, each) => sum + each, 0);
  }

  /** An application that is closed without ceremony, by a test for one. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.close(0);
  }
}
