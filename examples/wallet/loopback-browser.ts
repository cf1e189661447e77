import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from './token';

/**
 * The person's own browser on this machine, which the issuer's page leads back to a port of the loopback interface (RFC 8252 §7.3).
 * @param show called with the address that the person has to open
 */
export async function withLoopbackBrowser<T>(
  show: (url: string) => void,
  work: (browser: Browser) => Promise<T>,
): Promise<T> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser: Browser = {
    redirectUri: `${origin}/callback`,
    open: (url) =>
      new Promise((resolve) => {
        server.on('request', (request, response) => {
          const address = new URL(request.url ?? '/', origin);
          const isBack = request.method === 'GET' && address.pathname === '/callback';
          response.writeHead(isBack ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
          response.end(isBack ? 'The wallet goes on in the terminal. You can close this page.\n' : '');
          if (isBack) resolve(address.href);
        });
        show(url);
      }),
  };
  try {
    return await work(browser);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
