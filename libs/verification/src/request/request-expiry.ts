import { DueExpiries } from '@app/event-store';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  AUTHORIZATION_REQUESTS,
  authorizationRequestAggregate,
  type PresentationRequests,
  expireRequest,
  requestsToExpire,
} from './authorization-request';

/** Has the expiry of authorization requests recorded. */
@Injectable()
export class RequestExpiry implements OnModuleInit {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly due: DueExpiries,
  ) {}

  onModuleInit(): void {
    this.due.add({
      category: authorizationRequestAggregate.category,
      list: (page) => this.requests.listInStates({ ...page, ...requestsToExpire }),
      record: async (id) => {
        await this.requests.update(id, ({ state, now }) => (state ? expireRequest(state, now) : []));
      },
    });
  }
}
