import { type Decision, EventStore, type Loaded } from '@app/event-store';
import { Problem } from '@app/primitives/problems';
import { plusDuration } from '@app/primitives/time';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import type { GivenAuthorization } from '../offer/asked-authorization';
import { marksOf, newOffer, type OfferKind, type Offers } from '../offer/new-offer';
import { type Offer, type OfferedCredential, type OfferEvent, OFFERS } from '../offer/offer';
import type { AskedAuthorization } from '../offer/offer-grants';
import { setOptions } from '../offer/offer-options';
import { OfferSecrets, type TransactionCodeOptions } from '../offer/offer-secrets';
import { OfferedTemplates } from '../offer/offered-templates';
import { type OfferView, viewOf } from './offers.handlers';
import { PendingOfferMarks } from '../marks/pending-marks';
import { PersonalTerms } from '../offer/personal-terms';
import type { Recipient } from '../offer/recipient';

interface OfferOnceShown {
  readonly isNew: boolean;
  /** Returned once, to the caller who asked for it. */
  readonly transactionCode?: string;
}

export type NewOfferView = OfferView & OfferOnceShown;

/** The offer with this id, or a new one. The options of an existing one can be set until a wallet fetches it. */
export class OpenOffer extends Command<NewOfferView> {
  constructor(
    readonly offerId: string | undefined,
    readonly templateIds: readonly string[],
    readonly expiresIn: string | undefined,
    readonly transactionCode: TransactionCodeOptions | undefined,
    readonly kind: OfferKind,
    /** `undefined`: as it is; `null`: by pre-authorized code only. */
    readonly authorization: GivenAuthorization | null | undefined,
    readonly recipient?: Recipient,
  ) {
    super();
  }
}

interface Opening extends Pick<OpenOffer, 'templateIds' | 'expiresIn' | 'transactionCode' | 'kind'> {
  readonly authorization: AskedAuthorization | null | undefined;
  readonly credentials: readonly OfferedCredential[];
  readonly recipient: Recipient | undefined;
}

@CommandHandler(OpenOffer)
export class OpenOfferHandler implements ICommandHandler<OpenOffer> {
  constructor(
    private readonly store: EventStore,
    @Inject(OFFERS) private readonly offers: Offers,
    private readonly secrets: OfferSecrets,
    private readonly marks: PendingOfferMarks,
    private readonly personal: PersonalTerms,
    private readonly templates: OfferedTemplates,
  ) {}

  execute(command: OpenOffer): Promise<NewOfferView> {
    const offerId = command.offerId ?? randomUUID();
    const opened = whenThere(this.marks.settle(offerId), () => this.store.transact(() => this.open(command, offerId)));
    return Promise.resolve(opened);
  }

  private async open(command: OpenOffer, offerId: string): Promise<NewOfferView> {
    const configurations = await this.templates.configurationsOf(command.templateIds);
    const { authorization: given, kind, templateIds, expiresIn, transactionCode, recipient } = command;
    const credentials = configurations.map(({ id }) => ({ configurationId: id }));
    return whenThere(this.templates.authorization(given, configurations, kind), (authorization) => {
      const opening = { templateIds, expiresIn, transactionCode, kind, authorization, credentials, recipient };
      const updated = this.offers.update(
        offerId,
        ({ state, now, dataKey }) =>
          state ? this.changed(state, opening, { now, dataKey }) : this.created(offerId, opening, now),
        { isUsuallyNew: true },
      );
      return whenThere(updated, ({ result: secrets, ...opened }) => ({ ...viewOf(opened, offerId), ...secrets }));
    });
  }

  private created(
    offerId: string,
    { credentials, transactionCode, expiresIn, kind, authorization, recipient }: Opening,
    now: Date,
  ): Awaitable<Decision<OfferEvent, OfferOnceShown>> {
    const salt = this.secrets.handles.newSalt();
    const secured = transactionCode && this.secrets.newTransactionCode(transactionCode, salt);
    const personal = { code: secured?.kept, authorization: authorization ?? undefined, recipient };
    return whenThere(this.personal.seal(offerId, undefined, personal), ({ dataKey, ...sealed }) => {
      const terms = { offerId, now, salt, credentials, expiresIn, ...sealed };
      const created = newOffer(this.secrets, { ...terms, ...marksOf[kind] });
      return {
        ...created,
        dataKey,
        result: { isNew: true, ...(secured && { transactionCode: secured.code }) },
      };
    });
  }

  private async changed(
    offer: Offer,
    { templateIds, expiresIn, transactionCode, authorization, recipient }: Opening,
    { now, dataKey: wrappedKey }: Pick<Loaded<Offer>, 'now' | 'dataKey'>,
  ): Promise<Decision<OfferEvent, OfferOnceShown>> {
    if (templateIds.length > 0) {
      throw new Problem(
        'conflict',
        `The offer ${offer.offerId} exists already; what it promises is set when it is created, or by submitting credentials.`,
      );
    }
    const secured = transactionCode && this.secrets.newTransactionCode(transactionCode, offer.handleSalt);
    const personal = { code: secured?.kept, authorization: authorization ?? undefined, recipient };
    const { dataKey, ...sealed } = await this.personal.seal(offer.offerId, wrappedKey, personal);
    const options = {
      ...(expiresIn !== undefined && { expiresAt: plusDuration(now, expiresIn).toISOString() }),
      ...(authorization === null && { byAuthorization: null }),
      ...sealed,
    };
    const events = setOptions(offer, options, now);
    return {
      events,
      dataKey,
      result: { isNew: false, ...(secured && { transactionCode: secured.code }) },
    };
  }
}
