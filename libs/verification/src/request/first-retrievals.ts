import { onBehalfOfWallets } from '@app/access';
import { HeldMarks } from '@app/event-store';
import { REQUEST_VARIANTS, type RequestVariant } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import { AUTHORIZATION_REQUESTS, retrieveRequest, type PresentationRequests } from './authorization-request';
import type { AuthorizationRequest } from './request-record';

interface Retrieval {
  readonly requestId: string;
  readonly variant: RequestVariant;
  readonly retrievedAt: Date;
}

/** The first fetches of request objects, until they are recorded: with the response, or by themselves after a second. */
@Injectable()
export class FirstRetrievals extends HeldMarks<Retrieval> {
  constructor(@Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests) {
    super();
  }

  /** A wallet has fetched the object. @param retrievedAt by the database's clock */
  async note(request: AuthorizationRequest, variant: RequestVariant, retrievedAt: Date): Promise<void> {
    const { state: requestId, retrievedBy } = request;
    if (retrievedBy.includes(variant)) return;
    await this.hold(keyOf(requestId, variant), { requestId, variant, retrievedAt });
  }

  /** Records what is held of a request before something is decided or shown that depends on it. */
  async settle(requestId: string): Promise<void> {
    await Promise.all(REQUEST_VARIANTS.map((variant) => this.settleOne(keyOf(requestId, variant))));
  }

  /** When a wallet first fetched the object, if that is not recorded and was here. */
  timeOf({ state: requestId }: AuthorizationRequest, variant: RequestVariant): Date | undefined {
    return this.of(keyOf(requestId, variant))?.retrievedAt;
  }

  /** A response has recorded it. */
  recorded(requestId: string, variant: RequestVariant): void {
    this.forget(keyOf(requestId, variant));
  }

  protected write({ requestId, variant, retrievedAt }: Retrieval): Promise<unknown> {
    return onBehalfOfWallets(() =>
      this.requests.update(requestId, ({ state }) => (state ? retrieveRequest(state, variant, retrievedAt) : [])),
    );
  }
}

function keyOf(requestId: string, variant: RequestVariant): string {
  return `${variant} ${requestId}`;
}
