import type { SaveOptions } from '@app/event-store';
import { notePersonalData } from '@app/access';
import { type SealedPlace, Sealer } from '@app/keys';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { CodeDescriptions } from './code-descriptions';
import { type Offer, offerAggregate, type TransactionCode } from './offer';
import type { AskedAuthorization, ByAuthorization, ExpectedSubject } from './offer-grants';
import type { Recipient } from './recipient';

interface Terms {
  readonly code: TransactionCode | undefined;
  readonly authorization: AskedAuthorization | undefined;
  readonly recipient: Recipient | undefined;
}

interface SealedTerms extends Pick<SaveOptions, 'dataKey'> {
  readonly transactionCode?: TransactionCode;
  readonly byAuthorization?: ByAuthorization;
  readonly sealedRecipient?: string;
}

type SealedSubject = { readonly byAuthorization: ByAuthorization } & Pick<SaveOptions, 'dataKey'>;

/** What a portal says about the person of an offer, sealed under a data key of the offer. */
@Injectable()
export class PersonalTerms {
  constructor(
    private readonly sealer: Sealer,
    private readonly descriptions: CodeDescriptions,
  ) {}

  /** The terms as they are stored, with the data key of an offer that had none. @param wrappedKey of the offer, as stored */
  seal(
    offerId: string,
    wrappedKey: Buffer | undefined,
    { code, authorization, recipient }: Terms,
  ): Awaitable<SealedTerms> {
    return whenThere(authorization && this.sealSubject(offerId, wrappedKey, authorization), (granted) =>
      whenThere(code && this.descriptions.seal(offerId, granted?.dataKey ?? wrappedKey, code), (described) => {
        const newKey = granted?.dataKey ?? described?.dataKey;
        return whenThere(recipient && this.sealRecipient(offerId, newKey ?? wrappedKey, recipient), (addressed) => ({
          dataKey: newKey ?? addressed?.dataKey,
          ...(described && { transactionCode: described.code }),
          ...(granted && { byAuthorization: granted.byAuthorization }),
          ...(addressed && { sealedRecipient: addressed.sealedRecipient }),
        }));
      }),
    );
  }

  /** The recipient of an offer as it is stored, with the data key of an offer that had none. @param wrappedKey of the offer, as stored */
  async sealRecipient(
    offerId: string,
    wrappedKey: Buffer | undefined,
    recipient: Recipient,
  ): Promise<{ readonly sealedRecipient: string } & Pick<SaveOptions, 'dataKey'>> {
    const { sealed: sealedRecipient, dataKey } = await this.sealed(wrappedKey, recipient, recipientPlace(offerId));
    return { sealedRecipient, dataKey };
  }

  /** To whom the offer is handed over; `undefined` where it does not say so, or no more. Throws `SealBrokenError`. */
  recipientOf({ offerId, sealedRecipient }: Offer, wrappedKey: Buffer | undefined): Awaitable<Recipient | undefined> {
    if (sealedRecipient === undefined || !wrappedKey) return undefined;
    notePersonalData();
    // Only `sealRecipient` seals under this place.
    return this.sealer.openJson(sealedRecipient, wrappedKey, recipientPlace(offerId)) as Awaitable<
      Recipient | undefined
    >;
  }

  /** Whom the offer is for; `anyone` with its link, or `nobody` since that was erased. Throws `SealBrokenError`. */
  subjectOf(
    { offerId, byAuthorization }: Offer,
    wrappedKey: Buffer | undefined,
  ): Awaitable<ExpectedSubject | 'anyone' | 'nobody'> {
    const sealed = byAuthorization?.sealedSubject;
    if (sealed === undefined) return 'anyone';
    // Only `sealSubject` seals under this place.
    return whenThere(
      wrappedKey && this.sealer.openJson(sealed, wrappedKey, placeOf(offerId)),
      (opened) => (opened as ExpectedSubject | undefined) ?? 'nobody',
    );
  }

  private sealSubject(
    offerId: string,
    wrappedKey: Buffer | undefined,
    { expectedSubject, ...byAuthorization }: AskedAuthorization,
  ): Awaitable<SealedSubject> {
    return expectedSubject
      ? this.sealedUnder(offerId, wrappedKey, expectedSubject, byAuthorization)
      : { byAuthorization };
  }

  private async sealedUnder(
    offerId: string,
    wrappedKey: Buffer | undefined,
    expectedSubject: ExpectedSubject,
    byAuthorization: ByAuthorization,
  ): Promise<SealedSubject> {
    const { sealed: sealedSubject, dataKey } = await this.sealed(wrappedKey, expectedSubject, placeOf(offerId));
    return { byAuthorization: { ...byAuthorization, sealedSubject }, dataKey };
  }

  private async sealed(
    wrappedKey: Buffer | undefined,
    value: ExpectedSubject | Recipient,
    place: SealedPlace,
  ): Promise<{ readonly sealed: string } & Pick<SaveOptions, 'dataKey'>> {
    const under = wrappedKey && (await this.sealer.sealJsonUnder(value, wrappedKey, place));
    if (under !== undefined) return { sealed: under };
    const { sealed, wrappedKey: dataKey } = await this.sealer.sealJson(value, place);
    return { sealed, dataKey };
  }
}

function recipientPlace(offerId: string): SealedPlace {
  return { streamId: `${offerAggregate.category}-${offerId}`, event: 'recipient' };
}

function placeOf(offerId: string): SealedPlace {
  return { streamId: `${offerAggregate.category}-${offerId}`, event: 'expectedSubject' };
}
