/** Somebody else wrote to the stream first: reload and decide again. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  constructor(
    readonly streamId: string | undefined,
    options?: ErrorOptions,
  ) {
    super('The record was changed by somebody else at the same time.', options);
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
  override readonly name = 'StoreUnavailableError';
  constructor(
    message: string,
    /** True when the statement may still have been carried out. */
    readonly outcomeUnknown: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
  constructor() {
    super('The cursor is not one that this list has handed out.');
  }
}
