import { OutboundClient, OutboundError } from '@app/outbound';
import { Injectable } from '@nestjs/common';

/** Brings an offer to a wallet that waits at an address of its own (OpenID4VCI 1.0 §4.1). */
@Injectable()
export class OfferSender {
  constructor(private readonly outbound: OutboundClient) {}

  /** GET on the target with `credential_offer_uri` appended. @returns why it failed, if it did */
  async send(credentialOfferUri: string, target: URL): Promise<string | undefined> {
    const address = new URL(target);
    address.searchParams.set('credential_offer_uri', credentialOfferUri);
    try {
      await this.outbound.get(address.href, { accept: ['*/*'] });
      return undefined;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return error.reason;
    }
  }
}
