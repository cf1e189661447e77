import { EventStore, type Loaded, Page, type StoredEvent } from '@app/event-store';
import { PageQuery } from '@app/http';
import { concerning, Problem } from '@app/problem-details';
import {
  concernOf,
  constantClaims,
  GetConfigurationOfTemplate,
  isFormatKnown,
  unsupportedFormat,
} from '@app/templates';
import { plusDuration } from '@app/time';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler, IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { AttachCredential } from './api';
import { Offers, saveNewOffer } from './new-offer';
import {
  attachCredential,
  Offer,
  OfferedCredential,
  OfferEvent,
  OFFERS,
  type PublicState,
  storedAs,
  withdrawOffer,
} from './offer';
import { setOptions } from './offer-options';
import { takeOffline, takeOnline } from './offer-switching';
import { OfferSecrets, TransactionCodeWish } from './offer-secrets';

export interface OfferView {
  readonly offer: Offer;
  readonly now: Date;
  readonly createdAt: Date;
}

export interface NewOfferView extends OfferView {
  readonly isNew: boolean;
  /** Returned once, to who asked for it. */
  readonly transactionCode?: string;
}

/** The offer with this id, or a new one. The options of an existing one can be set until a wallet fetches it. */
export class OpenOffer extends Command<NewOfferView> {
  constructor(
    readonly offerId: string | undefined,
    readonly templateIds: readonly string[],
    readonly expiresIn: string | undefined,
    readonly transactionCode: TransactionCodeWish | undefined,
    readonly isPublic: boolean,
  ) {
    super();
  }
}

export class WithdrawOffer extends Command<void> {
  constructor(readonly offerId: string) {
    super();
  }
}

/** Lets a public offer rest, or wakes it. */
export class SwitchOffer extends Command<void> {
  constructor(
    readonly offerId: string,
    readonly to: 'online' | 'offline',
  ) {
    super();
  }
}

export class GetOffer extends Query<OfferView> {
  constructor(readonly offerId: string) {
    super();
  }
}

/** One offer with all that happened to it; `claims` tells how often a public one was taken up. */
export class GetOfferHistory extends Query<
  OfferView & { readonly claims: number; readonly history: readonly StoredEvent<OfferEvent>[] }
> {
  constructor(readonly offerId: string) {
    super();
  }
}

/** All of them by creation, the newest first, or those in one state by expiry, the latest first. */
export class ListOffers extends Query<Page<Offer>> {
  constructor(
    readonly page: PageQuery,
    readonly state: PublicState | undefined,
  ) {
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
    const credentials = await this.configurationsOf(command.templateIds, command.isPublic);
    return this.store.transact(async () => {
      const { state, version, now, createdAt = now } = await this.offers.load(offerId);
      if (state) return this.changed(state, command, { version, now, createdAt });
      const salt = this.secrets.newSalt();
      const secured = command.transactionCode && this.secrets.newTransactionCode(command.transactionCode, salt);
      const offer = await saveNewOffer(this.offers, this.secrets, {
        offerId,
        now,
        salt,
        credentials,
        expiresIn: command.expiresIn,
        transactionCode: secured?.kept,
        ...(command.isPublic && { isPublic: true }),
      });
      return { offer, now, createdAt: now, isNew: true, ...(secured && { transactionCode: secured.code }) };
    });
  }

  private async changed(
    offer: Offer,
    { templateIds, expiresIn, transactionCode }: OpenOffer,
    { version, ...times }: { readonly version: number; readonly now: Date; readonly createdAt: Date },
  ): Promise<NewOfferView> {
    if (templateIds.length > 0) {
      throw new Problem(
        'conflict',
        `The offer ${offer.offerId} exists already; what it promises is said when it is created, or by handing credentials in.`,
      );
    }
    const secured = transactionCode && this.secrets.newTransactionCode(transactionCode, offer.handleSalt);
    const options = {
      ...(expiresIn !== undefined && { expiresAt: plusDuration(times.now, expiresIn).toISOString() }),
      ...(secured && { transactionCode: secured.kept }),
    };
    const events = setOptions(offer, options, times.now);
    const state = events.length === 0 ? offer : (await this.offers.save(offer.offerId, version, events)).state;
    return { offer: state, ...times, isNew: false, ...(secured && { transactionCode: secured.code }) };
  }

  private async configurationsOf(templateIds: readonly string[], isPublic: boolean): Promise<OfferedCredential[]> {
    const credentials: OfferedCredential[] = [];
    for (const templateId of new Set(templateIds)) {
      const configuration = await this.queries.execute(new GetConfigurationOfTemplate(templateId));
      await concerning(concernOf(configuration), async () => {
        if (!isFormatKnown(configuration)) throw unsupportedFormat(templateId, configuration);
        if (isPublic && !(await constantClaims(configuration))) {
          throw new Problem(
            'template-not-eligible-for-public-offer',
            `The template ${templateId} leaves claims open; what everybody may take says nothing about a person.`,
          );
        }
      });
      credentials.push({ configurationId: configuration.id });
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
      const events = withdrawOffer(existing(state, offerId));
      if (events.length > 0) await this.offers.save(offerId, version, events);
    });
  }
}

@CommandHandler(SwitchOffer)
export class SwitchOfferHandler implements ICommandHandler<SwitchOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
  ) {}

  execute({ offerId, to }: SwitchOffer): Promise<void> {
    return this.store.transact(async () => {
      const { state, version } = await this.offers.load(offerId);
      const offer = existing(state, offerId);
      const events = to === 'online' ? takeOnline(offer) : takeOffline(offer);
      if (events.length > 0) await this.offers.save(offerId, version, events);
    });
  }
}

@QueryHandler(GetOffer)
export class GetOfferHandler implements IQueryHandler<GetOffer> {
  constructor(@Inject(OFFERS) private readonly offers: Offers) {}

  async execute({ offerId }: GetOffer): Promise<OfferView> {
    return viewOf(await this.offers.load(offerId), offerId);
  }
}

@QueryHandler(GetOfferHistory)
export class GetOfferHistoryHandler implements IQueryHandler<GetOfferHistory> {
  constructor(@Inject(OFFERS) private readonly offers: Offers) {}

  async execute({ offerId }: GetOfferHistory) {
    const view = viewOf(await this.offers.load(offerId), offerId);
    const claims = view.offer.isPublic ? await this.offers.countChildren(offerId) : 0;
    return { ...view, claims, history: await this.offers.events(offerId) };
  }
}

@QueryHandler(ListOffers)
export class ListOffersHandler implements IQueryHandler<ListOffers> {
  constructor(@Inject(OFFERS) private readonly offers: Offers) {}

  execute({ page, state }: ListOffers): Promise<Page<Offer>> {
    return state ? this.offers.listInStates({ ...page, ...storedAs(state) }) : this.offers.list(page);
  }
}

function viewOf({ state, now, createdAt }: Loaded<Offer>, offerId: string): OfferView {
  return { offer: existing(state, offerId), now, createdAt: createdAt ?? now };
}

/** The offer that was asked for. Throws `missing-credential-offer`. */
export function existing(offer: Offer | undefined, offerId: string): Offer {
  if (!offer) throw new Problem('missing-credential-offer', `There is no offer with the id ${offerId}.`);
  return offer;
}
