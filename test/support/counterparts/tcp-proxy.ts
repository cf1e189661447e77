import { connect, createServer, type Socket } from 'node:net';

/** A line between a client and a server on loopback that a test can cut, or on which it can make everything hang. */
export interface TcpProxy {
  readonly port: number;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  /** Connections stay, but nothing gets through any more. */
  hang(): void;
  /** New connections work again; those that hung are broken. */
  mend(): void;
  stop(): Promise<void>;
}

export async function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'hanging' = 'open';
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    keep(client);
    if (state === 'cut') client.destroy();
    if (state !== 'open') return;
    const upstream = connect(target.port, target.host);
    keep(upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (chunk) => {
        if (state === 'open') to.write(chunk);
      });
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port.');
  return {
    port: address.port,
    cut: () => {
      state = 'cut';
      destroyAll();
    },
    hang: () => {
      state = 'hanging';
    },
    mend: () => {
      state = 'open';
      destroyAll();
    },
    stop: () => {
      destroyAll();
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}
