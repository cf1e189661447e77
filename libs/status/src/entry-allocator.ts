import { Settings } from '@app/config';
import {
  AlreadyConsumedError,
  EventStore,
  historyMark,
  Repository,
  STORE_DRIVER,
  type SqlDriver,
} from '@app/event-store';
import { Authenticator, hashOfSecret } from '@app/keys';
import { apart, perTenant } from '@app/primitives/context';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { StatusEntries } from './listed-status';
import { entryOrder } from './entry-order';
import {
  familyOf,
  type ListSigner,
  openStatusList,
  reserveEntries,
  type StatusList,
  type StatusListEvent,
  STATUS_LISTS,
} from './status-list';

/** Entries that a process reserves at a time; what it has not handed out when it stops is lost. */
const blockSize = 256;
/** Attempts: every replica that issues reserves in the same list, and who fails here issues nothing. */
const patience = 50;
/** So many left have the next block reserved before it is needed. */
const low = 64;

interface OpenBlock {
  readonly listId: string;
  /** What `historyMark` said when it was reserved. */
  readonly history: string;
  readonly entryAt: (place: number) => number;
  next: number;
  readonly end: number;
}

/** Hands out entries of status lists, each once over all replicas. */
@Injectable()
export class EntryAllocator {
  private readonly logger = new Logger(EntryAllocator.name);
  /** By families of lists. */
  private readonly blocks = perTenant(new Map<string, OpenBlock[]>(), () => new Map<string, OpenBlock[]>());
  private readonly reserving = perTenant(new Map<string, Promise<void>>(), () => new Map<string, Promise<void>>());

  constructor(
    private readonly store: EventStore,
    @Inject(STATUS_LISTS) private readonly lists: Repository<StatusList, StatusListEvent>,
    @Inject(STORE_DRIVER) private readonly driver: SqlDriver,
    private readonly authenticator: Authenticator,
    private readonly settings: Settings,
  ) {}

  /** @param count entries of one list; at most the size of a block */
  async take(signer: ListSigner, count: number): Promise<StatusEntries> {
    for (;;) {
      const taken = this.takenFrom(this.blocks.get(familyOf(signer)) ?? [], count);
      if (taken) {
        this.reserveAhead(signer);
        return taken;
      }
      await this.reserveOnce(signer);
    }
  }

  private takenFrom(blocks: readonly OpenBlock[], count: number): StatusEntries | undefined {
    const block = blocks.find(({ next, end }) => end - next >= count);
    if (!block) return undefined;
    const { listId, entryAt, next } = block;
    block.next += count;
    return { listId, indices: Array.from({ length: count }, (_, place) => entryAt(next + place)) };
  }

  private reserveAhead(signer: ListSigner): void {
    const left = (this.blocks.get(familyOf(signer)) ?? []).reduce((sum, { next, end }) => sum + end - next, 0);
    if (left >= low) return;
    this.reserveOnce(signer).catch((error: unknown) => {
      // Who needs the block will try again, and hear of it.
      const reason = error instanceof Error ? error.name : 'unknown';
      this.logger.warn({ event: 'status-list.reservation-failed', reason });
    });
  }

  private reserveOnce(signer: ListSigner): Promise<void> {
    const family = familyOf(signer);
    const running = this.reserving.get(family);
    if (running) return running;
    // Of no unit of work, although caused in one: an entry that was handed out is used up, whatever becomes of the unit.
    const started = apart(() => this.reserve(signer)).finally(() => {
      this.reserving.delete(family);
    });
    this.reserving.set(family, started);
    return started;
  }

  private async reserve(signer: ListSigner): Promise<void> {
    const family = familyOf(signer);
    const history = await historyMark(this.driver);
    for (;;) {
      // Counted first: a list that another replica opens from here on has the place of the one that this one would open.
      const place = await this.lists.countChildren(family);
      const { items } = await this.lists.list({ parent: family, order: 'newest', limit: 1 });
      const [newest] = items;
      const block = newest && (await this.reserveIn(newest.id, history));
      if (block) {
        // Another history may lack the list that a block is of.
        const kept = (this.blocks.get(family) ?? []).filter((one) => one.history === history && one.next < one.end);
        this.blocks.set(family, [...kept, block]);
        return;
      }
      await this.open(signer, place, history);
    }
  }

  private async reserveIn(listId: string, history: string): Promise<OpenBlock | undefined> {
    const { state, result } = await this.lists.update(
      listId,
      ({ state: list }) => {
        if (!list) throw new Error('a listed status list that is not there');
        const { events, block } = reserveEntries(list, blockSize, history);
        return { events, result: block };
      },
      { attempts: patience },
    );
    if (!state || !result) return undefined;
    const key = this.authenticator.macOfSalt('status-list-entries', state.salt);
    const { first, count } = result;
    return { listId, history, entryAt: entryOrder(key, state.size), next: first, end: first + count };
  }

  /** Of replicas that want to open the next list at the same time, one does. */
  private async open(signer: ListSigner, place: number, history: string): Promise<void> {
    const family = familyOf(signer);
    const listId = randomBytes(16).toString('base64url');
    const opened = { kind: 'status-list', hash: hashOfSecret(JSON.stringify([family, place])) };
    const terms = {
      ...signer,
      listId,
      size: this.settings.statusLists.entries,
      salt: this.authenticator.newSalt(16),
      history,
      openedAt: this.store.clock().toISOString(),
    };
    try {
      await this.lists.save(listId, 0, openStatusList(terms), { consume: [opened] });
    } catch (error) {
      if (!(error instanceof AlreadyConsumedError)) throw error;
    }
  }
}
