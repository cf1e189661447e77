/** The places of the copies of one credential in a status list. */
export interface StatusEntries {
  readonly listId: string;
  readonly indices: readonly number[];
}

export const listedStatuses = ['valid', 'suspended', 'revoked'] as const;
export type ListedStatus = (typeof listedStatuses)[number];

/** What an event of another module has as `statusChange` when it changes entries of a list; nothing else has to be known. */
export interface StatusChange extends StatusEntries {
  readonly to: ListedStatus;
}

/** The values of Token Status List §7.1. */
export const statusValues: Readonly<Record<ListedStatus, number>> = { valid: 0, revoked: 1, suspended: 2 };

/** By its value; `undefined` for one that this service gives no entry. */
export function statusOfValue(value: number | undefined): ListedStatus | undefined {
  return listedStatuses.find((status) => statusValues[status] === value);
}
