import {
  type Denial,
  type Grant,
  AwaitCredential,
  FindGrantOfOffer,
  FindOfferOfAuthorization,
  NoteRefusal,
  RecordDenials,
  RedeemOfferByAuthorization,
} from '@app/offers';
import type { RefusedStep } from '@app/openid4vc';
import type { Awaitable } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Authorization, linkedOffer } from '../authorization';
import { HeldAuthorizationRefusals } from '../refused-wallets';

/** The offer that an authorization accepts. */
@Injectable()
export class OfferedGrant {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly refused: HeldAuthorizationRefusals,
  ) {}

  /** Uses the offer up, if there is one. Joins the unit of work. @returns whether the wallet may have a token */
  redeem(authorization: Authorization): Awaitable<boolean> {
    const offer = linkedOffer(authorization);
    if (!offer) return true;
    const redeemed = this.commands.execute(new RedeemOfferByAuthorization(offer, authorization));
    return redeemed.then(({ outcome }) => outcome === 'redeemed');
  }

  /** `authorization`: its own data holds; `undefined`: the offer was reopened, and what was granted is void. */
  find({ offerId, authorizationId }: Authorization): Awaitable<Grant | 'authorization' | undefined> {
    if (offerId === undefined) return 'authorization';
    return this.queries
      .execute(new FindOfferOfAuthorization(offerId, authorizationId))
      .then((found): Awaitable<Grant | 'authorization' | undefined> =>
        found?.data === 'offer' ? this.queries.execute(new FindGrantOfOffer(found.name)) : found?.data,
      );
  }

  /** As `AwaitGrantedCredential`. */
  async awaitCredential(grant: Grant, configurationId: string, credentialId: string): Promise<string | undefined> {
    if (grant.data === 'authorization') return undefined;
    return this.commands.execute(new AwaitCredential(grant.offerId, configurationId, credentialId));
  }

  async recordDenials(authorization: Authorization, denials: readonly Denial[]): Promise<void> {
    const name = await this.nameOf(authorization);
    if (name) await this.commands.execute(new RecordDenials(name, denials));
  }

  /** With the authorization, and with the offer, which is what its portal watches. */
  async noteRefusal(authorization: Authorization, refusal: RefusedStep): Promise<void> {
    this.refused.note(authorization.authorizationId, refusal);
    const name = await this.nameOf(authorization);
    if (name) await this.commands.execute(new NoteRefusal(name, refusal));
  }

  private async nameOf({ offerId, authorizationId }: Authorization) {
    if (offerId === undefined) return undefined;
    return (await this.queries.execute(new FindOfferOfAuthorization(offerId, authorizationId)))?.name;
  }
}
