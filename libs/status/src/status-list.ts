import type { IssuerIdentifier } from '@app/config';
import type { Aggregate } from '@app/event-store';
import type { SigningAlgorithm } from '@app/keys';

/** Who signs a list: the same name and kind of key as the credentials with entries in it. */
export interface ListSigner {
  readonly identifier: IssuerIdentifier;
  readonly algorithm: SigningAlgorithm;
}

export interface ListTerms extends ListSigner {
  readonly listId: string;
  /** Entries; a power of two. */
  readonly size: number;
  /** Of the order in which entries are handed out. */
  readonly salt: string;
  /** What `historyMark` said when it was opened. */
  readonly history: string;
  readonly openedAt: string;
}

export type StatusListEvent =
  | ({ readonly type: 'StatusListOpened' } & ListTerms)
  | {
      readonly type: 'StatusEntriesReserved';
      /** How many are reserved from now on, those of before included. */
      readonly reserved: number;
    };

export type StatusList = ListTerms & { readonly reserved: number };

/** Entries that one process hands out. Their places in the list follow from the salt. */
export interface Block {
  readonly first: number;
  readonly count: number;
}

export function openStatusList(terms: ListTerms): StatusListEvent[] {
  return [{ type: 'StatusListOpened', ...terms }];
}

/**
 * Reserves entries for one process, so that no two ever hand out the same; nothing when another list has to be opened: half
 * of the entries stay decoys, and a list is closed when the events that reserved its entries may have been lost.
 */
export function reserveEntries(
  list: StatusList,
  count: number,
  history: string,
): { readonly events: StatusListEvent[]; readonly block: Block | undefined } {
  const { reserved } = list;
  if (list.history !== history || reserved + count > list.size / 2) return { events: [], block: undefined };
  return {
    events: [{ type: 'StatusEntriesReserved', reserved: reserved + count }],
    block: { first: reserved, count },
  };
}

/** Lists of one family have the same signer. */
export function familyOf({ identifier, algorithm }: ListSigner): string {
  return `${identifier} ${algorithm}`;
}

export const statusListAggregate: Aggregate<StatusList, StatusListEvent> = {
  category: 'statusList',
  evolve(list, event) {
    if (event.type === 'StatusListOpened') {
      const { type: _type, ...terms } = event;
      return { ...terms, reserved: 0 };
    }
    if (!list) throw new Error('entries of a status list that was never opened');
    return { ...list, reserved: event.reserved };
  },
  parent: familyOf,
};

/** Injection token of the lists' repository. */
export const STATUS_LISTS = Symbol('STATUS_LISTS');
