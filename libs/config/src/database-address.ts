/** The `sslmode` values by which the PostgreSQL driver checks the certificate of the server. */
const verifying = new Set(['prefer', 'require', 'verify-ca', 'verify-full']);

/** Adds `sslmode=verify-full` to the URL of a database on another machine that says nothing of TLS. */
export function withDefaultTls(connectionString: string): string {
  const url = remoteDatabase(connectionString);
  // What stands behind a # would not be read as a parameter.
  if (!url || url.hash !== '' || url.searchParams.has('sslmode') || url.searchParams.has('ssl')) {
    return connectionString;
  }
  return `${connectionString}${connectionString.includes('?') ? '&' : '?'}sslmode=verify-full`;
}

/** Whether somebody on the way to the database can read along or stand in for it. */
export function isUnprotectedDatabase(connectionString: string): boolean {
  const url = remoteDatabase(connectionString);
  return url !== undefined && !verifying.has(url.searchParams.get('sslmode') ?? '');
}

/** The password in the URL of a database, empty when there is none. */
export function databasePasswordOf(connectionString: string): string {
  if (!URL.canParse(connectionString)) return '';
  const { password } = new URL(connectionString);
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** Undefined for a database on this machine, by its loopback address or a socket, and for what is no URL. */
function remoteDatabase(connectionString: string): URL | undefined {
  if (!/^postgres(ql)?:\/\//.test(connectionString) || !URL.canParse(connectionString)) return undefined;
  const url = new URL(connectionString);
  // The parameter wins over the authority, as in libpq.
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  const isLocal = host === '' || host.startsWith('/') || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
  return isLocal ? undefined : url;
}
