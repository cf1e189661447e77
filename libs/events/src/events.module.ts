import { Module } from '@nestjs/common';
import { EventFeed } from './event-feed';
import { EventStreams } from './event-streams';
import { EventsController } from './events.controller';

/** What other systems learn of the events of the service. */
@Module({
  controllers: [EventsController],
  providers: [EventFeed, EventStreams],
})
export class EventsModule {}
