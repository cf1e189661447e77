import { Settings } from '@app/config';
import { WALLET_URLS } from '@app/identity';
import { credentialOfferLink, WalletUrls } from '@app/openid4vc';
import { type LinkForm, pageAddresses } from '@app/pages';
import { Inject, Injectable } from '@nestjs/common';
import type { LinksOfOffer } from '../api';
import type { Offer } from '../offer/offer';
import { OfferSecrets } from '../offer/offer-secrets';

/** The links that lead wallets and people to an offer. */
@Injectable()
export class OfferLinks {
  constructor(
    private readonly secrets: OfferSecrets,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
    private readonly settings: Settings,
  ) {}

  of(offer: Offer): LinksOfOffer {
    const handle = this.secrets.handles.textOf(offer);
    const credentialOfferUri = this.urls.offer(handle);
    return {
      credentialOffer: credentialOfferLink(credentialOfferUri),
      credentialOfferUri,
      links: pageAddresses(this.settings.applicationUrl, 'o', handle),
    };
  }

  /** The forms of the link that wallets read, the usual one first. */
  forms(offer: Offer): readonly [LinkForm, ...LinkForm[]] {
    const { credentialOffer, credentialOfferUri } = this.of(offer);
    return [
      { id: undefined, name: undefined, link: credentialOffer },
      { id: 'haip', name: 'haip', link: credentialOfferLink(credentialOfferUri, 'haip-vci://') },
    ];
  }
}

export function addressOf({ offerId }: Offer): string {
  return `/v0/offers/${encodeURIComponent(offerId)}`;
}
