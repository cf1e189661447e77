import { onBehalfOfWallets } from '@app/access';
import { EventStore, HeldMarks, PendingMarks } from '@app/event-store';
import { HeldRefusals } from '@app/http';
import { OAuthError, refusalOf, REQUEST_VARIANTS, type RequestVariant } from '@app/openid4vc';
import { allThere, attempt, type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import { types } from 'node:util';
import {
  AUTHORIZATION_REQUESTS,
  type PresentationRequests,
  refuseResponse,
  retrieveRequest,
} from './authorization-request';
import type { AuthorizationRequest, AuthorizationRequestEvent } from './request-record';

interface Answered {
  readonly requestId: string;
  readonly variant: RequestVariant;
}

interface Retrieval extends Answered {
  readonly retrievedAt: Date;
}

/**
 * What wallets did with authorization requests, until it is recorded: the first fetch of each object with the response or by itself after
 * a second, and the responses that could not be read.
 */
@Injectable()
export class PendingRequestMarks extends PendingMarks {
  private readonly retrievals = new HeldMarks<Retrieval>(({ requestId, variant, retrievedAt }) =>
    this.record(requestId, (request) => retrieveRequest(request, variant, retrievedAt)),
  );
  private readonly refusals = new HeldRefusals<Answered>(({ requestId, variant }, refusal) =>
    this.record(requestId, (request, now) => refuseResponse(request, { variant, now }, refusal)),
  );
  protected readonly kinds = [this.retrievals, this.refusals];

  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly store: EventStore,
  ) {
    super();
  }

  /** A wallet has fetched the object. @param retrievedAt by the database's clock */
  retrieved(request: AuthorizationRequest, variant: RequestVariant, retrievedAt: Date): Awaitable<unknown> {
    const { state: requestId, retrievedBy } = request;
    if (retrievedBy.includes(variant)) return undefined;
    return this.retrievals.hold(keyOf(requestId, variant), { requestId, variant, retrievedAt });
  }

  /** When a wallet first fetched the object, if that is not recorded and was here. */
  retrievedAt({ state: requestId }: AuthorizationRequest, variant: RequestVariant): Date | undefined {
    return this.retrievals.of(keyOf(requestId, variant))?.retrievedAt;
  }

  /** A response has recorded the fetch. */
  retrievalRecorded(requestId: string, variant: RequestVariant): void {
    this.retrievals.forget(keyOf(requestId, variant));
  }

  /** Does the work of reading a response; notes what it throws for the wallet. */
  reading<T>(requestId: string, variant: RequestVariant, work: () => Awaitable<T>): Awaitable<T> {
    const read = attempt(work);
    if (!types.isPromise(read)) return read;
    return read.catch((error: unknown) => {
      if (error instanceof OAuthError) {
        const refusal = refusalOf(error, { endpoint: 'response' });
        this.refusals.add(requestId, { requestId, variant }, refusal, this.store.clock());
      }
      throw error;
    });
  }

  /** Records what there is of a request, before something is decided or shown that depends on it. */
  settle(requestId: string): Awaitable<unknown> {
    const fetched = REQUEST_VARIANTS.map((variant) => this.retrievals.settleOne(keyOf(requestId, variant)));
    return whenThere(allThere(fetched), () => this.settleRefusals(requestId));
  }

  /** The same for the responses that could not be read. */
  settleRefusals(requestId: string): Awaitable<unknown> {
    return this.refusals.settleStream(requestId);
  }

  private record(
    requestId: string,
    decide: (request: AuthorizationRequest, now: Date) => AuthorizationRequestEvent[],
  ): Awaitable<unknown> {
    return onBehalfOfWallets(() =>
      this.requests.update(requestId, ({ state, now }) => (state ? decide(state, now) : [])),
    );
  }
}

function keyOf(requestId: string, variant: RequestVariant): string {
  return `${variant} ${requestId}`;
}
