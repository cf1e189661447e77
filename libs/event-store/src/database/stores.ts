import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apart, atStore, currentStore } from '@app/primitives/context';
import { Injectable, Logger } from '@nestjs/common';
import { StoreUnavailableError } from '../errors';
import { type SqlDriver, SqlError } from './sql-driver';
import { StoreAtHand } from './store-at-hand';
import { claimStore } from './store-identity';

/** Names of further stores, which are names of files. Operators call the first one `first`. */
const storeName = /^(?!first$)[a-z0-9][a-z0-9-]{0,38}$/;

/** Milliseconds between two looks for stores that join, and for those that are away. */
const every = 2_000;

/** Where further stores are said to be. */
export interface FurtherStores {
  /** With a file for each, which holds the connection string; there are none when empty. */
  readonly directory: string;
  readonly connect: (connectionString: string) => SqlDriver;
  /** Brings the tables of one up to date. */
  readonly prepare: (driver: SqlDriver) => Promise<void>;
}

export interface StoreStanding {
  readonly name: string;
  /** Why it cannot be used; absent when it can. */
  readonly fault?: string;
}

interface Further {
  readonly driver: SqlDriver;
  isOpen: boolean;
  fault: string;
  opening?: Promise<void> | undefined;
}

const none: FurtherStores = {
  directory: '',
  connect: () => {
    throw new Error('There are no further stores.');
  },
  prepare: () => Promise.resolve(),
};

/**
 * The databases of one application: the first one, which has the tenants, the keys and all that is of the service itself, and further ones, of
 * which each has what tenants store. They join while the service runs.
 */
@Injectable()
export class Stores {
  /** The driver of the store at hand. */
  readonly driver: SqlDriver;
  private readonly logger = new Logger('Stores');
  private readonly further = new Map<string, Further>();
  private readonly joined: ((name: string) => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly first: SqlDriver,
    private readonly source: FurtherStores = none,
  ) {
    this.driver = this.mayHaveOthers ? new StoreAtHand(first, () => this.at(currentStore())) : first;
  }

  /** Whether there may ever be another one than the first. */
  get mayHaveOthers(): boolean {
    return this.source.directory !== '';
  }

  /** Looks for stores from now on. Resolves when each was tried once. */
  async start(): Promise<void> {
    if (!this.mayHaveOthers) return;
    this.timer = setInterval(() => void this.look(), every).unref();
    await this.look();
  }

  /** Those that are open, the first one as `undefined`. */
  open(): readonly (string | undefined)[] {
    return [undefined, ...[...this.further].flatMap(([name, { isOpen }]) => (isOpen ? [name] : []))];
  }

  /** The further ones, with those that are away. */
  standings(): readonly StoreStanding[] {
    return [...this.further].map(([name, { isOpen, fault }]) => ({ name, ...(!isOpen && { fault }) }));
  }

  /** Does work at each store that is open, at all at once; of those that fail the first one's reason is thrown, the first store's before others. */
  async each(work: () => Promise<unknown>): Promise<void> {
    const done = await Promise.allSettled(this.open().map((store) => atStore(store, work)));
    for (const one of done) if (one.status === 'rejected') throw one.reason;
  }

  /** Is called in the name of each further store, once it is open. */
  onJoin(listener: (name: string) => void): void {
    this.joined.push(listener);
    for (const name of this.open())
      if (name !== undefined)
        atStore(name, () => {
          listener(name);
        });
  }

  /** Throws `StoreUnavailableError` for one that is not open, or not known. */
  at(name: string | undefined): SqlDriver {
    if (name === undefined) return this.first;
    const found = this.further.get(name);
    if (found?.isOpen === true) return found.driver;
    throw new StoreUnavailableError(`The store ${name} cannot be used: ${found?.fault ?? 'no file names it'}.`, false);
  }

  /** An object of each store. @param own of the first one */
  objects<T>(own: T, make: (driver: SqlDriver) => T): () => T {
    if (!this.mayHaveOthers) return () => own;
    const made = new Map<string, T>();
    return () => {
      const name = currentStore();
      if (name === undefined) return own;
      const driver = this.at(name);
      const known = made.get(name);
      if (known !== undefined) return known;
      const fresh = make(driver);
      made.set(name, fresh);
      return fresh;
    };
  }

  /** Looks for stores that have joined, and tries those that are not open. */
  look(): Promise<void> {
    this.looking ??= apart(() => this.lookOnce()).finally(() => (this.looking = undefined));
    return this.looking;
  }

  async close(): Promise<void> {
    await Promise.all([this.closeFurther(), this.first.close()]);
  }

  async closeFurther(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
    await Promise.all([...this.further.values()].map(({ driver }) => driver.close()));
  }

  private async lookOnce(): Promise<void> {
    const { directory } = this.source;
    let names: readonly string[];
    try {
      names = (await readdir(directory)).filter((name) => storeName.test(name));
    } catch (error) {
      this.logger.warn({ event: 'stores.not-read', reason: error instanceof Error ? error.name : 'unknown' });
      return;
    }
    for (const name of names) {
      if (!this.further.has(name)) {
        const connectionString = (await readFile(join(directory, name), 'utf8').catch(() => '')).trim();
        if (connectionString === '') continue;
        this.further.set(name, {
          driver: this.source.connect(connectionString),
          isOpen: false,
          fault: 'not opened yet',
        });
      }
    }
    // One that hangs holds no other up.
    await Promise.all([...this.further].map(([name, one]) => this.tryToOpen(name, one)));
  }

  private async tryToOpen(name: string, one: Further): Promise<void> {
    if (one.isOpen) return;
    try {
      await claimStore(this.first, one.driver, name, this.source.prepare);
    } catch (error) {
      const fault = error instanceof Error ? error.message : 'unknown';
      // What a server says may name it.
      const isOfServer = error instanceof StoreUnavailableError || error instanceof SqlError;
      if (fault !== one.fault)
        this.logger.warn({ event: 'store.away', store: name, reason: isOfServer ? error.name : fault });
      one.fault = fault;
      return;
    }
    one.isOpen = true;
    this.logger.log({ event: 'store.joined', store: name });
    for (const listener of this.joined)
      atStore(name, () => {
        listener(name);
      });
  }
}
