import { OutboundClient, OutboundError } from '@app/outbound';
import { Problem } from '@app/problem-details';
import { Injectable } from '@nestjs/common';

/** Brings an offer to a wallet that waits at an address of its own (OpenID4VCI 1.0 §4.1). */
@Injectable()
export class OfferSender {
  constructor(private readonly outbound: OutboundClient) {}

  /** GET on the target with `credential_offer_uri` appended. Throws `send-credential-offer-error` with the reason. */
  async send(credentialOfferUri: string, targetUrl: string): Promise<void> {
    const target = URL.canParse(targetUrl) ? new URL(targetUrl) : undefined;
    if (!target) {
      throw new Problem('validation-failed', 'The body has a fault: targetUrl must be an absolute URL.', [
        { pointer: '/targetUrl', message: 'must be an absolute URL' },
      ]);
    }
    target.searchParams.set('credential_offer_uri', credentialOfferUri);
    try {
      await this.outbound.get(target.href, { accept: ['*/*'] });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw new Problem('send-credential-offer-error', `The offer could not be sent: ${error.reason}.`);
    }
  }
}
