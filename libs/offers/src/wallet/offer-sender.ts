import { OutboundClient, OutboundError, type OutboundErrorReason } from '@app/outbound';
import { Problem } from '@app/primitives/problems';
import { Injectable, Logger } from '@nestjs/common';

/** Sends an offer to a wallet that waits at its own address (OpenID4VCI 1.0 §4.1). */
@Injectable()
export class OfferSender {
  private readonly logger = new Logger('Offers');

  constructor(private readonly outbound: OutboundClient) {}

  /** @throws Problem `webhook-url-not-allowed`, without what the name resolves to, so that hosts cannot be probed */
  async assertAllowed(target: URL): Promise<void> {
    try {
      await this.outbound.assertReachable(target.href);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const detail =
        error.reason === 'invalid-url'
          ? `The address of a wallet must be public: ${error.message}.`
          : 'The host of the address has no public address.';
      throw new Problem('webhook-url-not-allowed', detail, [{ pointer: '/targetUrl', message: 'is not allowed' }]);
    }
  }

  /** GET on the target with `credential_offer_uri` appended. @returns why it failed; `undefined` on success. Throws `unavailable` when it was not tried. */
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
      return publicReason(error.reason);
    }
  }
}

/** The same for a host in the internal network and for one that does not exist, so that hosts cannot be probed. */
function publicReason(reason: OutboundErrorReason): string {
  return reason === 'blocked-address' || reason === 'unresolved-host' ? 'no-public-address' : reason;
}
