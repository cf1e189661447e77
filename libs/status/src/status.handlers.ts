import { CommandHandler, ICommandHandler, IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { ListedStatus, StatusEntries } from './listed-status';
import { StatusOfOwnEntry, TakeStatusEntries } from './api';
import { EntryAllocator } from './entry-allocator';
import { StatusLists } from './status-lists';

@CommandHandler(TakeStatusEntries)
export class TakeStatusEntriesHandler implements ICommandHandler<TakeStatusEntries> {
  constructor(private readonly allocator: EntryAllocator) {}

  execute({ signer, count }: TakeStatusEntries): Promise<StatusEntries> {
    return this.allocator.take(signer, count);
  }
}

@QueryHandler(StatusOfOwnEntry)
export class StatusOfOwnEntryHandler implements IQueryHandler<StatusOfOwnEntry> {
  constructor(private readonly lists: StatusLists) {}

  execute({ uri, index }: StatusOfOwnEntry): Promise<ListedStatus | undefined> {
    return this.lists.statusOf(uri, index);
  }
}
