import { attempt } from '@app/primitives/context';
import { Injectable } from '@nestjs/common';
import { type IQuery, QueryBus } from '@nestjs/cqrs';

type Handle = (query: IQuery) => Promise<never>;

/** A query costs what its handler does, as a command does: Nest's bus would wait for it, by two promises of its own. */
@Injectable()
export class DirectQueryBus extends QueryBus {
  override execute(query: IQuery): Promise<never> {
    const handlers = this['handlers'] as ReadonlyMap<string, Handle>;
    const handle = handlers.get(this['getQueryId'](query) as string);
    // It rejects with what is missing.
    if (!handle) return super.execute(query);
    this.publisher.publish(query);
    return attempt(() => handle(query)) as Promise<never>;
  }
}
