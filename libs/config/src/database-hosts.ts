import { urlOf } from '@app/primitives/url';

/** What a server has to be before it is used: libpq's `target_session_attrs`, without those that take no writes. */
export const sessionAttributes = ['read-write', 'primary', 'any'] as const;
export type SessionAttributes = (typeof sessionAttributes)[number];

/** One host of a connection string. */
export interface DatabaseHost {
  /** `host:port`, for people; without user and password. */
  readonly name: string;
  /** Leads to this host alone. */
  readonly connectionString: string;
}

export interface DatabaseHosts {
  readonly wanted: SessionAttributes;
  /** In the order in which they are written; one at least. */
  readonly hosts: readonly DatabaseHost[];
}

/** The connection string cannot be read; the message says what to write and quotes nothing of it but hosts and ports. */
export class DatabaseHostsError extends Error {
  override readonly name = 'DatabaseHostsError';
}

const defaultPort = '5432';
const parts =
  /^(?<scheme>postgres(?:ql)?:\/\/)(?:(?<user>[^/?#]*)@)?(?<authority>[^@/?#]*)(?<path>\/[^?#]*)?(?:\?(?<query>.*))?$/;

/**
 * Reads the hosts of a connection string in libpq's form: `postgresql://user@host1:5432,host2:5433/database`, or
 * `?host=host1,host2&port=5432,5433`. Without `target_session_attrs` several hosts are asked for the one that is
 * `read-write`, because nothing works on another; one host is used unchanged.
 */
export function databaseHosts(connectionString: string): DatabaseHosts {
  const { scheme = '', user, authority = '', path = '', query = '' } = parts.exec(connectionString)?.groups ?? {};
  const parameters = new URLSearchParams(query);
  const wanted = sessionAttributesOf(parameters.get('target_session_attrs'));
  const written = hostsOf(parameters) ?? hostsIn(authority);
  if (written.length === 1) {
    const [{ host, port } = { host: '', port: '' }] = written;
    return { wanted: wanted ?? 'any', hosts: [{ name: nameOf(host, port), connectionString }] };
  }
  // Encoded as they are written: only what concerns the choice of a host is left out.
  const others = query.split('&').filter((each) => !/^(host|port|target_session_attrs|$)(=|$)/.test(each));
  const hosts = written.map(({ host, port }) => {
    const before = `${scheme}${user === undefined ? '' : `${user}@`}`;
    const each = `${before}${inAuthority(host)}:${port}${path}${others.length === 0 ? '' : `?${others.join('&')}`}`;
    assertUrl(each);
    return { name: nameOf(host, port), connectionString: each };
  });
  return { wanted: wanted ?? 'read-write', hosts };
}

interface WrittenHost {
  readonly host: string;
  readonly port: string;
}

function sessionAttributesOf(written: string | null): SessionAttributes | undefined {
  if (written === null) return undefined;
  const known = sessionAttributes.find((each) => each === written);
  if (known !== undefined) return known;
  throw new DatabaseHostsError(
    'write target_session_attrs=read-write (or primary, or any): the service needs a server that accepts writes',
  );
}

/** The hosts among the parameters, which win over the authority, as in libpq; undefined when there are none. */
function hostsOf(parameters: URLSearchParams): WrittenHost[] | undefined {
  const hosts = parameters.get('host')?.split(',');
  if (hosts === undefined) return undefined;
  const ports = parameters.get('port')?.split(',') ?? [defaultPort];
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new DatabaseHostsError(`give one port for each of the ${hosts.length} hosts, or one for all`);
  }
  return hosts.map((host, index) => ({
    host: hosts.length === 1 ? host : nonEmpty(host),
    port: checkedPort(ports[index] ?? ports[0] ?? ''),
  }));
}

function hostsIn(authority: string): WrittenHost[] {
  const entries = authority.split(',').map((written) => {
    const [, host = '', port = defaultPort] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(written) ?? [];
    return { host: withoutBrackets(host), port };
  });
  if (entries.length === 1) return entries;
  return entries.map(({ host, port }) => ({ host: nonEmpty(host), port: checkedPort(port) }));
}

function nonEmpty(host: string): string {
  if (host !== '') return host;
  throw new DatabaseHostsError('give a host before and after each comma, as in host1:5432,host2:5432');
}

function checkedPort(written: string): string {
  if (written === '') return defaultPort;
  if (written.includes(':')) throw new DatabaseHostsError('write IPv6 addresses in brackets, as in [::1]:5432');
  if (/^\d{1,5}$/.test(written) && Number(written) >= 1 && Number(written) <= 65_535) return written;
  throw new DatabaseHostsError('give each port as a number from 1 to 65535, as in host1:5432,host2:5432');
}

function assertUrl(connectionString: string): void {
  if (urlOf(connectionString) !== undefined) return;
  throw new DatabaseHostsError('percent-encode special characters in user name, password and hosts, as in %40 for @');
}

function nameOf(host: string, port: string): string {
  return `${host.includes(':') ? `[${host}]` : decoded(host)}:${port}`;
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** A socket is a path, which would end the authority. */
function inAuthority(host: string): string {
  if (host.startsWith('/')) return encodeURIComponent(host);
  return host.includes(':') ? `[${host}]` : host;
}

function decoded(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}
