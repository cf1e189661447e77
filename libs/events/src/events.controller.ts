import { Implements, type Input, Resource, HttpReply } from '@app/http';
import { EventStreams } from './event-streams';
import { events } from './events.contract';

@Resource(events)
export class EventsController {
  constructor(private readonly streams: EventStreams) {}

  @Implements(events.stream)
  async stream({ query, lastEventId }: Input<typeof events.stream>): Promise<HttpReply> {
    const { after, types, subject } = query;
    const stream = await this.streams.openFor({
      after: lastEventId ?? after,
      types: types === undefined ? undefined : new Set(types.split(',')),
      subject,
    });
    return new HttpReply(200, stream, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Proxies that buffer answers would keep events back (nginx).
      'X-Accel-Buffering': 'no',
    });
  }
}
