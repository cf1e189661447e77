import {
  About,
  Check,
  closed,
  component,
  dateTime,
  IsAddressable,
  IsDuration,
  IsNested,
  IsText,
  linkMediaTypes,
  linkOperations,
  ListQuery,
  Optional,
  pageOf,
  pictures,
  resource,
  Rules,
  text,
  textOrNull,
  timeline,
  walletLink,
} from '@app/contract';
import { IsBoolean, IsIn, ValidateIf } from 'class-validator';
import { longestLifetimeDays } from './offer-lifetime';
import { type PublicState, publicStates } from './offer';
import type { TransactionCodeOptions } from './offer-secrets';

const links = {
  'credentialOffer?': walletLink,
  'credentialOfferUri?': { type: 'string', format: 'uri' },
  'links?': pictures,
};
const linkMembers = Object.keys(links).map((name) => name.replace('?', ''));

const state = { enum: publicStates };

const listed = {
  offerId: text,
  state,
  credentials: {
    type: 'array',
    items: closed({ configurationId: text, 'credentialId?': text }),
    description: 'What the offer promises; without `credentialId` the data has not been submitted yet.',
  },
  createdAt: dateTime,
  expiresAt: dateTime,
  'redeemedAt?': dateTime,
  txCodeRequired: { type: 'boolean' },
  wrongTxCodes: { type: 'integer', description: 'After five wrong codes the offer is Locked.' },
  'public?': { const: true },
  'claimOf?': { type: 'string', description: 'The public offer that a wallet accepted to get this one.' },
};

const { links: linksExample, ...listedExample } = {
  offerId: 'order-4711',
  state: 'Open',
  credentials: [{ configurationId: 'membership', credentialId: 'membership-4711' }],
  createdAt: '2026-11-20T10:00:00.000Z',
  expiresAt: '2026-11-21T10:00:00.000Z',
  txCodeRequired: false,
  wrongTxCodes: 0,
  links: {
    credentialOffer:
      'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fissuer.example%2Fopenid4vci%2Foffers%2FfR3nGm1t',
    credentialOfferUri: 'https://issuer.example/openid4vci/offers/fR3nGm1t',
    links: {
      qrSvg: '/v0/offers/order-4711/qr.svg',
      qrPng: '/v0/offers/order-4711/qr.png',
      page: '/v0/offers/order-4711/page',
    },
  },
};
const { offerId, createdAt, expiresAt } = listedExample;

const openedOffer = component(
  'OpenedOffer',
  closed({
    offerId: text,
    ...links,
    state,
    expiresAt: dateTime,
    'txCode?': { ...text, description: 'The transaction code that was asked for, returned this once and never again.' },
  }),
  { offerId, ...linksExample, state: 'Open', expiresAt },
);
const listedOffer = component('ListedOffer', closed(listed), listedExample);
const sentence = {
  ...textOrNull,
  description: 'One sentence for the people who run the portal, where there is more to say.',
};
const offer = component(
  'Offer',
  closed({
    ...listed,
    ...links,
    'claims?': { type: 'integer', description: 'How often a public offer was accepted.' },
    timeline: timeline(['ok', 'refused', 'failed'], sentence),
  }),
  {
    ...listedExample,
    ...linksExample,
    timeline: [{ at: createdAt, step: 'created', outcome: 'ok', detail: 'Promises membership.' }],
  },
);

class TransactionCodeBody implements TransactionCodeOptions {
  @Optional('How many characters.', { type: 'integer', minimum: 4, maximum: 16, default: 6 })
  @Check('isCodeLength', 'must be a whole number from 4 to 16', (value) => codeLengths.includes(value))
  readonly length: number = 6;

  @Optional('Digits, or letters and digits.', { default: 'numeric' })
  @IsIn(['numeric', 'text'], { message: 'must be numeric or text' })
  readonly inputMode: 'numeric' | 'text' = 'numeric';

  // OpenID4VCI 1.0 §4.1.1: not more than 300 characters.
  @Optional('What the wallet says to the person.')
  @IsText(0, 300)
  readonly description?: string;
}
const codeLengths: readonly unknown[] = Array.from({ length: 13 }, (_, index) => index + 4);

function IsLifetime(words: string): PropertyDecorator {
  return (target, name) => {
    Optional(`ISO 8601 duration from now, at most 90 days (a month counts 31, a year 366); ${words}`, {
      examples: ['PT24H', 'PT15M', 'P7D', 'P90D'],
    })(target, name);
    IsDuration(longestLifetimeDays, 'PT24H or P90D')(target, name);
  };
}

@Rules({
  anyOf: [{ required: ['offerId'] }, { required: ['templateIds'] }],
  if: { required: ['public'], properties: { public: { const: true } } },
  then: { required: ['templateIds'], properties: { txCode: { const: false } } },
})
export class OpenOfferBody {
  @Optional('Your own id for it; a random one when absent.')
  @IsText(1, 256)
  @IsAddressable()
  readonly offerId?: string;

  @About('The published templates to offer credentials of.', {
    type: 'array',
    minItems: 1,
    items: { type: 'string', minLength: 1 },
  })
  @ValidateIf(({ templateIds, offerId }: OpenOfferBody) => templateIds !== undefined || offerId === undefined)
  @Check('isTemplateIds', 'must be a non-empty array of non-empty strings', isTemplateIds, {
    problem: 'missing-template-ids',
  })
  readonly templateIds?: readonly string[];

  @Optional('Asks for a transaction code, a new one each time: six digits, or as described.')
  @IsNested(() => TransactionCodeBody, { others: [true, false] })
  @Check(
    'isNotPublic',
    'must be left out for a public offer: there is no one person to give it to',
    (txCode, body: OpenOfferBody) => body.public !== true || txCode === false,
  )
  readonly txCode?: boolean | TransactionCodeBody;

  @IsLifetime('PT24H for a new offer when absent.')
  readonly expiresIn?: string;

  @Optional(
    'For everybody, again and again, until it is taken offline; only for templates whose every schema leaf is ' +
      '`const`, and without a transaction code.',
  )
  @IsBoolean({ message: 'must be true or false' })
  @Check(
    'hasTemplates',
    'needs templateIds',
    (value, body: OpenOfferBody) => value !== true || body.templateIds !== undefined,
  )
  readonly public?: boolean;
}

export class ReopenOfferBody {
  @Optional('Asks for a new transaction code: six digits, or as described. Absent: the present one stays.')
  @IsNested(() => TransactionCodeBody, { others: [true] })
  readonly txCode?: true | TransactionCodeBody;

  @IsLifetime('PT24H when absent.')
  readonly expiresIn?: string;
}

export class SendOfferBody {
  @About('Where the wallet of the person waits for the offer.', {
    format: 'uri',
    examples: ['https://wallet.example/offers'],
  })
  @IsText(1, 2048)
  @Check('isAbsoluteUrl', 'must be an absolute URL', (value) => URL.canParse(String(value)))
  readonly targetUrl!: string;
}

class OfferQuery extends ListQuery {
  @Optional(
    'Only those in this state, in order of expiry, the latest first; an open offer that has expired is Expired.',
  )
  @IsIn(publicStates, { message: `must be one of ${publicStates.join(', ')}` })
  readonly state?: PublicState;
}

function isTemplateIds(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'string' && id !== '');
}

const missing = 'missing-credential-offer';
const opened = { schema: openedOffer, mediaTypes: linkMediaTypes };

export const offers = resource(
  {
    path: 'v0/offers',
    tag: 'Offers',
    description: 'What a wallet is shown, as link or QR code, to fetch credentials.',
    parameters: { offerId: { description: 'The id you chose for the offer.', schema: text, example: offerId } },
    links: { scope: 'offers:deliver', members: linkMembers },
  },
  {
    open: {
      id: 'openOffer',
      route: 'POST',
      scope: 'offers:write',
      summary: 'Open an offer, or get the link of one',
      description:
        'With `templateIds` an offer of these templates is created. With `offerId` alone the offer of this id is ' +
        'answered, or an empty one is created, to which `POST /v0/credentials` adds. `txCode` and `expiresIn` of an offer ' +
        'that exists can be set until a wallet has fetched it. `Accept` chooses link or QR code. Without the scope ' +
        '`offers:deliver` the answer has no links, and is JSON only.',
      body: OpenOfferBody,
      examples: {
        empty: { offerId },
        ofTemplates: { templateIds: ['membership'], txCode: true, expiresIn: 'PT15M' },
        public: { offerId: 'open-day', templateIds: ['visitor'], public: true },
      },
      idempotent: true,
      answers: {
        201: { description: 'A new offer.', headers: ['Location'], ...opened },
        200: { description: 'The offer that exists already, with the options that were set.', ...opened },
      },
      problems: [
        'missing-template-ids',
        'conflict',
        'template-not-found',
        'template-not-published',
        'template-not-eligible-for-public-offer',
        'invalid-template-schema',
        'unsupported-credential-configuration-format',
      ],
    },
    list: {
      id: 'listOffers',
      route: 'GET',
      scope: 'offers:read',
      summary: 'List the offers, the newest first',
      query: OfferQuery,
      answers: { 200: { description: 'One page.', schema: pageOf(listedOffer) } },
    },
    get: {
      id: 'getOffer',
      route: 'GET :offerId',
      scope: 'offers:read',
      summary: 'See an offer: its state, its credentials, its links and what happened to it',
      description: 'Its links only with the scope `offers:deliver`.',
      conditional: true,
      answers: { 200: { description: 'The offer.', schema: offer } },
      problems: [missing],
    },
    ...linkOperations({
      id: 'Offer',
      name: 'an offer',
      parameter: 'offerId',
      scope: 'offers:deliver',
      problems: [missing],
    }),
    send: {
      id: 'sendOffer',
      route: 'POST :offerId/send',
      scope: 'offers:deliver',
      summary: 'Send an offer to a wallet that waits for it',
      description: 'GET on `targetUrl` with `credential_offer_uri` appended. Addresses inside networks are not called.',
      body: SendOfferBody,
      examples: { waiting: { targetUrl: 'https://wallet.example/offers' } },
      answers: { 204: { description: 'The wallet has received it.' } },
      problems: [missing, 'send-credential-offer-error'],
    },
    reopen: {
      id: 'reopenOffer',
      route: 'POST :offerId/reopen',
      scope: 'offers:write',
      summary: 'Give an offer a new link after its old one came to nothing',
      description:
        'For an offer that was redeemed by a wallet that got no credential, that is Locked or Expired. The former link, its ' +
        'codes and tokens are void; the transaction code stays unless `txCode` asks for a new one. ' +
        'The new link is in the answer only with the scope `offers:deliver`.',
      body: ReopenOfferBody,
      examples: { sameCode: {}, newCode: { txCode: true, expiresIn: 'PT15M' } },
      idempotent: true,
      conditional: true,
      answers: { 200: { description: 'The offer with its new link.', schema: openedOffer } },
      problems: [missing, 'conflict'],
    },
    takeOffline: {
      id: 'takeOfferOffline',
      route: 'POST :offerId/take_offline',
      scope: 'offers:write',
      summary: 'Suspend a public offer',
      conditional: true,
      answers: { 204: { description: 'No wallet can accept it until it is taken online.' } },
      problems: [missing, 'conflict'],
    },
    takeOnline: {
      id: 'takeOfferOnline',
      route: 'POST :offerId/take_online',
      scope: 'offers:write',
      summary: 'Resume a suspended public offer',
      conditional: true,
      answers: { 204: { description: 'Wallets can accept it.' } },
      problems: [missing, 'conflict'],
    },
    withdraw: {
      id: 'withdrawOffer',
      route: 'DELETE :offerId',
      scope: 'offers:write',
      summary: 'Withdraw an offer for good',
      conditional: true,
      answers: { 204: { description: 'No wallet can accept it any more.' } },
      problems: [missing, 'conflict'],
    },
  },
);

/** The transaction code that a body asks for: six digits unless it says more. */
export function transactionCodeOf(
  txCode: boolean | TransactionCodeBody | undefined,
): TransactionCodeOptions | undefined {
  if (txCode === undefined || txCode === false) return undefined;
  return txCode === true ? new TransactionCodeBody() : txCode;
}
