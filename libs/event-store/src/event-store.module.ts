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
import { SQL_DRIVER, type SqlDriver } from './database/sql-driver';
import { WatchedDriver } from './database/watched.driver';

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
}

/** Global: provides `EventStore`, `DueErasures`, `DueExpiries`, `Tenants` and `SQL_DRIVER`, opened and migrated before any other provider gets them. */
@Module({})
export class EventStoreModule {
  static forRootAsync<A extends unknown[]>(options: EventStoreAsyncOptions<A>): DynamicModule {
    const { deadline = noDeadline, provers, leavesBackground = false } = options;
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
      exports: [EventStore, DueErasures, DueExpiries, SQL_DRIVER, Tenants],
    };
  }
}

/** Opens the database and brings its tables up to date. */
export async function openDriver(options: EventStoreOptions): Promise<SqlDriver> {
  const driver = await connectDriver(options);
  try {
    await migrate(driver);
    await adoptRestoredHistory(driver);
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
