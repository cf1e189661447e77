import { CheckOfferConsent, type OfferConsentCheck, type OfferForAuthorization } from '@app/offers';
import { RateLimiter, clientAddressOf } from '@app/http';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { IncomingMessage } from 'node:http';

/** Whether a person may agree to take what an offer promises. */
@Injectable()
export class OfferConsent {
  constructor(
    private readonly commands: CommandBus,
    private readonly limiter: RateLimiter,
  ) {}

  /** @returns seconds to wait after too many wrong codes, or whether the person may agree */
  async check(
    request: IncomingMessage,
    { offerId, transactionCode }: OfferForAuthorization,
    given: string | undefined,
  ): Promise<OfferConsentCheck | number> {
    const address = clientAddressOf(request);
    const seconds = transactionCode && this.limiter.secondsToWait('wrong-transaction-code', address);
    if (seconds !== undefined) return seconds;
    const checked = await this.commands.execute(new CheckOfferConsent(offerId, given));
    if (checked.outcome === 'transaction-code-wrong') await this.limiter.count('wrong-transaction-code', address);
    return checked;
  }
}
