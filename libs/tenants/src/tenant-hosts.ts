import { SQL_DRIVER, type SqlExecutor } from '@app/event-store';
import { canonicalHost, mayBeOfTenant, type OwnAddress } from '@app/http';
import { hashOfSecret } from '@app/keys';
import type { Awaitable } from '@app/primitives/awaitable';
import { apart } from '@app/primitives/context';
import { Inject, Injectable, Logger } from '@nestjs/common';

/** The kind of used value that binds a public URL to the tenant that has it, or had it. */
const URL_KIND = 'tenant-url';

/** Milliseconds after which the hosts are read again when one is asked for, while what is known of them still answers. */
const looksAgain = 2_000;
/** What is known for longer answers only while the database is away. */
const longestKnown = 10_000;

type Hosts = ReadonlyMap<string, readonly OwnAddress[]>;

/** The hosts that tenants have of their own. Nothing is read until a host is asked for that is not that of the service. */
@Injectable()
export class TenantHosts {
  private readonly logger = new Logger('Tenants');
  private known: Hosts | undefined;
  private readAt = -Infinity;
  private forgottenAt = -Infinity;
  private reading: Promise<Hosts> | undefined;

  constructor(@Inject(SQL_DRIVER) private readonly driver: SqlExecutor) {}

  /** The addresses of tenants at a host, the longest path first. Rejects when the database is away and was never read. */
  readonly at = (host: string): Awaitable<readonly OwnAddress[] | undefined> => {
    const hosts = this.present();
    return hosts instanceof Promise ? hosts.then((read) => read.get(host)) : hosts.get(host);
  };

  /** Whether a name is that of the host of a tenant, whatever its port. */
  async has(name: string): Promise<boolean> {
    const asked = canonicalHost(name);
    if (asked === undefined || !mayBeOfTenant(asked)) return false;
    const hosts = await this.present();
    return [...hosts.keys()].some((host) => withoutPort(host) === withoutPort(asked));
  }

  /** The next request sees what was just stored. */
  forget(): void {
    this.readAt = -Infinity;
    this.forgottenAt = performance.now();
    this.reading = undefined;
  }

  private present(): Awaitable<Hosts> {
    const age = performance.now() - this.readAt;
    if (this.known === undefined) return this.read();
    if (age < looksAgain) return this.known;
    const { known } = this;
    const reading = this.read().catch((error: unknown) => {
      this.logger.warn({ event: 'tenants.not-read', reason: error instanceof Error ? error.name : 'unknown' });
      return known;
    });
    return age < longestKnown ? known : reading;
  }

  private read(): Promise<Hosts> {
    if (this.reading) return this.reading;
    const reading = apart(() => this.ask());
    const ended = (): void => {
      if (this.reading === reading) this.reading = undefined;
    };
    this.reading = reading;
    reading.then(ended, ended);
    return reading;
  }

  private async ask(): Promise<Hosts> {
    const begun = performance.now();
    const rows = await this.driver.query<{ id: string; url: string }>({
      name: 'tenant-urls',
      text: `select substr(stream_id, length('tenant-') + 1) as id, state->'content'->>'publicUrl' as url
        from streams where category = 'tenant' and state->'content'->>'publicUrl' is not null`,
      values: [],
    });
    const hosts = new Map<string, OwnAddress[]>();
    for (const { id, url } of rows) {
      const { host, path } = placeOf(url);
      hosts.set(host, [...(hosts.get(host) ?? []), { tenantId: id, path }]);
    }
    for (const places of hosts.values()) places.sort((one, other) => other.path.length - one.path.length);
    // What was read before the last change may not have it.
    if (begun >= this.forgottenAt) [this.known, this.readAt] = [hosts, begun];
    return hosts;
  }
}

/** The value that is used up by whoever takes a public URL: the same for all texts that lead to the same place. */
export function useOfUrl(publicUrl: string): {
  readonly kind: string;
  readonly hash: Buffer;
  readonly bindsStream: true;
} {
  const { host, path } = placeOf(publicUrl);
  return { kind: URL_KIND, hash: hashOfSecret(`${host}${path}`), bindsStream: true };
}

function placeOf(publicUrl: string): { readonly host: string; readonly path: string } {
  const { host, pathname } = new URL(publicUrl);
  return { host: canonicalHost(host) ?? host, path: pathname.replace(/\/$/, '') };
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}
