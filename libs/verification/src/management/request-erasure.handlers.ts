import { DueErasures, type ErasureCause, erasePersonalData, EventStore } from '@app/event-store';
import { assertConditions, type Conditions } from '@app/http';
import { Problem } from '@app/primitives/problems';
import { Inject, type OnModuleInit } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import {
  AUTHORIZATION_REQUESTS,
  authorizationRequestAggregate,
  type PresentationRequests,
} from '../request/authorization-request';
import { PendingRequestMarks } from '../request/pending-marks';

/** Erases the personal data of a request for good. Throws `not-found`, and `version-conflict` by the conditions. */
export class EraseRequest extends Command<void> {
  constructor(
    readonly requestId: string,
    readonly cause: ErasureCause,
    readonly conditions: Conditions = {},
  ) {
    super();
  }
}

@CommandHandler(EraseRequest)
export class EraseRequestHandler implements ICommandHandler<EraseRequest>, OnModuleInit {
  constructor(
    private readonly store: EventStore,
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly marks: PendingRequestMarks,
    private readonly due: DueErasures,
  ) {}

  onModuleInit(): void {
    const { category } = authorizationRequestAggregate;
    this.due.add(category, (id) => this.execute(new EraseRequest(id, 'retention')));
  }

  async execute({ requestId, cause, conditions }: EraseRequest): Promise<void> {
    await this.marks.settle(requestId);
    await this.store.transact(async () => {
      await this.requests.update(requestId, ({ state, version, now }) => {
        if (!state) throw new Problem('not-found', `There is no authorization request with the state ${requestId}.`);
        assertConditions(conditions, version);
        return erasePersonalData(state, cause, now);
      });
      // Again, too, when the event is there: a backup may have brought the key back.
      await this.store.destroyDataKey(authorizationRequestAggregate.category, requestId);
    });
  }
}
