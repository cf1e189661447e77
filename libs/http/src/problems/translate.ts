import {
  ConflictError,
  InvalidCursorError,
  isOfNewerRelease,
  OutcomeUnknownError,
  StoreUnavailableError,
} from '@app/event-store';
import { OutboundError } from '@app/outbound';
import { currentStore } from '@app/primitives/context';
import { Problem } from '@app/primitives/problems';
import { HttpException, NotFoundException } from '@nestjs/common';

/**
 * The problem that an exception of the platform means to a caller; `undefined` for an unforeseen one, which must
 * become a 500 without its message.
 */
export function problemOf(exception: unknown): Problem | undefined {
  if (exception instanceof Problem) return exception;
  if (exception instanceof ConflictError) {
    return new Problem(
      'conflict',
      'Another request changed the same resource at the same time. Read it and try again.',
    );
  }
  if (exception instanceof InvalidCursorError) {
    return new Problem('validation-failed', 'The cursor is not valid.', [
      { pointer: '/cursor', message: 'must be the nextCursor of an earlier answer' },
    ]);
  }
  if (exception instanceof OutcomeUnknownError) {
    const detail =
      'It is not known whether the request was carried out. Repeat it with the same Idempotency-Key, or read what is stored before you send it again.';
    return new Problem('outcome-unknown', detail, [], { 'Retry-After': '5' });
  }
  if (isForLackOfSlots(exception)) {
    const detail = 'Too many documents of other servers are being fetched at the moment.';
    return new Problem('unavailable', detail, [], { 'Retry-After': '2' });
  }
  if (isOfNewerRelease(exception)) {
    const detail = 'A newer release of the service made what is needed here: another replica can answer.';
    return new Problem('unavailable', detail, [], { 'Retry-After': '2' });
  }
  if (exception instanceof StoreUnavailableError) {
    const what = currentStore() === undefined ? 'The database' : 'The store of this tenant';
    return new Problem('unavailable', `${what} does not answer at the moment.`, [], { 'Retry-After': '2' });
  }
  if (exception instanceof NotFoundException) {
    return new Problem('not-found', 'No such resource.');
  }
  if (exception instanceof HttpException && exception.getStatus() === 400) {
    const detail =
      'The address is not valid percent encoding: write a percent sign as %25, and other characters in UTF-8.';
    return new Problem('validation-failed', detail);
  }
  return undefined;
}

/** Whether a document of another server was needed and could not be requested now. */
function isForLackOfSlots(exception: unknown): boolean {
  const cause = exception instanceof Error ? exception.cause : undefined;
  return cause instanceof OutboundError && cause.reason === 'busy';
}
