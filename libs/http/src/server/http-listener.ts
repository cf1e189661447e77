import { portError } from '@app/config';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Milliseconds: often enough not to delay a stop, seldom enough to cost nothing. */
const sweepEvery = 50;

/** One HTTP server with its connections; it can be closed without cutting off requests in flight. */
export class HttpListener {
  private readonly connections = new Set<Socket>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
  }

  /** The port it really has; only while it listens. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Whether the connection came in here. */
  has(socket: Socket): boolean {
    return this.connections.has(socket);
  }

  /** @param setting that names the port. @param host all interfaces when absent */
  open(port: number, setting: string, host?: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => {
        reject(portError(setting, port, error));
      };
      this.server.once('error', fail);
      this.server.listen({ port, ...(host !== undefined && { host }) }, () => {
        this.server.removeListener('error', fail);
        resolve();
      });
    });
  }

  /**
   * Accepts no more connections, closes those that are idle or become idle, and lets the rest finish.
   * @param patience milliseconds until the remaining connections are cut off
   * @returns how many connections were cut off
   */
  async close(patience: number): Promise<number> {
    let cut = 0;
    // Node closes connections that are idle now, but not those that become idle later or never sent a request.
    const sweep = setInterval(() => {
      this.server.closeIdleConnections();
      for (const socket of this.connections) if (socket.bytesRead === 0) socket.destroy();
    }, sweepEvery);
    const late = setTimeout(() => {
      cut = this.connections.size;
      for (const socket of this.connections) socket.destroy();
    }, patience);
    await new Promise((resolve) => this.server.close(resolve));
    clearInterval(sweep);
    clearTimeout(late);
    return cut;
  }
}
