import { connect, type Socket } from 'node:net';

/** A TCP connection of a misbehaving client, or of one that no HTTP library can be. */
export interface RawConnection {
  write(bytes: string | Uint8Array): void;
  /** Everything that came back so far. */
  received(): string;
  /** Resolves with everything that came back once the server has closed the connection. */
  readonly closed: Promise<string>;
  readonly isClosed: () => boolean;
  destroy(): void;
}

/** Opens a connection and waits until it is established. @param url only host and port are used */
export function openConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(port), hostname);
    let received = '';
    let isClosed = false;
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    const closed = new Promise<string>((ended) => {
      socket.once('close', () => {
        isClosed = true;
        ended(received);
      });
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.on('error', () => undefined);
      resolve({
        write: (bytes) => void socket.write(bytes),
        received: () => received,
        closed,
        isClosed: () => isClosed,
        destroy: () => void socket.destroy(),
      });
    });
  });
}
