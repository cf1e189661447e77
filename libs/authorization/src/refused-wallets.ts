import { onBehalfOfWallets } from '@app/access';
import { EventStore } from '@app/event-store';
import { HeldRefusals } from '@app/http';
import type { RefusedStep } from '@app/openid4vc';
import type { Awaitable } from '@app/primitives/awaitable';
import { Inject, Injectable } from '@nestjs/common';
import { type Authorizations, AUTHORIZATIONS } from './authorization';
import { refuseWalletOfAuthorization } from './authorization-decisions';

/** The refusals of wallets that hold a code or token of an authorization, until they are recorded with it. */
@Injectable()
export class HeldAuthorizationRefusals extends HeldRefusals<string> {
  constructor(
    @Inject(AUTHORIZATIONS) authorizations: Authorizations,
    private readonly store: EventStore,
  ) {
    super((authorizationId, refusal) =>
      onBehalfOfWallets(() =>
        authorizations.update(authorizationId, ({ state }) =>
          state ? refuseWalletOfAuthorization(state, refusal) : [],
        ),
      ),
    );
  }

  note(authorizationId: string, refusal: RefusedStep): void {
    this.add(authorizationId, authorizationId, refusal, this.store.clock());
  }

  /** Records what is held of an authorization, before something is decided or shown that depends on it. */
  settle(authorizationId: string): Awaitable<unknown> {
    return this.settleStream(authorizationId);
  }
}
