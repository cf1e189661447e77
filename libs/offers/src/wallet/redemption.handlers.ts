import { AlreadyConsumedError, type Decision, EventStore, type FoundStream, type SingleUse } from '@app/event-store';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import type { GrantName } from '../offer/grant';
import { type Redeemed, RedeemOffer } from '../api';
import { PendingOfferMarks } from '../marks/pending-marks';
import type { Offers } from '../offer/new-offer';
import { type Offer, type OfferEvent, OFFERS } from '../offer/offer';
import { denyCredentials } from '../offer/offer-marks';
import { redeemOffer, triesLeftAfterWrong } from '../offer/offer-redemption';
import { OfferSecrets, type ReadCode } from '../offer/offer-secrets';
import { PromisedCredentials } from '../offer/promised-credentials';
import { PublicClaims } from '../offer/public-claims';
import { repeatAnswer, type RepeatedRequest } from '../offer/repeated-answer';

/**
 * Five wrong transaction codes end an offer and a fetch or a denial marks it, so a request loses no more than a few times
 * against others: with this many attempts there is an answer about the code, also for the caller with the right one.
 */
const attempts = 8;

@CommandHandler(RedeemOffer)
export class RedeemOfferHandler implements ICommandHandler<RedeemOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly marks: PendingOfferMarks,
    private readonly promised: PromisedCredentials,
    private readonly claims: PublicClaims,
  ) {}

  async execute(command: RedeemOffer): Promise<Redeemed> {
    const arrivedAt = this.store.clock();
    const code = this.secrets.readCode(command.preAuthorizedCode);
    if (!code) return refused('unknown-code');
    let offer: Offer | undefined;
    const decide = (found: FoundStream<Offer>) => {
      offer = found.state;
      return this.redeem(found, command, { ...code, arrivedAt });
    };
    try {
      const redeemed = await this.secrets.handles.update(this.offers, code.grant.hash, decide, { attempts });
      if (redeemed?.outcome === 'redeemed' && offer && !offer.isPublic) this.marks.fetchRecorded(offer.offerId);
      return redeemed ?? refused('unknown-code');
    } catch (error) {
      if (!(error instanceof AlreadyConsumedError)) throw error;
      if (command.uses.some(({ kind }) => kind === error.kind)) throw error;
      return refused('not-open');
    }
  }

  private async redeem(
    found: FoundStream<Offer>,
    command: RedeemOffer,
    code: ReadCode & { readonly arrivedAt: Date },
  ): Promise<Decision<OfferEvent, Redeemed>> {
    const { preAuthorizedCode, transactionCode, requestedConfigurationIds, uses: consume } = command;
    const { state, now } = found;
    const { grant, arrivedAt } = code;
    const fetchedAt = this.marks.fetchedAt(state) ?? code.fetchedAt;
    if (now >= code.expiresAt) return { events: [], result: refused('not-open') };
    const configurationIds = requestedConfigurationIds ?? state.credentials.map((one) => one.configurationId);
    const granted = { configurationIds, identifiersGiven: requestedConfigurationIds !== undefined };
    const requestHash = this.secrets.hashOfRequest(command);
    const given = this.secrets.judge(state, transactionCode);
    const attempt = { transactionCode: given, granted, requestHash, fetchedAt, arrivedAt, now };
    if (state.status === 'redeemed') return this.repeat(state, attempt, grant, consume);
    const { events, refusal } = redeemOffer(state, attempt);
    if (refusal) return { events, result: refused(refusal, state) };
    const denials = await this.promised.denialsOf(configurationIds, state);
    if (denials.length === configurationIds.length) {
      return { events: denyCredentials(state, denials), result: refused('not-issued') };
    }
    const isDeferred = state.isDeferred ?? false;
    const redeemed = { outcome: 'redeemed', configurationIds, isDeferred, redeemedAt: now, now } as const;
    if (!state.isPublic) return { events, consume, result: { ...redeemed, grant } };
    // Its code is used up with the claim (OpenID4VCI 1.0 §4.1.1: single use); each fetch of the offer hands out another.
    const used = [this.secrets.useOf(preAuthorizedCode, code.expiresAt), ...consume];
    return { events: [], result: { ...redeemed, grant: await this.claims.make(state, events, now, { used }) } };
  }

  /** Repeats the answer to a redemption, as long as nothing was issued for it. */
  private async repeat(
    offer: Extract<Offer, { status: 'redeemed' }>,
    request: RepeatedRequest,
    grant: GrantName,
    consume: readonly SingleUse[],
  ): Promise<Decision<OfferEvent, Redeemed>> {
    const { events, refusal } = repeatAnswer(offer, request);
    if (refusal) return { events, result: refused(refusal, offer) };
    const held = offer.credentials.flatMap(({ credentialId }) => credentialId ?? []);
    if (await this.promised.isAnyUsed(held)) return { events: [], result: refused('not-open') };
    const result = {
      outcome: 'redeemed',
      grant,
      configurationIds: offer.granted.configurationIds,
      isDeferred: offer.isDeferred ?? false,
      redeemedAt: new Date(offer.redeemedAt),
      now: request.now,
    } as const;
    return { events, consume, result };
  }
}

/** @param offer before the refusal */
function refused(reason: Extract<Redeemed, { outcome: 'refused' }>['reason'], offer?: Offer): Redeemed {
  const isWrong = offer !== undefined && reason === 'transaction-code-wrong';
  return { outcome: 'refused', reason, ...(isWrong && { triesLeft: triesLeftAfterWrong(offer) }) };
}
