import { urlOf } from '@app/primitives/url';
import { eg, is, namesIn, pageLinksOf, walletLinkSchema } from '@app/http';
import { httpPattern } from '@app/outbound';

const fetched = 'https://issuer.example/openid4vci/offers/fR3nGm1t';

/** What answers say about the link of an offer. */
export function linkSchemas() {
  return {
    'credentialOffer?': eg(
      `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(fetched)}`,
      walletLinkSchema,
    ),
    'credentialOfferUri?': eg(fetched, { type: 'string', format: 'uri' }),
    'links?': pageLinksOf('https://issuer.example/o/fR3nGm1t'),
  };
}

/** Who sees these members. */
export const shownLinks = {
  scope: 'offers:deliver',
  members: namesIn(linkSchemas()),
} as const;

/** Where a wallet waits, in examples. */
export const waiting = 'https://wallet.example/offers';

export class SendOfferBody {
  @is.Required(
    'Where the wallet of the person receives the offer.',
    is.Text(1, 2048),
    is.Check(
      'isUrl',
      'must be an absolute URL, such as https://wallet.example/offers',
      (value) => typeof value === 'string' && urlOf(value) !== undefined,
    ),
    is.Shown({ format: 'uri', pattern: httpPattern, examples: [waiting] }),
  )
  readonly targetUrl!: string;
}

export class SendNamedOfferBody extends SendOfferBody {
  @is.Required('The id of the offer.', is.Text(1, 256))
  readonly offerId!: string;
}
