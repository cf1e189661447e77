import { Command, Query } from '@nestjs/cqrs';
import type { ListSigner } from './status-list';

export type { ListSigner } from './status-list';
export { statusListAggregate } from './status-list';
export { statusListPublication } from './status-list-publication';

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

/**
 * Entries that no other credential has or ever gets, on any replica, for so many copies of a credential. They are used up,
 * also when the caller's unit of work fails.
 */
export class TakeStatusEntries extends Command<StatusEntries> {
  constructor(
    readonly signer: ListSigner,
    readonly count: number,
  ) {
    super();
  }
}

/**
 * What a list of this service says of an entry, at most a second old; `undefined` when the address is not one of ours or
 * the list has no such entry.
 */
export class StatusOfOwnEntry extends Query<ListedStatus | undefined> {
  constructor(
    readonly uri: string,
    readonly index: number,
  ) {
    super();
  }
}
