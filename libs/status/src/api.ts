import { Command, Query } from '@nestjs/cqrs';
import type { ListedStatus, StatusEntries } from './listed-status';
import type { ListSigner } from './status-list';

export { type ListedStatus, type StatusChange, type StatusEntries } from './listed-status';
export type { ListSigner } from './status-list';
export { statusListAggregate } from './status-list';
export { movedStatusTables } from './moved-tables';
export { subscription as statusListSubscription } from './told-changes';
export { checkStatusChanges, rebuildStatusChanges } from './rebuilt-changes';
export { statusListPublication } from './status-list-publication';

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
