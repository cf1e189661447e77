import type { SaveOptions } from '@app/event-store';
import { type SealedPlace, Sealer } from '@app/keys';
import { type Awaitable, whenThere } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { CodeDescriptions } from './code-descriptions';
import { type Offer, offerAggregate, type TransactionCode } from './offer';
import type { AskedAuthorization, ByAuthorization, ExpectedSubject } from './offer-grants';

interface Terms {
  readonly code: TransactionCode | undefined;
  readonly authorization: AskedAuthorization | undefined;
}

interface SealedTerms extends Pick<SaveOptions, 'dataKey'> {
  readonly transactionCode?: TransactionCode;
  readonly byAuthorization?: ByAuthorization;
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
  seal(offerId: string, wrappedKey: Buffer | undefined, { code, authorization }: Terms): Awaitable<SealedTerms> {
    return whenThere(authorization && this.sealSubject(offerId, wrappedKey, authorization), (granted) =>
      whenThere(code && this.descriptions.seal(offerId, granted?.dataKey ?? wrappedKey, code), (described) => ({
        dataKey: granted?.dataKey ?? described?.dataKey,
        ...(described && { transactionCode: described.code }),
        ...(granted && { byAuthorization: granted.byAuthorization }),
      })),
    );
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
    const place = placeOf(offerId);
    const under = wrappedKey && (await this.sealer.sealJsonUnder(expectedSubject, wrappedKey, place));
    if (under !== undefined) return { byAuthorization: { ...byAuthorization, sealedSubject: under } };
    const { sealed: sealedSubject, wrappedKey: dataKey } = await this.sealer.sealJson(expectedSubject, place);
    return { byAuthorization: { ...byAuthorization, sealedSubject }, dataKey };
  }
}

function placeOf(offerId: string): SealedPlace {
  return { streamId: `${offerAggregate.category}-${offerId}`, event: 'expectedSubject' };
}
