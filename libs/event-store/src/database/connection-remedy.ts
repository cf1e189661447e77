import { sqlStateOf, StoreUnavailableError } from '../errors';

const setting = 'SERVICE__EVENT_STORE__CONNECTION_STRING';

/** By SQLSTATE of the server, and by codes of the system and of TLS. */
const remedies: readonly (readonly [codes: RegExp, remedy: string])[] = [
  [
    /^28P01$/,
    `Correct the user or the password in ${setting}; the server does not tell which of them is wrong. The server's own log does.`,
  ],
  [/^28/, `Correct the user in ${setting}, or let pg_hba.conf of the server admit it from this machine.`],
  [/^3D000$/, `Correct the name of the database in ${setting} (what follows the last "/"), or create the database.`],
  [/^42501$/, `Let the user in ${setting} connect to the database: grant connect on database ... to ...`],
  [/^25006$/, `Name the server that takes writes in ${setting}, or turn default_transaction_read_only off.`],
  [/^53100$/, 'Free space on the disk of the server, or enlarge it; never delete files of PostgreSQL.'],
  [/^53300$/, 'Raise max_connections of the server, or run fewer replicas or other clients on it.'],
  [/^57P03$/, 'Wait until the server has started; its log says what it waits for, a full disk for instance.'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, `Correct the host in ${setting}: its name has no address here.`],
  [/^ECONNREFUSED$/, `Correct the host or the port in ${setting}, or start the server: nothing listens there.`],
  [
    /CERT|^(UNABLE_TO|SELF_SIGNED|ERR_TLS|ERR_SSL|EPROTO)/,
    `Correct sslmode or sslrootcert in ${setting}, or give the server a certificate for this host.`,
  ],
];

/**
 * What to do when the database could not be opened, for the reason that the error gives. Undefined where it gives none and for an
 * error that is not about a connection.
 */
export function connectionRemedy(error: unknown): string | undefined {
  if (!(error instanceof StoreUnavailableError)) return undefined;
  const { message } = error;
  if (message.includes('does not support SSL')) return `Turn TLS on at the server, or correct sslmode in ${setting}.`;
  if (message.includes('client password must be')) return `Add the password to ${setting}.`;
  const code = sqlStateOf(error);
  const known = code === undefined ? undefined : remedies.find(([codes]) => codes.test(code));
  if (known) return known[1];
  if (message.startsWith('No database server')) return `Start or promote a server, or correct the hosts in ${setting}.`;
  if (error.answered) return undefined;
  return `Make the server reachable from this machine (firewall, network policy), or correct host and port in ${setting}.`;
}
