import { send } from './requests';

/** What a test may do with requests that go to a public address. */
export interface Reached {
  /** The listener behind the address, by the path of the request. */
  readonly listenerOf: (path: string) => string;
  /** Headers that the caller of this path has. */
  readonly headersOf?: (path: string) => Readonly<Record<string, string>>;
  /** Called with every answer. */
  readonly onAnswer?: (answer: Response) => Promise<void>;
}

/**
 * Lets `fetch` reach a public https address on loopback, as the reverse proxy in front of the service does. Ends with
 * `jest.restoreAllMocks()`.
 */
export function reachThroughProxy(publicUrl: string, { listenerOf, headersOf, onAnswer }: Reached): void {
  const direct = globalThis.fetch;
  const { origin } = new URL(publicUrl);
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const address = url instanceof Request ? url.url : String(url);
    if (!address.startsWith(origin)) return direct(address, init);
    const path = address.slice(origin.length);
    const headers = new Headers(headersOf?.(path));
    new Headers(init?.headers).forEach((value, name) => {
      headers.set(name, value);
    });
    const answer = await direct(listenerOf(path) + path, { ...init, headers });
    await onAnswer?.(answer.clone());
    return answer;
  });
}

/** The same for several hosts, as a proxy that keeps `Host`, which `fetch` itself always names after the address. */
export function reachByHost(publicUrls: readonly string[], listener: () => string): void {
  const direct = globalThis.fetch;
  const hosts = new Set(publicUrls.map((url) => new URL(url).host));
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const { origin, host, href } = new URL(url instanceof Request ? url.url : String(url));
    if (!hosts.has(host)) return direct(href, init);
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), host };
    const body = (init?.body ?? null) as string | Buffer | null;
    const sent = { method: init?.method ?? 'GET', headers, body };
    const { status, text, headers: received } = await send(listener() + href.slice(origin.length), sent);
    return new Response(status === 204 || status === 304 ? null : text, { status, headers: received });
  });
}
