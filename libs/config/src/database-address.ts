import { databaseHosts } from './database-hosts';

/** The `sslmode` values by which the PostgreSQL driver checks the certificate of the server. */
const verifying = new Set(['prefer', 'require', 'verify-ca', 'verify-full']);

/** Adds `sslmode=verify-full` to the URL of a database on another machine that says nothing of TLS. */
export function withDefaultTls(connectionString: string): string {
  const [url] = remoteDatabases(connectionString);
  // What stands behind a # would not be read as a parameter.
  if (!url || url.hash !== '' || url.searchParams.has('sslmode') || url.searchParams.has('ssl')) {
    return connectionString;
  }
  return `${connectionString}${connectionString.includes('?') ? '&' : '?'}sslmode=verify-full`;
}

/** Whether an attacker on the network path to the database can read the traffic or impersonate it. */
export function isUnprotectedDatabase(connectionString: string): boolean {
  const [url] = remoteDatabases(connectionString);
  return url !== undefined && !verifying.has(url.searchParams.get('sslmode') ?? '');
}

/** The password in the URL of a database, empty when there is none. */
export function databasePasswordOf(connectionString: string): string {
  const [url] = databases(connectionString);
  if (!url) return '';
  const { password } = url;
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** The hosts that are other machines than this one, which is known by its loopback address or a socket. */
function remoteDatabases(connectionString: string): URL[] {
  return databases(connectionString).filter((url) => {
    // The parameter wins over the authority, as in libpq.
    const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
    return host !== '' && !host.startsWith('/') && !/^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
  });
}

/** One URL for each host; none for what is no URL of a database, which the rules of the settings refuse. */
function databases(connectionString: string): URL[] {
  if (!/^postgres(ql)?:\/\//.test(connectionString)) return [];
  try {
    return databaseHosts(connectionString).hosts.map((host) => new URL(host.connectionString));
  } catch {
    return [];
  }
}
