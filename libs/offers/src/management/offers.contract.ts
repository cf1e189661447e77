import {
  closed,
  component,
  dateTime,
  eg,
  integer,
  is,
  linkMediaTypes,
  listOf,
  ListQuery,
  pageRedirects,
  resource,
  text,
  textOrNull,
  timeline,
} from '@app/http';
import { type Identification, identifications } from '@app/templates';
import { IsBoolean, ValidateIf } from 'class-validator';
import type { GivenAuthorization } from '../offer/asked-authorization';
import type { OfferKind } from '../offer/new-offer';
import { type PublicState, publicStates } from '../offer/offer';
import { type OfferGrant, offerGrants } from '../offer/offer-grants';
import { longestLifetimeDays } from '../offer/offer-lifetime';
import { offerSteps } from '../marks/offer-events';
import { linkSchemas, shownLinks, SendNamedOfferBody, SendOfferBody, waiting } from './offer-links.contract';
import { RecipientBody } from './recipient.contract';
import { TransactionCodeBody } from './transaction-code.contract';

const id = 'order-4711';
const links = linkSchemas();

const opened = {
  offerId: eg(id),
  ...links,
  state: eg('Open', { enum: publicStates }),
  expiresAt: eg('2026-11-21T10:00:00.000Z', dateTime),
};
const code = { ...text, description: 'The transaction code that was requested, returned only once.' };
const openedOffer = component('OpenedOffer', closed({ ...opened, 'txCode?': code }));

const { offerId, state, expiresAt } = opened;
const createdAt = '2026-11-20T10:00:00.000Z';
const listed = {
  offerId,
  state,
  credentials: eg([{ configurationId: 'membership', credentialId: 'membership-4711' }], {
    type: 'array',
    items: closed({ configurationId: text, 'credentialId?': text, 'awaitsData?': { const: true } }),
    description:
      'What the offer promises; without `credentialId` the data has not been submitted yet. `awaitsData`: a wallet waits for ' +
      'the data of this credential.',
  }),
  createdAt: eg(createdAt, dateTime),
  expiresAt,
  'redeemedAt?': dateTime,
  txCodeRequired: eg(false, { type: 'boolean' }),
  wrongTxCodes: eg(0, { ...integer, description: 'After five wrong codes the offer is Locked.' }),
  'public?': { const: true },
  'deferred?': { const: true },
  'grants?': {
    type: 'array',
    items: { enum: offerGrants },
    description: 'How wallets come to its token; absent: by pre-authorized code.',
  },
  'identification?': {
    enum: identifications,
    description: 'How it becomes known who accepts it, where that needs an authorization code.',
  },
  'subjectExpected?': { const: true, description: 'Only the person of `expectedSubject` can accept it.' },
  'claimOf?': { ...text, description: 'The public offer that a wallet accepted to get this one.' },
};
const listedOffer = component('ListedOffer', closed(listed));
const sentence = 'One sentence for portal operators, where there is more to report.';
const history = timeline(offerSteps, ['ok', 'refused', 'failed'], { ...textOrNull, description: sentence });
const offer = component(
  'Offer',
  closed({
    ...listed,
    ...links,
    'claims?': { ...integer, description: 'How often a public offer was accepted.' },
    timeline: eg([{ at: createdAt, step: 'created', outcome: 'ok', detail: 'Promises membership.' }], history),
  }),
);

const isLifetime = (usual: string) =>
  is.Optional(
    `ISO 8601 duration from now, at most 90 days (a month counts 31, a year 366); ${usual}`,
    is.Duration(longestLifetimeDays, 'PT24H or P90D'),
    is.Shown({ examples: ['PT24H', 'PT15M', 'P7D', 'P90D'] }),
  );

function isTemplateIds(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '');
}

class ExpectedSubjectBody {
  @is.Required(
    'The claim that must have the value: a name, or a JSON Pointer such as `/address/country`.',
    is.Text(1, 256),
    is.Shown({ examples: ['student_number', 'sub'] }),
  )
  readonly claim!: string;
  @is.Required('Compared as a string, character by character.', is.Text(1, 1024))
  readonly value!: string;
}

function isGrants(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((one) => offerGrants.some((grant) => grant === one))
  );
}

function isByAuthorization(grants: unknown): boolean {
  return Array.isArray(grants) && grants.includes('authorization_code');
}

const byAuthorization = {
  required: ['grants'],
  properties: { grants: { contains: { const: 'authorization_code' } } },
};
const byAuthorizationAlone = {
  required: ['grants'],
  properties: { grants: { items: { const: 'authorization_code' } } },
};

@is.Rules({
  ...is.oneIsGiven({ required: ['offerId'] }, { required: ['templateIds'] }),
  if: { required: ['public'], properties: { public: { const: true } } },
  then: {
    required: ['templateIds'],
    properties: {
      txCode: { const: false },
      deferred: { const: false },
      expectedSubject: false,
      recipient: false,
    },
  },
  else: {
    if: { required: ['deferred'], properties: { deferred: { const: true } } },
    then: { required: ['templateIds'] },
  },
  dependentSchemas: { identification: byAuthorization, expectedSubject: byAuthorizationAlone },
})
class OpenOfferBody {
  @is.Optional('Your own id for it; a random one when absent.', is.Text(1, 256), is.Addressable())
  readonly offerId?: string;
  @is.Required(
    'The published templates to offer credentials of.',
    ValidateIf(({ templateIds, offerId: given }: OpenOfferBody) => templateIds !== undefined || given === undefined),
    is.Check('isTemplateIds', 'must be a non-empty array of template ids, such as ["membership"]', isTemplateIds, {
      problem: 'missing-template-ids',
    }),
    is.Shown({ type: 'array', minItems: 1, items: { ...text, minLength: 1 } }),
  )
  readonly templateIds?: readonly string[];
  @is.Optional(
    'Asks for a transaction code, a new one each time: six digits, or as described.',
    is.Nested(() => TransactionCodeBody, true, false),
    is.Check(
      'isNotPublic',
      'must be left out for a public offer: there is no one person to give it to',
      (txCode, body: OpenOfferBody) => body.public !== true || txCode === false,
    ),
  )
  readonly txCode?: boolean | TransactionCodeBody;
  @isLifetime('PT24H for a new offer when absent.')
  readonly expiresIn?: string;
  @is.Optional(
    'For any number of people, until it is taken offline; each has a claim, an offer of their own. Only for templates whose every ' +
      'schema leaf is `const`, or, by `authorization_code` alone, whose data come from a login, a presentation or the webhook; and ' +
      'without a transaction code.',
    IsBoolean({ message: 'must be true or false' }),
    is.Check('hasTemplates', 'needs templateIds', (value, body: OpenOfferBody) => !value || !!body.templateIds),
  )
  readonly public?: boolean;
  @is.Optional(
    'Wallets can accept the offer before its data is submitted, and wait for it: see `GET /v0/credentials?status=Requested`.',
    IsBoolean({ message: 'must be true or false' }),
    is.Check('hasTemplates', 'needs templateIds', (value, body: OpenOfferBody) => !value || !!body.templateIds),
    is.Check(
      'isNotPublic',
      'must be left out for a public offer: it needs no data',
      (value, body: OpenOfferBody) => !value || body.public !== true,
    ),
  )
  readonly deferred?: boolean;
  @is.Optional(
    'How wallets come to the token: by `authorization_code` the person first identifies and agrees in a browser. ' +
      'With both, the wallet chooses, and the offer is used up once. By pre-authorized code alone when absent.',
    is.Check('isGrants', `must be a list of ${offerGrants.join(', ')}, each at most once`, isGrants),
    is.Shown({ type: 'array', minItems: 1, uniqueItems: true, items: { enum: offerGrants } }),
  )
  readonly grants?: readonly OfferGrant[];
  @is.Optional(
    'With `authorization_code`: how it becomes known who accepts the offer. `portal`: you knew the person when you made the ' +
      'offer, and whoever has its link can accept it; `development`: a form that believes anything, in that profile only. When ' +
      'absent the templates say it, else `portal`.',
    is.OneOf(identifications),
    is.Check('isByAuthorization', 'needs grants with authorization_code', (_value, body: OpenOfferBody) =>
      isByAuthorization(body.grants),
    ),
  )
  readonly identification?: Identification;
  @is.Optional(
    'With `authorization_code` alone: the one person who can accept the offer, by a claim that the identification proves. Another ' +
      'one gets `access_denied`, and the offer stays open.',
    is.Nested(() => ExpectedSubjectBody),
    is.Check(
      'isByAuthorizationAlone',
      'needs grants with authorization_code alone: with a pre-authorized code nobody is asked who they are',
      (_value, { grants }: OpenOfferBody) => isByAuthorization(grants) && grants?.length === 1,
    ),
    is.Check(
      'isNotPublic',
      'must be left out for a public offer: it is for everyone',
      (_value, body: OpenOfferBody) => body.public !== true,
    ),
  )
  readonly expectedSubject?: ExpectedSubjectBody;
  @is.Optional(
    'Whom the offer is handed over to, by mail or letter; sealed, and erased with the data of its credentials. As long as the offer is ' +
      'open, another one replaces it.',
    is.Nested(() => RecipientBody),
    is.Check(
      'isNotPublic',
      'must be left out for a public offer: it is for everyone',
      (_value, body: OpenOfferBody) => body.public !== true,
    ),
  )
  readonly recipient?: RecipientBody;
}

export function kindOf({ public: isPublic, deferred }: OpenOfferBody): OfferKind {
  if (isPublic) return 'public';
  return deferred ? 'deferred' : 'personal';
}

/** What the body says about the authorization code grant: `undefined` nothing, `null` that there is none. */
export function authorizationOf(body: OpenOfferBody): GivenAuthorization | null | undefined {
  const { grants, identification, expectedSubject } = body;
  if (!grants) return undefined;
  if (!grants.includes('authorization_code')) return null;
  return { identification, expectedSubject, orPreAuthorized: grants.includes('pre-authorized_code') };
}

class ReopenOfferBody {
  @is.Optional(
    'Asks for a new transaction code: six digits, or as described. Absent: the present one stays.',
    is.Nested(() => TransactionCodeBody, true),
  )
  readonly txCode?: true | TransactionCodeBody;
  @isLifetime('PT24H when absent.')
  readonly expiresIn?: string;
}

class OfferQuery extends ListQuery {
  @is.Optional(
    'Only those in this state, in order of expiry, the latest first; an open offer that has expired is Expired.',
    is.OneOf(publicStates),
  )
  readonly state?: PublicState;
}

const withLink = { schema: openedOffer, mediaTypes: linkMediaTypes };

export const offers = resource(
  {
    path: 'v0/offers',
    area: 'offers',
    tag: 'Offers',
    description: 'What a wallet is shown, as link or QR code, to fetch credentials.',
    parameters: { offerId: { description: 'The id you chose for the offer.', schema: text, example: id } },
    missing: 'missing-credential-offer',
    links: shownLinks,
  },
  {
    open: {
      id: 'openOffer',
      makesNew: 'offers',
      route: 'POST',
      summary: 'Open an offer, or get the link of one',
      description:
        'With `templateIds` an offer of these templates is created. With `offerId` alone the offer of this id is ' +
        'returned, or an empty one is created, to which `POST /v0/credentials` adds. `txCode`, `expiresIn` and `grants` of an ' +
        'offer that exists can be set until a wallet has fetched it. `Accept` chooses link or QR code. Without the scope ' +
        '`offers:deliver` the answer has no links, and is JSON only.',
      body: OpenOfferBody,
      examples: {
        empty: { offerId: id },
        ofTemplates: { templateIds: ['membership'], txCode: true, expiresIn: 'PT15M' },
        public: { offerId: 'open-day', templateIds: ['visitor'], public: true },
        poster: { offerId: 'poster', templateIds: ['student-card'], public: true, grants: ['authorization_code'] },
        addressed: { offerId: 'order-4715', recipient: { email: 'erika@example.org', name: 'Erika Mustermann' } },
        authorized: { offerId: 'order-4714', grants: ['authorization_code'] },
        deferred: { offerId: 'order-4713', templateIds: ['membership'], deferred: true, expiresIn: 'P7D' },
      },
      idempotent: true,
      answers: {
        201: { description: 'A new offer.', ...withLink },
        200: { description: 'The offer that exists already, with the options that were set.', ...withLink },
      },
      problems: [
        'missing-template-ids',
        'conflict',
        'setting-missing',
        'template-not-found',
        'template-not-published',
        'template-not-eligible-for-public-offer',
        'invalid-template-schema',
        'unsupported-credential-configuration-format',
      ],
    },
    list: listOf('listOffers', 'List the offers, newest first', listedOffer, OfferQuery),
    get: {
      id: 'getOffer',
      route: 'GET :offerId',
      summary: 'Get an offer with its state, credentials, links and history',
      description: 'Its links only with the scope `offers:deliver`.',
      answers: { 200: { description: 'The offer.', schema: offer } },
    },
    ...pageRedirects('Offer', 'an offer', 'offerId', 'offers:deliver'),
    send: {
      id: 'sendOffer',
      route: 'POST :offerId/send',
      scope: 'offers:deliver',
      summary: 'Send an offer to a waiting wallet',
      description: 'GET on `targetUrl` with `credential_offer_uri` appended. Private addresses are not called.',
      body: SendOfferBody,
      examples: { waiting: { targetUrl: waiting } },
      answers: { 204: 'The wallet has received it.' },
      problems: ['webhook-url-not-allowed', 'send-credential-offer-error'],
    },
    sendNamed: {
      id: 'sendNamedOffer',
      route: 'POST send',
      auditedAs: 'send',
      conditional: false,
      scope: 'offers:deliver',
      summary: 'Send the offer that the body names to a waiting wallet',
      description: 'As `POST /v0/offers/{offerId}/send`, for the portals of UniCore.',
      body: SendNamedOfferBody,
      examples: { waiting: { offerId: id, targetUrl: waiting } },
      answers: { 204: 'The wallet has received it.' },
      problems: ['missing-credential-offer', 'webhook-url-not-allowed', 'send-credential-offer-error'],
    },
    reopen: {
      id: 'reopenOffer',
      makesNew: true,
      route: 'POST :offerId/reopen',
      summary: 'Give an offer a new link when its old one is unusable',
      description:
        'For an offer that was redeemed by a wallet that got no credential, that is Locked or Expired. The former link, its ' +
        'codes and tokens are void; the transaction code stays unless `txCode` asks for a new one. ' +
        'The new link is in the answer only with the scope `offers:deliver`.',
      body: ReopenOfferBody,
      examples: { sameCode: {}, newCode: { txCode: true, expiresIn: 'PT15M' } },
      idempotent: true,
      answers: { 200: { description: 'The offer with its new link.', schema: openedOffer, etag: true } },
    },
    takeOffline: {
      id: 'takeOfferOffline',
      route: 'POST :offerId/take_offline',
      summary: 'Suspend a public offer',
      answers: { 204: 'No wallet can accept it until it is taken online.' },
    },
    takeOnline: {
      id: 'takeOfferOnline',
      route: 'POST :offerId/take_online',
      summary: 'Resume a suspended public offer',
      answers: { 204: 'Wallets can accept it.' },
    },
    withdraw: {
      id: 'withdrawOffer',
      route: 'DELETE :offerId',
      summary: 'Withdraw an offer permanently',
      answers: { 204: 'No wallet can accept it any more.' },
    },
  },
);
