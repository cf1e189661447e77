/**
 * SQL: a time as UTC text in microseconds, as `2026-01-01T00:00:00.000000Z`. A Date has milliseconds.
 * @param time an expression of the type timestamptz
 */
export const instant = (time: string): string => `to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
