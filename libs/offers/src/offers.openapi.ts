import {
  closedObject,
  type ControllerDescription,
  dateTime,
  listOf,
  pageParameters,
  reference,
  timeline,
} from '@app/openapi';
import { publicStates } from './offer';

const links = {
  credentialOffer: {
    type: 'string',
    description: 'What the QR code holds and what opens a wallet on the same device.',
  },
  credentialOfferUri: { type: 'string', format: 'uri' },
  links: reference('Links'),
};

/** Only for callers with the scope `offers:deliver`. */
export const linkMembers = Object.keys(links);

const state = { enum: publicStates };

const listed = {
  offerId: { type: 'string' },
  state,
  credentials: {
    type: 'array',
    items: closedObject({ configurationId: { type: 'string' }, credentialId: { type: 'string' } }, ['credentialId']),
    description: 'What the offer promises; without `credentialId` the data has not been handed in yet.',
  },
  createdAt: dateTime,
  expiresAt: dateTime,
  redeemedAt: dateTime,
  txCodeRequired: { type: 'boolean' },
  wrongTxCodes: { type: 'integer', description: 'After five wrong codes the offer is Locked.' },
  public: { const: true },
  claimOf: { type: 'string', description: 'The public offer that a wallet took up to get this one.' },
};
const optional = ['redeemedAt', 'public', 'claimOf'];

const example = {
  offerId: 'order-4711',
  credentialOffer:
    'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fissuer.example%2Fopenid4vci%2Foffers%2FfR3nGm1t',
  credentialOfferUri: 'https://issuer.example/openid4vci/offers/fR3nGm1t',
  links: {
    qrSvg: '/v0/offers/order-4711/qr.svg',
    qrPng: '/v0/offers/order-4711/qr.png',
    page: '/v0/offers/order-4711/page',
  },
  state: 'Open',
  expiresAt: '2026-11-21T10:00:00.000Z',
};
const listedExample = {
  offerId: 'order-4711',
  state: 'Open',
  credentials: [{ configurationId: 'membership', credentialId: 'membership-4711' }],
  createdAt: '2026-11-20T10:00:00.000Z',
  expiresAt: '2026-11-21T10:00:00.000Z',
  txCodeRequired: false,
  wrongTxCodes: 0,
};

const txCodeLook = closedObject(
  {
    length: { type: 'integer', minimum: 4, maximum: 16, default: 6 },
    inputMode: { enum: ['numeric', 'text'], default: 'numeric' },
    description: { type: 'string', maxLength: 300 },
  },
  ['length', 'inputMode', 'description'],
);
const txCode = {
  description: 'Asks for a transaction code, a new one each time: six digits, or as described.',
  oneOf: [{ type: 'boolean' }, txCodeLook],
};
const expiresIn = {
  description:
    'ISO 8601 duration from now, at most 90 days (a month counts 31, a year 366); PT24H for a new offer when ' +
    'absent.',
  type: 'string',
  examples: ['PT24H', 'PT15M', 'P7D', 'P90D'],
};

const drawn = ['text/plain', 'image/svg+xml', 'image/png'];
const opened = { schema: reference('OpenedOffer'), example, mediaTypes: drawn };
const missing = 'missing-credential-offer' as const;

export const offersDescription: ControllerDescription = {
  tag: 'Offers',
  description: 'What a wallet is shown, as link or QR code, to fetch credentials.',
  parameters: {
    offerId: { description: 'The id you chose for the offer.', schema: { type: 'string' }, example: 'order-4711' },
  },
  schemas: {
    Links: closedObject({
      qrSvg: { type: 'string', format: 'uri-reference' },
      qrPng: { type: 'string', format: 'uri-reference' },
      page: { type: 'string', format: 'uri-reference' },
    }),
    OpenedOffer: closedObject(
      {
        offerId: { type: 'string' },
        ...links,
        state,
        expiresAt: dateTime,
        txCode: {
          type: 'string',
          description: 'The transaction code that was asked for, returned this once and never again.',
        },
      },
      [...linkMembers, 'txCode'],
    ),
    ListedOffer: closedObject(listed, optional),
    Offer: closedObject(
      {
        ...listed,
        ...links,
        claims: { type: 'integer', description: 'How often a public offer was taken up.' },
        timeline: timeline(['ok', 'refused', 'failed'], {
          type: ['string', 'null'],
          description: 'One sentence for the people who run the portal, where there is more to say.',
        }),
      },
      [...optional, ...linkMembers, 'claims'],
    ),
  },
  operations: {
    open: {
      id: 'openOffer',
      summary: 'Open an offer, or get the link of one',
      description:
        'With `templateIds` an offer of these templates is created. With `offerId` alone the offer of this id is ' +
        'answered, or an empty one is created, to which `POST /v0/credentials` adds. `txCode` and `expiresIn` of an offer ' +
        'that exists can be set until a wallet has fetched it. `Accept` chooses link or QR code. Without the scope ' +
        '`offers:deliver` the answer has no links, and is JSON only.',
      body: {
        members: {
          offerId: { description: 'Your own id for it; a random one when absent.' },
          templateIds: {
            description: 'The published templates to offer credentials of.',
            type: 'array',
            minItems: 1,
            items: { type: 'string', minLength: 1 },
          },
          txCode,
          expiresIn,
          public: {
            description:
              'For everybody, again and again, until it is taken offline; only for templates whose every schema leaf ' +
              'is `const`, and without a transaction code.',
          },
        },
        rules: {
          anyOf: [{ required: ['offerId'] }, { required: ['templateIds'] }],
          if: { required: ['public'], properties: { public: { const: true } } },
          then: { required: ['templateIds'], properties: { txCode: { const: false } } },
        },
        examples: {
          empty: { offerId: 'order-4711' },
          ofTemplates: { templateIds: ['membership'], txCode: true, expiresIn: 'PT15M' },
          public: { offerId: 'open-day', templateIds: ['visitor'], public: true },
        },
      },
      answers: [
        { status: 201, description: 'A new offer.', headers: ['Location'], ...opened },
        { status: 200, description: 'The offer that exists already, with the options that were set.', ...opened },
      ],
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
      summary: 'List the offers, the newest first',
      query: {
        ...pageParameters,
        state: {
          description:
            'Only those in this state, in order of expiry, the latest first; an open offer that has expired is Expired.',
          schema: state,
        },
      },
      answers: [
        {
          status: 200,
          description: 'One page.',
          schema: listOf(reference('ListedOffer')),
          example: { items: [listedExample], nextCursor: null },
        },
      ],
    },
    get: {
      id: 'getOffer',
      summary: 'See an offer: its state, its credentials, its links and what happened to it',
      description: 'Its links only with the scope `offers:deliver`.',
      answers: [
        {
          status: 200,
          description: 'The offer.',
          schema: reference('Offer'),
          example: {
            ...listedExample,
            credentialOffer: example.credentialOffer,
            credentialOfferUri: example.credentialOfferUri,
            links: example.links,
            timeline: [{ at: listedExample.createdAt, step: 'created', outcome: 'ok', detail: 'Promises membership.' }],
          },
        },
      ],
      problems: [missing],
    },
    svg: {
      id: 'getOfferQrSvg',
      summary: 'The QR code of an offer as SVG',
      answers: [{ status: 200, description: 'The image.', mediaTypes: ['image/svg+xml'] }],
      problems: [missing],
    },
    png: {
      id: 'getOfferQrPng',
      summary: 'The QR code of an offer as PNG',
      answers: [{ status: 200, description: 'The image.', mediaTypes: ['image/png'] }],
      problems: [missing],
    },
    page: {
      id: 'getOfferPage',
      summary: 'A page with the QR code of an offer, for a person',
      answers: [{ status: 200, description: 'The page.', mediaTypes: ['text/html'] }],
      problems: [missing],
    },
    send: {
      id: 'sendOffer',
      summary: 'Send an offer to a wallet that waits for it',
      description: 'GET on `targetUrl` with `credential_offer_uri` appended. Addresses inside networks are not called.',
      body: {
        members: {
          targetUrl: {
            description: 'Where the wallet of the person waits for the offer.',
            format: 'uri',
            examples: ['https://wallet.example/offers'],
          },
        },
        examples: { waiting: { targetUrl: 'https://wallet.example/offers' } },
      },
      answers: [{ status: 204, description: 'The wallet has taken it.' }],
      problems: [missing, 'send-credential-offer-error'],
    },
    reopen: {
      id: 'reopenOffer',
      summary: 'Give an offer a new link after its old one came to nothing',
      description:
        'For an offer that was redeemed by a wallet that got no credential, that is Locked or Expired. The former link, its ' +
        'codes and tokens are void; the transaction code stays unless `txCode` asks for a new one. ' +
        'The new link is in the answer only with the scope `offers:deliver`.',
      body: {
        members: {
          txCode: {
            description: 'Asks for a new transaction code: six digits, or as described. Absent: the present one stays.',
            oneOf: [{ const: true }, txCodeLook],
          },
          expiresIn: { ...expiresIn, description: 'ISO 8601 duration from now, at most 90 days; PT24H when absent.' },
        },
        examples: { sameCode: {}, newCode: { txCode: true, expiresIn: 'PT15M' } },
      },
      answers: [
        { status: 200, description: 'The offer with its new link.', schema: reference('OpenedOffer'), example },
      ],
      problems: [missing, 'conflict'],
    },
    takeOffline: {
      id: 'takeOfferOffline',
      summary: 'Let a public offer rest',
      answers: [{ status: 204, description: 'It rests.' }],
      problems: [missing, 'conflict'],
    },
    takeOnline: {
      id: 'takeOfferOnline',
      summary: 'Wake a public offer that rests',
      answers: [{ status: 204, description: 'It can be taken up.' }],
      problems: [missing, 'conflict'],
    },
    withdraw: {
      id: 'withdrawOffer',
      summary: 'Withdraw an offer for good',
      answers: [{ status: 204, description: 'No wallet can take it up any more.' }],
      problems: [missing, 'conflict'],
    },
  },
};
