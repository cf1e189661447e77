import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Servers on loopback that accept every request and never answer. */
export interface HangingServers {
  /** `127.0.0.1:<port>` of each. */
  readonly hosts: readonly string[];
  /** The most requests that were under way at once, over all of them. */
  most(): number;
  reset(): void;
  /** Closes every connection. */
  hangUp(): void;
  stop(): Promise<void>;
}

export async function startHangingServers(count: number): Promise<HangingServers> {
  let underWay = 0;
  let most = 0;
  const servers = Array.from({ length: count }, () =>
    createServer((request) => {
      most = Math.max(most, ++underWay);
      request.socket.once('close', () => underWay--);
    }),
  );
  const listening = servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  await Promise.all(listening);
  return {
    hosts: servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`),
    most: () => most,
    reset: () => {
      most = underWay;
    },
    hangUp: () => {
      for (const server of servers) server.closeAllConnections();
    },
    stop: async () => {
      await Promise.all(
        servers.map((server) => {
          server.closeAllConnections();
          return new Promise((resolve) => server.close(resolve));
        }),
      );
    },
  };
}
