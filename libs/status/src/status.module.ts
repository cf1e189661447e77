import { EventStore, STORE_DRIVER, type SqlDriver } from '@app/event-store';
import { ProofKeys } from '@app/keys';
import { Module } from '@nestjs/common';
import { EntryAllocator } from './entry-allocator';
import { HistoricLists } from './historic-lists';
import { ListSigners } from './list-signers';
import { StatusChanges } from './status-changes';
import { statusListAggregate, STATUS_LISTS } from './status-list';
import { StatusLists } from './status-lists';
import { StatusListsEndpoint } from './status-lists.endpoint';
import { StatusProjection } from './status-projection';
import { StatusOfOwnEntryHandler, TakeStatusEntriesHandler } from './status.handlers';

@Module({
  controllers: [StatusListsEndpoint],
  providers: [
    {
      provide: STATUS_LISTS,
      inject: [EventStore],
      useFactory: (store: EventStore) => store.repository(statusListAggregate),
    },
    {
      provide: StatusChanges,
      inject: [STORE_DRIVER, ProofKeys],
      useFactory: (driver: SqlDriver, provers: ProofKeys) => new StatusChanges(driver, provers),
    },
    StatusProjection,
    ListSigners,
    HistoricLists,
    StatusLists,
    EntryAllocator,
    TakeStatusEntriesHandler,
    StatusOfOwnEntryHandler,
  ],
})
export class StatusModule {}
