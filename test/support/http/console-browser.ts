import { type Reply, send, type Json } from './requests';

/** A browser in which somebody uses the console: it keeps cookies by origin and follows redirects. */
export class ConsoleBrowser {
  private readonly jars = new Map<string, Map<string, string>>();
  /** Where it is. */
  address = '';
  /** All redirects of the last journey. */
  journey: string[] = [];

  constructor(readonly url: string) {}

  /** The browser of somebody who has signed in. @param provider where they are the one who does */
  static async of(person: string, provider: { person: string }, url: string): Promise<ConsoleBrowser> {
    provider.person = person;
    const browser = new ConsoleBrowser(url);
    await browser.signIn();
    return browser;
  }

  /** Opens an address and follows where it leads. @param until stops before an address with this in it */
  async open(address: string, until?: string): Promise<Reply> {
    this.journey = [];
    let next = new URL(address, this.url);
    for (let step = 0; step < 20; step++) {
      this.address = next.href;
      this.journey.push(next.href);
      const reply = await this.take(
        next,
        await send(next.href.split('#', 1)[0] ?? '', { headers: this.cookiesFor(next) }),
      );
      const location = reply.headers.get('location');
      if (location === null) return reply;
      next = new URL(location, next);
      if (until !== undefined && next.href.includes(until)) {
        this.address = next.href;
        return reply;
      }
    }
    throw new Error(`It goes round in circles at ${this.address}.`);
  }

  signIn(): Promise<Reply> {
    return this.open(`${this.url}/console/sign-in/start`);
  }

  /** As the page of the console calls the management API. */
  async call(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const url = new URL(`${this.url}${path}`);
    const reply = await send(url.href, {
      method,
      headers: {
        ...this.cookiesFor(url),
        'x-console': '1',
        'sec-fetch-site': 'same-origin',
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return this.take(url, reply);
  }

  async whoAmI(): Promise<Json> {
    const { status, json } = await this.call('GET', '/v0/session');
    return status === 200 ? json : {};
  }

  /** Cookies of the service, as it sends them. */
  get cookie(): string {
    return this.cookiesFor(new URL(this.url))['cookie'] ?? '';
  }

  set cookie(written: string) {
    const pairs = written
      .split('; ')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const);
    this.jars.set(new URL(this.url).origin, new Map(pairs));
  }

  /** Somebody else sits down, whom another server does not know. */
  forget(url: string): void {
    this.jars.delete(new URL(url).origin);
  }

  private cookiesFor({ origin }: URL): Record<string, string> {
    const pairs = [...(this.jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`);
    return pairs.length === 0 ? {} : { cookie: pairs.join('; ') };
  }

  private take({ origin }: URL, reply: Reply): Promise<Reply> {
    const jar = this.jars.get(origin) ?? new Map<string, string>();
    this.jars.set(origin, jar);
    for (const cookie of reply.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      const value = pair.slice(pair.indexOf('=') + 1);
      if (value === '' || attributes.some((one) => one.trim().toLowerCase() === 'max-age=0')) jar.delete(name);
      else jar.set(name, value);
    }
    return Promise.resolve(reply);
  }
}
