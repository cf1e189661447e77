import { onBehalfOfWallets } from '@app/access';
import { EventStore } from '@app/event-store';
import { HeldRefusals } from '@app/http';
import { OAuthError, type RefusedStep, refusalOf, type RequestVariant, type WalletRefusal } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import { AUTHORIZATION_REQUESTS, type PresentationRequests, refuseResponse } from './authorization-request';

interface Answered {
  readonly requestId: string;
  readonly variant: RequestVariant;
}

/** The responses of wallets that could not be read, until they are recorded. */
@Injectable()
export class RefusedResponses extends HeldRefusals<Answered> {
  constructor(
    @Inject(AUTHORIZATION_REQUESTS) private readonly requests: PresentationRequests,
    private readonly store: EventStore,
  ) {
    super();
  }

  /** Does the work of reading a response; notes what it throws for the wallet. */
  async reading<T>(requestId: string, variant: RequestVariant, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof OAuthError) this.note({ requestId, variant }, refusalOf(error, { endpoint: 'response' }));
      throw error;
    }
  }

  /** Records what is held of a request, before something is decided or shown that depends on it. */
  settle(requestId: string): Promise<void> {
    return this.settleStream(nameOf(requestId));
  }

  protected record({ requestId, variant }: Answered, refusal: WalletRefusal): Promise<unknown> {
    return onBehalfOfWallets(() =>
      this.requests.update(requestId, ({ state, now }) =>
        state ? refuseResponse(state, { variant, now }, refusal) : [],
      ),
    );
  }

  private note(answered: Answered, refusal: RefusedStep): void {
    this.add(nameOf(answered.requestId), answered, refusal, this.store.clock());
  }
}

/** Portals choose the ids, and may use spaces. */
function nameOf(requestId: string): string {
  return encodeURIComponent(requestId);
}
