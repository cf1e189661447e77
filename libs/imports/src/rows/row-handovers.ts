import { CountMails, type DeliveryState, FindLastDeliveries, type OfferDelivery } from '@app/mail';
import { CountOffers, FindOfferLinks, type PublicState } from '@app/offers';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { beginningOf, credentialIdOf } from '../import';
import type { StoredRow } from './import-rows';

/** How the offer of a row stands. */
export interface RowHandover {
  readonly offerState: PublicState;
  readonly page: string;
  /** The last ones. */
  readonly mail: OfferDelivery | undefined;
  readonly letter: OfferDelivery | undefined;
}

/** How the offers of an import stand, and their last mails. */
export interface HandoverCounts {
  readonly offers: Readonly<Partial<Record<PublicState, number>>>;
  readonly mails: Readonly<Partial<Record<DeliveryState, number>>>;
}

/** What became of the offers of an import. */
@Injectable()
export class RowHandovers {
  constructor(private readonly queries: QueryBus) {}

  /** Of the rows that are offered. */
  async of(importId: string, rows: readonly StoredRow[]): Promise<ReadonlyMap<number, RowHandover>> {
    const made = rows.flatMap(({ state, row }) => (state === 'created' ? [row] : []));
    if (made.length === 0) return new Map();
    const offerIds = made.map((row) => credentialIdOf(importId, row));
    const [offers, deliveries] = await Promise.all([
      this.queries.execute(new FindOfferLinks(offerIds)),
      this.queries.execute(new FindLastDeliveries(offerIds)),
    ]);
    const last = new Map(deliveries.map((one) => [`${one.channel} ${one.offerId}`, one]));
    return new Map(
      made.flatMap((row, at) => {
        const offer = offers[at];
        if (!offer) return [];
        const offerId = credentialIdOf(importId, row);
        const [mail, letter] = [last.get(`email ${offerId}`), last.get(`letter ${offerId}`)];
        return [[row, { offerState: offer.state, page: offer.links.links.page, mail, letter }] as const];
      }),
    );
  }

  async counts(importId: string): Promise<HandoverCounts> {
    const beginning = beginningOf(importId);
    const [offers, mails] = await Promise.all([
      this.queries.execute(new CountOffers(beginning)),
      this.queries.execute(new CountMails(beginning)),
    ]);
    return { offers, mails };
  }
}
