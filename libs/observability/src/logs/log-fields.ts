import { describedError } from './described-error';

/**
 * What a log line may hold, and nothing else: a member that is not in this list is dropped. Each is a word of the code,
 * a number, or an identifier of our own making. What clients choose (an offer's id, a state), what wallets send and what
 * is in a path may identify a person or grant access, so it is not logged.
 */
export const logFields: ReadonlySet<string> = new Set([
  'context',
  'event',
  'reason',
  // Of the request that is being answered.
  'requestId',
  'traceId',
  'principal',
  'client',
  /** The id of the issuer that shares the deployment, which its operator chose. */
  'tenant',
  /** The name of a further store, which is that of a file of its operator. */
  'store',
  'method',
  'route',
  'status',
  'durationMs',
  /** Of a wallet that was refused: the code it got; `reason` says what was wrong. Of a login provider: the code it gave. */
  'error',
  /** What a wallet was told, without what it sent. What a login provider said, without what may be a secret. */
  'words',
  /** What a wallet sent and got, as names and types without values; in development. */
  'sent',
  'got',
  /** Of a failure; the answer has the same. */
  'instance',
  /** The function and file of the code that refused. */
  'check',
  // Access and limits.
  'scope',
  'keyId',
  /** The id under which a session of the console is in the audit; it opens nothing. */
  'session',
  'limit',
  // Signers outside of this process, as the settings name them.
  'signer',
  'algorithm',
  // Subscriptions.
  'subscription',
  'failures',
  'pause',
  // Webhooks; the id of an event is its position in the store.
  'webhookId',
  'deliveryId',
  'eventId',
  'failure',
  'lastFailure',
  // Checkpoints of the store: number, count of events, SHA-256 of what was signed.
  'checkpoint',
  'events',
  'digest',
  // Status lists: the public id, the position of an altered event, and what is served meanwhile.
  'listId',
  'altered',
  'served',
  // States that are folded again.
  'category',
  'streams',
  // Trust: how many anchors there are; the file or URL of a faulty source.
  'anchors',
  'clients',
  'source',
  // Certificates: when the one ends that does not last as long as what is signed under it.
  'notAfter',
  // Start and stop.
  'profile',
  'eventStore',
  /** Host and port of the database server in use, as the connection string names them. */
  'server',
  'version',
  'publicPort',
  'managementPort',
  'metricsPort',
  'drainSeconds',
  'connections',
]);

const longest = 256;
/** Of the fields that have more to say. */
const longestOf: Readonly<Record<string, number>> = { sent: 2_000, got: 2_000, words: 400 };

// JSON escapes the others; a terminal obeys these as well. U+2028 and U+2029 end a line for some readers.
const control = /[\u007f-\u009f\u2028\u2029]/g;

/** The members of a logged object that may be logged. The number of dropped ones is logged, so that it is noticed. */
export function allowedFields(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  let dropped = 0;
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (name === 'err') kept[name] = describedError(value);
    else if (!logFields.has(name)) dropped++;
    else if (typeof value === 'string') kept[name] = printable(value, longestOf[name] ?? longest);
    else if (typeof value === 'number' || typeof value === 'boolean') kept[name] = value;
    else dropped++;
  }
  if (dropped > 0) kept['dropped'] = dropped;
  return kept;
}

function printable(text: string, longest: number): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return short.replace(control, '?');
}
