import { type CurrentDeadline, noDeadline } from '@app/primitives/time';
import {
  type DynamicModule,
  Inject,
  type InjectionToken,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { EventStore } from '../event-store';
import { SQL_DRIVER, type SqlDriver } from '../database/sql-driver';
import { ErasureFollower } from './erasure-follower';
import { ErasureKeys } from './erasure-keys';
import { openErasureKeys } from './open-erasure-keys';

/** Injection token of the `ErasureKeys`; `undefined` where the store has none. */
export const ERASURE_KEYS = Symbol('ERASURE_KEYS');

export interface ErasureKeysOptions<A extends unknown[]> {
  readonly inject: InjectionToken[];
  /** Returns the connection string, empty for none. */
  readonly useFactory: (...injected: A) => string;
  /** How long the caller of the current work waits for it; indefinitely when absent. */
  readonly deadline?: CurrentDeadline;
}

/** Global: provides `ERASURE_KEYS`, opened and checked, and has them follow the erasures of the store. */
@Module({})
export class ErasureKeysModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly follower: ErasureFollower | undefined;

  constructor(
    private readonly store: EventStore,
    @Inject(SQL_DRIVER) driver: SqlDriver,
    @Inject(ERASURE_KEYS) private readonly keys: ErasureKeys | undefined,
  ) {
    this.follower = keys && new ErasureFollower(driver, keys);
  }

  static forRootAsync<A extends unknown[]>(options: ErasureKeysOptions<A>): DynamicModule {
    const { inject, useFactory, deadline = noDeadline } = options;
    return {
      module: ErasureKeysModule,
      global: true,
      providers: [
        {
          provide: ERASURE_KEYS,
          inject: [SQL_DRIVER, ...inject],
          useFactory: async (store: SqlDriver, ...injected: A) => {
            const driver = await openErasureKeys(store, useFactory(...injected), deadline);
            return driver && new ErasureKeys(driver, deadline);
          },
        },
      ],
      exports: [ERASURE_KEYS],
    };
  }

  onApplicationBootstrap(): void {
    const { follower } = this;
    if (!follower) return;
    this.store.afterErasure((streamIds) => follower.carryOut(streamIds));
    if (this.store.leavesBackground) return;
    this.store.addLags(() => Promise.resolve([['erasure-keys', follower.lag()]]));
    follower.start();
  }

  /** Before the store closes its database. */
  async onModuleDestroy(): Promise<void> {
    await this.follower?.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.keys?.driver.close();
  }
}
