import { pictureAddresses } from '@app/http';
import { WALLET_URLS } from '@app/identity';
import { credentialOfferLink, WalletUrls } from '@app/openid4vc';
import { Inject, Injectable } from '@nestjs/common';
import type { LinksOfOffer } from './api';
import type { Offer } from './offer';
import { OfferSecrets } from './offer-secrets';

/** The links that lead wallets and people to an offer. */
@Injectable()
export class OfferLinks {
  constructor(
    private readonly secrets: OfferSecrets,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  of(offer: Offer): LinksOfOffer {
    const credentialOfferUri = this.urls.offer(this.secrets.handles.textOf(offer));
    return {
      credentialOffer: credentialOfferLink(credentialOfferUri),
      credentialOfferUri,
      links: pictureAddresses(addressOf(offer)),
    };
  }
}

export function addressOf({ offerId }: Offer): string {
  return `/v0/offers/${encodeURIComponent(offerId)}`;
}
