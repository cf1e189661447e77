import { Inject, Injectable } from '@nestjs/common';
import type { Aggregate, DomainEvent, Repository, SingleUse, StoredEvent } from './aggregate';
import { SQL_DRIVER, type SqlDriver } from './sql-driver';

export interface Subscription {
  /** Resolves when a running handler has finished. */
  stop(): Promise<void>;
}

export interface Rebuilt {
  readonly streams: number;
  readonly events: number;
  /** Stream ids whose stored state was not what their events say. */
  readonly differing: string[];
}

@Injectable()
export class EventStore {
  constructor(@Inject(SQL_DRIVER) readonly driver: SqlDriver) {}

  repository<S, E extends DomainEvent>(_aggregate: Aggregate<S, E>): Repository<S, E> {
    throw new Error('not built yet');
  }
  transact<T>(_work: () => Promise<T>): Promise<T> {
    throw new Error('not built yet');
  }
  /** Uses values up without a stream of their own; joins the unit of work. */
  consume(..._values: SingleUse[]): Promise<void> {
    throw new Error('not built yet');
  }
  destroyDataKey(_category: string, _id: string): Promise<void> {
    throw new Error('not built yet');
  }
  subscribe(_name: string, _handler: (event: StoredEvent) => Promise<void>): Subscription {
    throw new Error('not built yet');
  }
  verify(): Promise<Rebuilt> {
    throw new Error('not built yet');
  }
  rebuild(): Promise<Rebuilt> {
    throw new Error('not built yet');
  }
  removeExpired(): Promise<number> {
    throw new Error('not built yet');
  }
  ping(): Promise<void> {
    throw new Error('not built yet');
  }
  close(): Promise<void> {
    throw new Error('not built yet');
  }
}
