import type { SaveOptions } from '@app/event-store';
import { additionalDataOf, type SealedPlace, Sealer } from '@app/keys';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { type Offer, offerAggregate, type TransactionCode } from './offer';

/** What a portal says about the way of a transaction code may name a person's address: it is sealed under a data key of the offer. */
@Injectable()
export class CodeDescriptions {
  constructor(private readonly sealer: Sealer) {}

  /**
   * The transaction code as it is stored, with the data key of an offer that had none.
   * @param wrappedKey of the offer, as stored
   */
  async seal(
    offerId: string,
    wrappedKey: Buffer | undefined,
    { description, ...code }: TransactionCode,
  ): Promise<{ readonly code: TransactionCode } & Pick<SaveOptions, 'dataKey'>> {
    if (description === undefined) return { code };
    const place = placeOf(offerId);
    if (wrappedKey) {
      const sealedDescription = await this.sealer.sealJsonUnder(description, wrappedKey, place);
      return { code: { ...code, ...(sealedDescription !== undefined && { sealedDescription }) } };
    }
    const { dataKey, wrapped } = await this.sealer.newDataKey(place.streamId);
    const sealedDescription = this.sealer.seal(dataKey, JSON.stringify(description), additionalDataOf(place));
    dataKey.fill(0);
    return { code: { ...code, sealedDescription }, dataKey: wrapped };
  }

  /** The transaction code with its description, where that was not erased. Throws `SealBrokenError`. */
  open({ offerId, transactionCode }: Offer, wrappedKey: Buffer | undefined): Awaitable<TransactionCode | undefined> {
    if (transactionCode?.sealedDescription === undefined || !wrappedKey) return transactionCode;
    const { sealedDescription: sealed } = transactionCode;
    return whenThere(this.sealer.openJson(sealed, wrappedKey, placeOf(offerId)), (opened) => {
      // Only `seal` seals under this place.
      const description = opened as string | undefined;
      return { ...transactionCode, ...(description !== undefined && { description }) };
    });
  }
}

function placeOf(offerId: string): SealedPlace {
  return { streamId: `${offerAggregate.category}-${offerId}`, event: 'transactionCode' };
}
