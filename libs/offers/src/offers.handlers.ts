import { EventStore, Page, Repository } from '@app/event-store';
import { PageQuery } from '@app/http';
import { Problem } from '@app/problem-details';
import { GetConfigurationOfTemplate } from '@app/templates';
import { plusDuration } from '@app/time';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { AttachCredential, FindGrant, Grant, Redeemed, RedeemOffer } from './api';
import {
  attachCredential,
  createOffer,
  Offer,
  OfferedCredential,
  OfferEvent,
  OFFERS,
  redeemOffer,
  withdrawOffer,
} from './offer';
import { OfferSecrets, TransactionCodeWish } from './offer-secrets';

/** The kind under which the store finds an offer by the hash of its public handle. */
export const handleKind = 'offer-handle';
const usualLifetime = 'PT24H';
/** The handle is kept a day longer than the offer, for the wallet that redeemed it in the last minute. */
const handleGrace = 24 * 60 * 60 * 1000;

type Offers = Repository<Offer, OfferEvent>;

export interface OfferView {
  readonly offer: Offer;
  readonly now: Date;
  readonly createdAt: Date;
}

export interface NewOfferView extends OfferView {
  readonly isNew: boolean;
  /** Told once, to the one who created the offer. */
  readonly transactionCode?: string;
}

/** The offer with this id, or a new one. Options belong to a new offer; an existing one refuses them. */
export class OpenOffer extends Command<NewOfferView> {
  constructor(
    readonly offerId: string | undefined,
    readonly templateIds: readonly string[],
    readonly expiresIn: string | undefined,
    readonly transactionCode: TransactionCodeWish | undefined,
  ) {
    super();
  }
}

export class WithdrawOffer extends Command<void> {
  constructor(readonly offerId: string) {
    super();
  }
}

export class GetOffer extends Query<OfferView> {
  constructor(readonly offerId: string) {
    super();
  }
}

export class ListOffers extends Query<Page<Offer> & { readonly now: Date }> {
  constructor(readonly page: PageQuery) {
    super();
  }
}

/** The offer behind a public handle while a wallet may still take it up. */
export class FindOpenOffer extends Query<OfferView | undefined> {
  constructor(readonly handle: Buffer) {
    super();
  }
}

@CommandHandler(OpenOffer)
export class OpenOfferHandler implements ICommandHandler<OpenOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly queries: QueryBus,
  ) {}

  async execute(command: OpenOffer): Promise<NewOfferView> {
    const offerId = command.offerId ?? randomUUID();
    const credentials = await this.configurationsOf(command.templateIds);
    return this.store.transact(async () => {
      const { state, now, createdAt } = await this.offers.load(offerId);
      if (state) return existingOffer(state, command, { now, createdAt: createdAt ?? now });
      const salt = this.secrets.newSalt();
      const secured = command.transactionCode && this.secrets.newTransactionCode(command.transactionCode, salt);
      const offer = await saveNewOffer(this.offers, this.secrets, {
        offerId,
        now,
        salt,
        credentials,
        expiresIn: command.expiresIn,
        transactionCode: secured?.kept,
      });
      return { offer, now, createdAt: now, isNew: true, ...(secured && { transactionCode: secured.code }) };
    });
  }

  private async configurationsOf(templateIds: readonly string[]): Promise<OfferedCredential[]> {
    const credentials: OfferedCredential[] = [];
    for (const templateId of new Set(templateIds)) {
      const { id } = await this.queries.execute(new GetConfigurationOfTemplate(templateId));
      credentials.push({ configurationId: id });
    }
    return credentials;
  }
}

@CommandHandler(AttachCredential)
export class AttachCredentialHandler implements ICommandHandler<AttachCredential> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  execute({ offerId, credential }: AttachCredential): Promise<void> {
    return this.store.transact(async () => {
      const { state, version, now } = await this.offers.load(offerId);
      if (state) {
        await this.offers.save(offerId, version, attachCredential(state, credential, now));
        return;
      }
      const salt = this.secrets.newSalt();
      await saveNewOffer(this.offers, this.secrets, { offerId, now, salt, credentials: [credential] });
    });
  }
}

@CommandHandler(WithdrawOffer)
export class WithdrawOfferHandler implements ICommandHandler<WithdrawOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
  ) {}

  execute({ offerId }: WithdrawOffer): Promise<void> {
    return this.store.transact(async () => {
      const { state, version } = await this.offers.load(offerId);
      const events = withdrawOffer(found(state, offerId));
      if (events.length > 0) await this.offers.save(offerId, version, events);
    });
  }
}

@CommandHandler(RedeemOffer)
export class RedeemOfferHandler implements ICommandHandler<RedeemOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  async execute({ preAuthorizedCode, transactionCode, requestedConfigurationIds }: RedeemOffer): Promise<Redeemed> {
    const code = this.secrets.readCode(preAuthorizedCode);
    if (!code) return { outcome: 'refused', reason: 'unknown-code' };
    const hash = this.secrets.hashOfHandle(code.handle);
    return this.store.transact(async (): Promise<Redeemed> => {
      const loaded = await this.offers.loadByHandle(handleKind, hash);
      if (!loaded?.state) return { outcome: 'refused', reason: 'unknown-code' };
      const { id, state, version, now } = loaded;
      if (now >= code.expiresAt) return { outcome: 'refused', reason: 'not-open' };
      const configurationIds = requestedConfigurationIds ?? state.credentials.map((one) => one.configurationId);
      const { events, refusal } = redeemOffer(state, {
        transactionCode: this.judge(state, transactionCode),
        granted: { configurationIds, identifiersGiven: requestedConfigurationIds !== undefined },
        now,
      });
      if (events.length > 0) await this.offers.save(id, version, events);
      if (refusal) return { outcome: 'refused', reason: refusal };
      return { outcome: 'redeemed', handle: code.handle, configurationIds, now };
    });
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

  async execute({ handle }: FindGrant): Promise<Grant | undefined> {
    const loaded = await this.offers.loadByHandle(handleKind, this.secrets.hashOfHandle(handle));
    if (loaded?.state?.status !== 'redeemed') return undefined;
    const { offerId, credentials, granted } = loaded.state;
    return { offerId, credentials, ...granted, now: loaded.now };
  }
}

@QueryHandler(GetOffer)
export class GetOfferHandler implements IQueryHandler<GetOffer> {
  constructor(@Inject(OFFERS) private readonly offers: Offers) {}

  async execute({ offerId }: GetOffer): Promise<OfferView> {
    const { state, now, createdAt } = await this.offers.load(offerId);
    return { offer: found(state, offerId), now, createdAt: createdAt ?? now };
  }
}

@QueryHandler(ListOffers)
export class ListOffersHandler implements IQueryHandler<ListOffers> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
  ) {}

  async execute({ page }: ListOffers) {
    const listed = await this.offers.list(page);
    return { ...listed, now: this.store.clock() };
  }
}

@QueryHandler(FindOpenOffer)
export class FindOpenOfferHandler implements IQueryHandler<FindOpenOffer> {
  constructor(
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
  ) {}

  async execute({ handle }: FindOpenOffer): Promise<OfferView | undefined> {
    const loaded = await this.offers.loadByHandle(handleKind, this.secrets.hashOfHandle(handle));
    if (!loaded?.state) return undefined;
    return { offer: loaded.state, now: loaded.now, createdAt: loaded.createdAt ?? loaded.now };
  }
}

async function saveNewOffer(
  offers: Offers,
  secrets: OfferSecrets,
  wish: {
    readonly offerId: string;
    readonly now: Date;
    readonly salt: string;
    readonly credentials: readonly OfferedCredential[];
    readonly expiresIn?: string | undefined;
    readonly transactionCode?: Offer['transactionCode'] | undefined;
  },
): Promise<Offer> {
  const expiresAt = plusDuration(wish.now, wish.expiresIn ?? usualLifetime);
  const events = createOffer({
    offerId: wish.offerId,
    handleSalt: wish.salt,
    expiresAt: expiresAt.toISOString(),
    credentials: wish.credentials,
    ...(wish.transactionCode && { transactionCode: wish.transactionCode }),
  });
  const hash = secrets.hashOfHandle(secrets.handleOf({ handleSalt: wish.salt }));
  const keptUntil = new Date(expiresAt.getTime() + handleGrace);
  const bound = { kind: handleKind, hash, expiresAt: keptUntil, bindsStream: true };
  return (await offers.save(wish.offerId, 0, events, { consume: [bound] })).state;
}

function existingOffer(
  offer: Offer,
  command: OpenOffer,
  times: { readonly now: Date; readonly createdAt: Date },
): NewOfferView {
  if (command.templateIds.length > 0 || command.expiresIn !== undefined || command.transactionCode) {
    throw new Problem(
      'conflict',
      `The offer ${offer.offerId} exists already; templates, lifetime and transaction code are fixed when it is created.`,
    );
  }
  return { offer, ...times, isNew: false };
}

function found(offer: Offer | undefined, offerId: string): Offer {
  if (!offer) throw new Problem('missing-credential-offer', `There is no offer with the id ${offerId}.`);
  return offer;
}
