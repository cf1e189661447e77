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
