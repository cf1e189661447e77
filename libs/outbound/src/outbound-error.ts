export type OutboundErrorReason =
  | 'invalid-url'
  | 'blocked-address'
  | 'unresolved-host'
  | 'connection-failed'
  | 'timeout'
  | 'too-many-redirects'
  | 'unexpected-status'
  | 'unexpected-content-type'
  | 'too-large'
  | 'malformed-body'
  | 'busy';

/** A request to another server that was refused or failed; the message names the fault, never the answer's content. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';

  constructor(
    readonly reason: OutboundErrorReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
