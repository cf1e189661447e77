import { Settings } from '@app/config';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage } from 'node:http';
import type { Audience } from '../context/access-decision';
import { LeanExpressAdapter } from './lean-express-adapter';
import { HttpListener } from './http-listener';
import { connections } from './limited-server';

/** The ports on which the service really answers. */
export interface Ports {
  readonly publicPort: number;
  /** The same as the public one when the management API has no separate listener. */
  readonly managementPort: number;
}

/** The sockets on which the service answers: one application, behind one listener or two. */
@Injectable()
export class Listeners implements BeforeApplicationShutdown {
  private readonly isSplit: boolean;
  private own: { readonly front: HttpListener; readonly management?: HttpListener } | undefined;

  constructor(
    private readonly adapterHost: HttpAdapterHost<LeanExpressAdapter>,
    private readonly settings: Settings,
  ) {
    this.isSplit = settings.management.port !== undefined;
  }

  /** Opens them on the ports of the settings. @param host all interfaces when absent */
  async open(host?: string): Promise<Ports> {
    const { http, management } = this.settings;
    const adapter = this.adapterHost.httpAdapter;
    const front = new HttpListener(adapter.getHttpServer());
    this.own = { front };
    await front.open(http.port, 'SERVICE__HTTP__PORT', host);
    if (management.port === undefined) return { publicPort: front.port, managementPort: front.port };
    const second = new HttpListener(adapter.newServer(connections.management));
    this.own = { front, management: second };
    await second.open(management.port, 'SERVICE__MANAGEMENT__PORT', host);
    return { publicPort: front.port, managementPort: second.port };
  }

  /**
   * Whether an address of this audience exists on the listener that the request came in by, which its connection
   * tells and nothing that the client sends.
   */
  serves(request: IncomingMessage, audience: Audience | undefined): boolean {
    if (!this.isSplit || audience === 'everyone') return true;
    const isManagement = this.own?.management?.has(request.socket) === true;
    return isManagement ? audience === 'management' : audience === 'wallets' || audience === 'people';
  }

  /** From now on each answer is the last one on its connection, so that clients turn to another replica. */
  endConnections(): void {
    this.adapterHost.httpAdapter.endConnections();
  }

  /** @param patience milliseconds for requests in flight. @returns how many connections had to be cut off */
  async close(patience: number): Promise<number> {
    this.endConnections();
    this.adapterHost.httpAdapter.endStreams();
    const cut = await Promise.all([this.own?.front.close(patience), this.own?.management?.close(patience)]);
    return cut.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  }

  /** An application that is closed without ceremony, by a test for one. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.own) await this.close(0);
  }
}
