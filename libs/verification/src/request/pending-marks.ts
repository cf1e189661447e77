import { Injectable } from '@nestjs/common';
import { FirstRetrievals } from './first-retrievals';
import { RefusedResponses } from './refused-responses';

/** What wallets did with authorization requests, as far as it waits to be recorded. */
@Injectable()
export class PendingRequestMarks {
  constructor(
    readonly retrievals: FirstRetrievals,
    readonly refusals: RefusedResponses,
  ) {}

  /** Records what there is of a request, before something is decided or shown that depends on it. */
  async settle(requestId: string): Promise<void> {
    await this.retrievals.settle(requestId);
    await this.refusals.settle(requestId);
  }

  /** The same for all requests, before they are listed. */
  async settleAll(): Promise<void> {
    await Promise.all([this.retrievals.settleAll(), this.refusals.settleAll()]);
  }
}
