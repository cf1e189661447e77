import { eg, namesIn, pageLinksOf, walletLink } from '@app/contract';

const fetched = 'https://issuer.example/openid4vci/offers/fR3nGm1t';

/** What answers say about the link of an offer. */
export function linkSchemas() {
  return {
    'credentialOffer?': eg(
      `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(fetched)}`,
      walletLink,
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
