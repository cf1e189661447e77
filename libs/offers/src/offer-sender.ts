import { OutboundClient, OutboundError, type OutboundErrorReason } from '@app/outbound';
import { Problem } from '@app/problem-details';
import { Injectable, Logger } from '@nestjs/common';

/** Brings an offer to a wallet that waits at an address of its own (OpenID4VCI 1.0 §4.1). */
@Injectable()
export class OfferSender {
  private readonly logger = new Logger('Offers');

  constructor(private readonly outbound: OutboundClient) {}

  /** GET on the target with `credential_offer_uri` appended. @returns why it failed, if it did. Throws `unavailable` when it was not tried. */
  async send(credentialOfferUri: string, target: URL): Promise<string | undefined> {
    const address = new URL(target);
    address.searchParams.set('credential_offer_uri', credentialOfferUri);
    try {
      await this.outbound.get(address.href, { purpose: 'offer-sending', accept: ['*/*'] });
      return undefined;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.reason === 'busy') {
        const detail = 'Too many offers are being sent at the moment; this one was not.';
        throw new Problem('unavailable', detail, [], { 'Retry-After': '2' });
      }
      this.logger.debug({ event: 'offer.send-failed', reason: error.reason });
      return tellable(error.reason);
    }
  }
}

/** One answer for a name of the own network and for a name that does not exist: whoever sends could try names. */
function tellable(reason: OutboundErrorReason): string {
  return reason === 'blocked-address' || reason === 'unresolved-host' ? 'no-public-address' : reason;
}
