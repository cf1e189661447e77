import { closed, component, dateTime, eg, integer, is, resource, text, textOrNull } from '@app/http';
import { type Language, languages } from '@app/pages';
import { type BounceReason, bounceReasons, type Channel, channels, deliveryStates } from './offer-delivery';

const offerId = { description: 'The id you chose for the offer.', schema: text, example: 'order-4711' };
const deliveryId = {
  description: 'The id of the delivery.',
  schema: text,
  example: 'b9a1d1f0-6f0e-4f5e-9a53-1b8f4c1f0c11',
};
const mostOffers = 200;
const mostStopped = 1000;

const delivery = component(
  'OfferDelivery',
  closed({
    deliveryId: eg(deliveryId.example),
    offerId: eg(offerId.example),
    channel: eg('email', { enum: channels }),
    'locale?': { enum: languages, description: 'The language that was asked for; that of the recipient when absent.' },
    status: eg('Queued', { enum: deliveryStates }),
    'reason?': {
      ...textOrNull,
      description:
        'Of a mail that was not taken: one word such as `no-address`, or the codes of the answer of the mail server, such as `550 5.1.1`. Of one that came back, what was reported.',
    },
    attempts: eg(0, integer),
    createdAt: eg('2026-11-20T10:00:00.000Z', dateTime),
    'attemptedAt?': dateTime,
    'nextAttemptAt?': { ...dateTime, description: 'Of a queued mail.' },
    changedAt: eg('2026-11-20T10:00:00.000Z', dateTime),
  }),
);
const recipient = {
  description: 'To whom the offer is handed over; absent when the portal named nobody, and once it was erased.',
  ...closed({ 'email?': text, 'name?': text, 'locale?': text }),
};

class DeliverBody {
  @is.Required(
    '`email`: a mail with the link of the page is queued for the recipient, never with the transaction code. `letter`: notes that a ' +
      'letter is made, by `GET /v0/offers/{offerId}/letter`.',
    is.OneOf(channels),
  )
  readonly channel!: Channel;
  @is.Optional('The language; that of the recipient when absent.', is.OneOf(languages))
  readonly locale?: Language;
}

class BounceBody {
  @is.Required('What was reported, by a mail server or by a person.', is.OneOf(bounceReasons))
  readonly reason!: BounceReason;
}

class LetterQuery {
  @is.Optional('The language; that of the recipient when absent.', is.OneOf(languages))
  readonly locale?: Language;
}

class LetterBody {
  @is.Required('The id of the offer.', is.Text(1, 256))
  readonly offerId!: string;
  @is.Optional(
    'The transaction code of the offer, to be printed in the same letter: whoever holds that then needs nothing else. It is not compared.',
    is.Check(
      'isCode',
      'must be 4 to 16 letters or digits',
      (value) => typeof value === 'string' && /^[A-Za-z0-9]{4,16}$/.test(value),
    ),
    is.Shown({ ...text, pattern: '^[A-Za-z0-9]{4,16}$' }),
  )
  readonly txCode?: string;
}

class LettersBody {
  @is.Required(
    `One letter for each, up to ${mostOffers}.`,
    is.NestedList(() => LetterBody, mostOffers),
    is.Check('isFilled', 'must have an offer', (list) => !Array.isArray(list) || list.length > 0),
    is.Shown({ minItems: 1 }),
  )
  readonly offers!: readonly LetterBody[];
  @is.Optional('The language; that of each recipient when absent.', is.OneOf(languages))
  readonly locale?: Language;
}

class CancelDeliveriesBody {
  @is.Optional('Of these offers; of all when absent.', is.TextList(1, mostStopped, [1, 256]))
  readonly offerIds?: readonly string[];
}

const shared = {
  path: 'v0/offers',
  area: 'offers',
  tag: 'Deliveries',
  description: 'How the link of an offer comes to its person: by mail, or in a letter.',
} as const;
const scope = 'offers:deliver';

export const handover = resource(
  { ...shared, parameters: { offerId }, missing: 'missing-credential-offer' },
  {
    deliver: {
      id: 'deliverOffer',
      route: 'POST :offerId/deliveries',
      scope,
      conditional: false,
      summary: 'Send the link of an offer to its recipient',
      description:
        'Of an offer that is open and complete. One mail of an offer is on its way at a time. A mail that is not taken is tried again for a day.',
      body: DeliverBody,
      examples: { email: { channel: 'email' }, letter: { channel: 'letter', locale: 'de' } },
      idempotent: true,
      answers: { 201: { description: 'The delivery.', schema: delivery } },
      problems: ['conflict', 'setting-missing'],
    },
    listDeliveries: {
      id: 'listOfferDeliveries',
      route: 'GET :offerId/deliveries',
      scope,
      conditional: false,
      summary: 'List what was sent to the recipient of an offer',
      description: 'The latest hundred, the newest first.',
      answers: {
        200: {
          description: 'The deliveries.',
          schema: closed({ 'recipient?': recipient, items: eg([], { type: 'array', items: delivery }) }),
        },
      },
    },
    letter: {
      id: 'getOfferLetter',
      route: 'GET :offerId/letter',
      scope,
      conditional: false,
      summary: 'A letter to print, with the link of an offer as QR code',
      description:
        'A4, with the address where the window of an envelope is (DIN 5008, form B). Without the transaction code.',
      query: LetterQuery,
      answers: { 200: { description: 'The letter.', mediaTypes: ['text/html'] } },
      problems: ['conflict'],
    },
  },
);

export const letters = resource(shared, {
  print: {
    id: 'printLetters',
    route: 'POST letters',
    scope,
    summary: 'Letters to print, each with the link of an offer as QR code',
    description: 'As `GET /v0/offers/{offerId}/letter`, one page for each. Each is noted as a delivery.',
    body: LettersBody,
    examples: {
      two: { offers: [{ offerId: 'order-4711' }, { offerId: 'order-4712', txCode: '493817' }], locale: 'de' },
    },
    answers: { 200: { description: 'The letters.', mediaTypes: ['text/html'] } },
    problems: ['missing-credential-offer', 'conflict'],
  },
  cancelDeliveries: {
    id: 'cancelDeliveries',
    route: 'POST cancel_deliveries',
    scope,
    conditional: false,
    summary: 'Stop mails that are queued',
    description: 'What a mail server has taken cannot be called back.',
    body: CancelDeliveriesBody,
    examples: { all: {}, some: { offerIds: ['order-4711'] } },
    answers: { 200: { description: 'How many were stopped.', schema: closed({ cancelled: eg(2, integer) }) } },
  },
});

export const deliveries = resource(
  { ...shared, parameters: { offerId, deliveryId } },
  {
    getDelivery: {
      id: 'getOfferDelivery',
      route: 'GET :offerId/deliveries/:deliveryId',
      scope,
      conditional: false,
      summary: 'Get what became of a mail or letter',
      answers: { 200: { description: 'The delivery.', schema: delivery } },
    },
    cancelDelivery: {
      id: 'cancelDelivery',
      route: 'DELETE :offerId/deliveries/:deliveryId',
      scope,
      conditional: false,
      summary: 'Stop a mail that is queued',
      answers: { 204: 'It is not sent.' },
      problems: ['conflict'],
    },
    bounce: {
      id: 'bounceDelivery',
      route: 'POST :offerId/deliveries/:deliveryId/bounce',
      scope,
      conditional: false,
      summary: 'Note that a mail or letter did not reach the person',
      description:
        'For whoever reads the reports of mail servers, or gets a letter back. A mail has the id of its delivery in `Message-ID`, in front of ' +
        'the @. Then correct the `recipient` by `POST /v0/offers`, and deliver again.',
      body: BounceBody,
      examples: { wrong: { reason: 'wrong-address' } },
      answers: { 200: { description: 'The delivery.', schema: delivery } },
      problems: ['conflict'],
    },
  },
);
