import { Tenants } from '@app/primitives/context';
import { type CurrentDeadline, noDeadline } from '@app/primitives/time';
import { type DynamicModule, type InjectionToken, Module, type OptionalFactoryDependency } from '@nestjs/common';
import { DueErasures } from './erasure/due-erasures';
import { DueExpiries } from './subscriptions/due-expiries';
import { EmbeddedDriver } from './embedded/embedded.driver';
import { CURRENT_DEADLINE, EventStore, LEAVES_BACKGROUND } from './event-store';
import { migrate } from './database/migrate';
import { PostgresDriver } from './database/postgres.driver';
import { adoptRestoredHistory } from './rebuild/restored-server';
import { PROVERS } from './proofs/proofs';
import { SQL_DRIVER, type SqlDriver, STORE_DRIVER } from './database/sql-driver';
import { type FurtherStores, Stores } from './database/stores';
import { WatchedDriver } from './database/watched.driver';

export interface FurtherStoresOptions {
  /** As `FurtherStores` has it. */
  readonly directory: string;
  readonly poolSize?: number | undefined;
}

export type EventStoreOptions =
  | { readonly type: 'postgres'; readonly connectionString: string; readonly poolSize?: number | undefined }
  | { readonly type: 'embedded'; readonly directory: string };

export interface EventStoreAsyncOptions<A extends unknown[]> {
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[];
  readonly useFactory: (...injected: A) => EventStoreOptions | Promise<EventStoreOptions>;
  /** How long the caller of the current work waits for it; indefinitely when absent. */
  readonly deadline?: CurrentDeadline;
  /** A provider of `Provers` that proves what is written; nothing is proven when absent. */
  readonly provers?: InjectionToken;
  /** Whether another thread works in the background on the same server; an embedded database has no other. See `EventStore`. */
  readonly leavesBackground?: boolean;
  /** Where further stores are; there are none when absent. */
  readonly furtherStores?: (...injected: A) => FurtherStoresOptions;
}

/** Global: provides what `exports` lists, opened and migrated before any other provider gets it. */
@Module({})
export class EventStoreModule {
  static forRootAsync<A extends unknown[]>(options: EventStoreAsyncOptions<A>): DynamicModule {
    const { deadline = noDeadline, provers, leavesBackground = false, furtherStores } = options;
    return {
      module: EventStoreModule,
      global: true,
      providers: [
        {
          provide: SQL_DRIVER,
          inject: options.inject ?? [],
          useFactory: async (...injected: A) => {
            const driver = await openDriver(await options.useFactory(...injected));
            // What runs in this process cannot be silent while this process is not.
            return driver.kind === 'embedded' ? driver : new WatchedDriver(driver, deadline);
          },
        },
        {
          provide: Stores,
          inject: [SQL_DRIVER, ...(options.inject ?? [])],
          useFactory: async (first: SqlDriver, ...injected: A) => {
            const further = furtherStores?.(...injected);
            const stores = new Stores(first, further && furtherStoresOf(further, deadline));
            await stores.start();
            return stores;
          },
        },
        { provide: STORE_DRIVER, inject: [Stores], useFactory: ({ driver }: Stores) => driver },
        { provide: CURRENT_DEADLINE, useValue: deadline },
        {
          provide: LEAVES_BACKGROUND,
          inject: [SQL_DRIVER],
          useFactory: ({ kind }: SqlDriver) => leavesBackground && kind !== 'embedded',
        },
        ...(provers === undefined ? [] : [{ provide: PROVERS, useExisting: provers }]),
        Tenants,
        EventStore,
        DueErasures,
        DueExpiries,
      ],
      exports: [EventStore, DueErasures, DueExpiries, SQL_DRIVER, STORE_DRIVER, Stores, Tenants],
    };
  }
}

export function furtherStoresOf({ directory, poolSize }: FurtherStoresOptions, deadline = noDeadline): FurtherStores {
  return {
    directory,
    connect: (connectionString) => new WatchedDriver(new PostgresDriver(connectionString, poolSize), deadline),
    prepare,
  };
}

async function prepare(driver: SqlDriver): Promise<void> {
  await migrate(driver);
  await adoptRestoredHistory(driver);
}

/** Opens the database and brings its tables up to date. */
export async function openDriver(options: EventStoreOptions): Promise<SqlDriver> {
  const driver = await connectDriver(options);
  try {
    await prepare(driver);
    return driver;
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** Opens the database without migrating it: its tables may be older than this release, or not there at all. */
export async function connectDriver(options: EventStoreOptions): Promise<SqlDriver> {
  return options.type === 'postgres'
    ? new PostgresDriver(options.connectionString, options.poolSize)
    : EmbeddedDriver.open(options.directory);
}
