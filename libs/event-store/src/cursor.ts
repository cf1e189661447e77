import { InvalidCursorError } from './errors';

/** The last row of a page: creation time in microseconds and UTC, and the stream. */
export interface ListPosition {
  readonly createdAt: string;
  readonly streamId: string;
}

const time = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

/** Opaque to the caller, who can neither read a page size nor an order into it. */
export function renderCursor(position: ListPosition): string {
  return Buffer.from(`${position.createdAt} ${position.streamId}`).toString('base64url');
}

/** Throws `InvalidCursorError` unless the cursor was made by `renderCursor` for a list of this category. */
export function parseCursor(cursor: string, category: string): ListPosition {
  const text = Buffer.from(cursor, 'base64url').toString();
  const space = text.indexOf(' ');
  const position = { createdAt: text.slice(0, space), streamId: text.slice(space + 1) };
  const genuine =
    renderCursor(position) === cursor &&
    time.test(position.createdAt) &&
    !Number.isNaN(Date.parse(position.createdAt)) &&
    position.streamId.startsWith(`${category}-`) &&
    !position.streamId.includes('\0');
  if (!genuine) throw new InvalidCursorError();
  return position;
}
