import { OutboundError } from './outbound-error';

/** Of every URL that can be called. Which hosts can is up to settings and name servers. */
export const httpPattern = '^[Hh][Tt][Tt][Pp][Ss]?://[^/]';

/** The hosts that are exempt from the guard and may speak http: none in production. */
export class PrivateHosts {
  private readonly entries: ReadonlySet<string>;

  /** `host` (any port) or `host:port`; IPv6 addresses in brackets. */
  constructor(entries: readonly string[]) {
    this.entries = new Set(entries.map((entry) => entry.toLowerCase()));
  }

  includes(hostname: string, port: string): boolean {
    return this.entries.has(hostname) || this.entries.has(`${hostname}:${port}`);
  }

  /** Refuses a URL that is not https on the default port, or carries a user name. Throws `OutboundError`. */
  assertAllowed(url: URL): void {
    if (url.username !== '' || url.password !== '') {
      throw new OutboundError('invalid-url', 'the URL contains a user name or password');
    }
    const isHttp = url.protocol === 'http:';
    if (!isHttp && url.protocol !== 'https:') throw new OutboundError('invalid-url', 'the URL is not an https URL');
    if (this.includes(url.hostname, effectivePort(url))) return;
    if (isHttp) throw new OutboundError('invalid-url', 'the URL is not an https URL');
    if (url.port !== '') throw new OutboundError('invalid-url', 'the URL names a port other than 443');
  }
}

/** The port a URL means when it names none. */
export function effectivePort({ port, protocol }: { readonly port: string; readonly protocol: string }): string {
  if (port !== '') return port;
  return protocol === 'http:' ? '80' : '443';
}
