import { AlreadyConsumedError, ConflictError, EventStore, type SingleUse } from '@app/event-store';
import { FindPromisedConfiguration } from '@app/templates';
import { Inject } from '@nestjs/common';
import { CommandHandler, ICommandHandler, IQueryHandler, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { FindGrant, FindStandings, type Grant, RecordDenials, type Redeemed, RedeemOffer } from './api';
import { claimsOfEverybody, denialReasonOf } from './denial-reason';
import { loadByHandle, type Offers, saveNewOffer } from './new-offer';
import { type Offer, type OfferEvent, OFFERS } from './offer';
import { type Denial, type DenialReason, denyCredentials, sharedDenials } from './offer-marks';
import { redeemOffer } from './offer-redemption';
import { OfferSecrets } from './offer-secrets';
import { repeatAnswer, type RepeatedRequest } from './repeated-answer';

@CommandHandler(RedeemOffer)
export class RedeemOfferHandler implements ICommandHandler<RedeemOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly queries: QueryBus,
  ) {}

  async execute(command: RedeemOffer): Promise<Redeemed> {
    const arrivedAt = this.store.clock();
    const code = this.secrets.readCode(command.preAuthorizedCode);
    if (!code) return { outcome: 'refused', reason: 'unknown-code' };
    try {
      return await this.redeem(() => this.tryOnce(command, code, arrivedAt));
    } catch (error) {
      if (error instanceof AlreadyConsumedError) return { outcome: 'refused', reason: 'not-open' };
      throw error;
    }
  }

  private async redeem(attempt: () => Promise<Redeemed>): Promise<Redeemed> {
    try {
      return await this.store.transact(attempt);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // Five wrong transaction codes end an offer and a fetch or a denial marks it, so nobody loses more than a few times
      // against others: a second round of attempts comes to an answer about the code, also for who has the right one.
      return this.store.transact(attempt);
    }
  }

  private async tryOnce(
    { preAuthorizedCode, transactionCode, requestedConfigurationIds, clientId }: RedeemOffer,
    code: { readonly handleHash: Buffer; readonly expiresAt: Date },
    arrivedAt: Date,
  ): Promise<Redeemed> {
    const loaded = await loadByHandle(this.offers, this.secrets, code.handleHash);
    if (!loaded) return { outcome: 'refused', reason: 'unknown-code' };
    const { id, state, version, now } = loaded;
    if (now >= code.expiresAt) return { outcome: 'refused', reason: 'not-open' };
    const configurationIds = requestedConfigurationIds ?? state.credentials.map((one) => one.configurationId);
    const granted = { configurationIds, identifiersGiven: requestedConfigurationIds !== undefined };
    const requestHash = this.secrets.hashOfRequest(preAuthorizedCode, clientId, requestedConfigurationIds);
    const attempt = { transactionCode: this.judge(state, transactionCode), granted, requestHash, arrivedAt, now };
    const again = await this.repeat(loaded, attempt, code.handleHash);
    if (again) return again;
    const { events, refusal } = redeemOffer(state, attempt);
    if (refusal) {
      if (events.length > 0) await this.offers.save(id, version, events);
      return { outcome: 'refused', reason: refusal };
    }
    const denials = await this.denialsOf(state, configurationIds);
    if (denials.length === configurationIds.length) {
      const marks = denyCredentials(state, denials);
      if (marks.length > 0) await this.offers.save(id, version, marks);
      return { outcome: 'refused', reason: 'not-issued' };
    }
    if (state.isPublic) {
      const usedCode = this.secrets.useOf(preAuthorizedCode, code.expiresAt);
      return this.claim(state, events, { configurationIds, now, usedCode });
    }
    await this.offers.save(id, version, events);
    return { outcome: 'redeemed', handleHash: code.handleHash, configurationIds, redeemedAt: now, now };
  }

  /** The answer to a redemption once more, as long as nothing was issued for it; `undefined` when the offer is not redeemed. */
  private async repeat(
    { id, state, version, now }: { id: string; state: Offer; version: number; now: Date },
    request: RepeatedRequest,
    handleHash: Buffer,
  ): Promise<Redeemed | undefined> {
    if (state.status !== 'redeemed') return undefined;
    const { events, refusal } = repeatAnswer(state, request);
    if (!refusal) {
      const held = state.credentials.flatMap(({ credentialId }) => credentialId ?? []);
      const standings = await this.queries.execute(new FindStandings(held));
      if (standings.some((standing) => standing !== 'prepared')) return { outcome: 'refused', reason: 'not-open' };
    }
    if (events.length > 0) await this.offers.save(id, version, events);
    if (refusal) return { outcome: 'refused', reason: refusal };
    const { configurationIds } = state.granted;
    return { outcome: 'redeemed', handleHash, configurationIds, redeemedAt: new Date(state.redeemedAt), now };
  }

  /** What of the configurations is not issued now, read from the store: an offer is not used up for nothing. */
  private async denialsOf({ isPublic }: Offer, configurationIds: readonly string[]): Promise<Denial[]> {
    const denials = await Promise.all(
      configurationIds.map(async (configurationId): Promise<Denial[]> => {
        const reason = await this.denialReason(configurationId, isPublic ?? false);
        return reason ? [{ configurationId, reason }] : [];
      }),
    );
    return denials.flat();
  }

  private async denialReason(configurationId: string, isPublic: boolean): Promise<DenialReason | undefined> {
    const found = await this.queries.execute(new FindPromisedConfiguration(configurationId));
    const reason = denialReasonOf(found);
    if (reason || !isPublic || found.status !== 'issuable') return reason;
    const claims = await claimsOfEverybody(found.configuration);
    return typeof claims === 'string' ? claims : undefined;
  }

  /**
   * A public offer stays as it is, so that any number of wallets can take it up at once: each gets a claim. Its code is
   * used up with it (OpenID4VCI 1.0 §4.1.1: single use); each fetch of the offer hands out another.
   */
  private async claim(
    offer: Offer,
    redeemed: readonly OfferEvent[],
    {
      configurationIds,
      now,
      usedCode,
    }: { readonly configurationIds: readonly string[]; readonly now: Date; readonly usedCode: SingleUse },
  ): Promise<Redeemed> {
    const salt = this.secrets.newSalt();
    const { credentials, expiresAt, offerId: claimOf } = offer;
    const claim = { offerId: randomUUID(), now, salt, credentials, expiresAt, claimOf, usedCode };
    await saveNewOffer(this.offers, this.secrets, claim, redeemed);
    const handleHash = this.secrets.hashOfHandle(this.secrets.handleOf({ handleSalt: salt }));
    return { outcome: 'redeemed', handleHash, configurationIds, redeemedAt: now, now };
  }

  private judge(offer: Offer, given: string | undefined): 'absent' | 'matches' | 'differs' {
    if (given === undefined) return 'absent';
    return this.secrets.matchesTransactionCode(offer, given) ? 'matches' : 'differs';
  }
}

@QueryHandler(FindGrant)
export class FindGrantHandler implements IQueryHandler<FindGrant> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  async execute({ handleHash }: FindGrant): Promise<Grant | undefined> {
    const loaded = await loadByHandle(this.offers, this.secrets, handleHash);
    if (loaded?.state.status !== 'redeemed') return undefined;
    const { offerId, credentials, granted, claimOf } = loaded.state;
    return { offerId, credentials, ...granted, isClaim: claimOf !== undefined, now: loaded.now };
  }
}

@CommandHandler(RecordDenials)
export class RecordDenialsHandler implements ICommandHandler<RecordDenials> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ handleHash, denials }: RecordDenials): Promise<void> {
    return this.store.transact(async () => {
      const loaded = await loadByHandle(this.offers, this.secrets, handleHash);
      if (!loaded) return;
      await this.mark(loaded.id, denials);
      // Of a public offer the portal watches the offer itself, not the claims that wallets made.
      const { claimOf } = loaded.state;
      if (claimOf !== undefined) await this.mark(claimOf, sharedDenials(denials));
    });
  }

  private async mark(offerId: string, denials: readonly Denial[]): Promise<void> {
    const { state, version } = await this.offers.load(offerId);
    const events = state ? denyCredentials(state, denials) : [];
    if (events.length > 0) await this.offers.save(offerId, version, events);
  }
}
