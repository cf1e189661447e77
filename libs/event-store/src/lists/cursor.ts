import { InvalidCursorError } from '../errors';
import { refuseNewer, withoutVersion, withVersion } from '../streams/named-version';

/** The last row of a page. */
export interface ListPosition {
  /** A time in UTC: of creation in microseconds, or of expiry or issue in milliseconds. */
  readonly sortedBy: string;
  readonly streamId: string;
}

export type ListOrder = 'creation' | 'expiry' | 'issue';

const milliseconds = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const times: Readonly<Record<ListOrder, RegExp>> = {
  creation: /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  expiry: milliseconds,
  issue: milliseconds,
};

const cursorVersion = 1;

/** Opaque to the caller, who can neither read a page size nor an order into it. */
export function renderCursor(position: ListPosition): string {
  const text = Buffer.from(`${position.sortedBy} ${position.streamId}`).toString('base64url');
  return withVersion(cursorVersion, text);
}

/**
 * Throws `InvalidCursorError` unless the cursor was made by `renderCursor` for a list of this category in this order, and
 * `NewerVersionError` for one of a newer release.
 */
export function parseCursor(cursor: string, category: string, order: ListOrder): ListPosition {
  refuseNewer('cursor', cursor, cursorVersion);
  const text = Buffer.from(withoutVersion(cursor), 'base64url').toString();
  const space = text.indexOf(' ');
  const position = { sortedBy: text.slice(0, space), streamId: text.slice(space + 1) };
  const genuine =
    renderCursor(position) === cursor &&
    times[order].test(position.sortedBy) &&
    exists(position.sortedBy) &&
    position.streamId.startsWith(`${category}-`) &&
    !position.streamId.includes('\0');
  if (!genuine) throw new InvalidCursorError();
  return position;
}

/** The database refuses the 30th of February; JavaScript would read it as the 2nd of March. */
function exists(time: string): boolean {
  const date = new Date(time);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 19) === time.slice(0, 19);
}
