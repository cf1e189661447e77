import { InvalidCursorError } from './errors';

/** The last row of a page: creation time in microseconds and UTC, and the stream. */
export interface ListPosition {
  readonly createdAt: string;
  readonly streamId: string;
}

const time = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

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
    exists(position.createdAt) &&
    position.streamId.startsWith(`${category}-`) &&
    !position.streamId.includes('\0');
  if (!genuine) throw new InvalidCursorError();
  return position;
}

/** The database refuses the 30th of February; JavaScript would read it as the 2nd of March. */
function exists(createdAt: string): boolean {
  const date = new Date(createdAt);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 19) === createdAt.slice(0, 19);
}
