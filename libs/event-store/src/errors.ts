import { types } from 'node:util';

/** Another writer changed the stream first: reload and decide again. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  constructor(
    readonly streamId: string | undefined,
    options?: ErrorOptions,
  ) {
    super('The record was changed by another process at the same time.', options);
  }
}

/**
 * What a unit of work presumed of streams did not hold, or did not carry it: the unit is decided again on what the database has.
 * Never leaves the store.
 */
export class PresumptionError extends Error {
  override readonly name = 'PresumptionError';
  constructor(options?: ErrorOptions) {
    super('A stream was presumed to be otherwise than it is.', options);
  }
}

/** A single-use value was used before; `kind` says which of the unit's values. */
export class AlreadyConsumedError extends Error {
  override readonly name = 'AlreadyConsumedError';
  constructor(
    readonly kind: string,
    options?: ErrorOptions,
  ) {
    super(`A single-use value of kind "${kind}" was used before.`, options);
  }
}

/** The database cannot be reached or cannot take writes. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
  /** Whether the database itself said so; otherwise it may not be there. */
  readonly answered: boolean;
  constructor(
    message: string,
    /** True when the statement may still have been carried out. */
    readonly outcomeUnknown: boolean,
    options?: ErrorOptions & { readonly answered?: boolean },
  ) {
    super(message, options);
    this.answered = options?.answered ?? false;
  }
}

/** Why work was given up before any of it was sent to the database. */
export const dropReasons = ['client_gone', 'deadline', 'queue_full', 'database_silent'] as const;
export type DropReason = (typeof dropReasons)[number];

const dropped: Readonly<Record<DropReason, string>> = {
  client_gone: 'The client closed its connection before the work began.',
  deadline: 'The request timed out before it reached the database.',
  queue_full: 'Too much work is waiting for the database.',
  database_silent: 'The database has not answered for seconds.',
};

/** The work was given up before it was sent: none of it was or will be carried out. */
export class WorkDroppedError extends StoreUnavailableError {
  override readonly name = 'WorkDroppedError';
  constructor(readonly reason: DropReason) {
    super(dropped[reason], false);
  }
}

/** A unit of work was sent, and no answer came in time: it may have been stored, or not. */
export class OutcomeUnknownError extends StoreUnavailableError {
  override readonly name = 'OutcomeUnknownError';
  constructor(options?: ErrorOptions) {
    super('The database did not report in time whether the unit of work was stored.', true, options);
  }
}

/** What has to leave a row in the audit, and cannot: nothing of it was carried out. */
export class AuditUnavailableError extends StoreUnavailableError {
  override readonly name = 'AuditUnavailableError';
  constructor(options?: ErrorOptions) {
    super('The audit cannot be written.', false, { ...options, answered: true });
  }
}

/**
 * Something was made by a newer release, in a shape that this one does not know. Nothing was carried out: during a rolling upgrade
 * another replica can go on.
 */
export class NewerVersionError extends StoreUnavailableError {
  override readonly name = 'NewerVersionError';
  /** @param what the kind of value */
  constructor(what: string) {
    super(`A newer release made a value of kind "${what}".`, false, { answered: true });
  }
}

/** Whether an error says that a newer release made something: a `NewerVersionError`, or one that is marked `ofNewerRelease`. */
export function isOfNewerRelease(error: unknown): boolean {
  return error instanceof NewerVersionError || (error instanceof Error && 'ofNewerRelease' in error);
}

export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
  constructor() {
    super('The cursor was not issued by this list.');
  }
}

/** The message of an error, or those of all it stands for. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return types.isNativeError(error) ? error.message : String(error);
}

/** The SQLSTATE with which the database answered, or the code of the system's or TLS's error; undefined when there is neither. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!types.isNativeError(error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return sqlStateOf(error.cause);
}

/** The last checkpoint is not what this service has signed: a row was added to `checkpoints` by hand, or changed. */
export class CheckpointAlteredError extends Error {
  override readonly name = 'CheckpointAlteredError';
  constructor() {
    super('The last checkpoint was not signed by this service: see "sealwright verify-store".');
  }
}
