import { urlOf } from '@app/primitives/url';
import {
  closed,
  component,
  dateTime,
  duration,
  eg,
  givenDateTime,
  integer,
  is,
  listOf,
  ListQuery,
  resource,
  text,
  texts,
} from '@app/http';
import { hasAtMost, meant } from '@app/primitives/json';
import { httpPattern, isSecret, secretPattern } from '@app/outbound';
import { isDateTime, isDuration, lastsAtMost } from '@app/primitives/time';
import { publicEventTypes, subjectPattern } from '../public-event';
import { deliveryStatuses, type DeliveryStatus } from './delivery-table';
import { pauseReasons, webhookStatuses, type WebhookStatus } from './webhook';

/** ISO 8601: the former secret signs no more at once. */
const atOnce = 'PT0S';

function isOverlap(value: unknown): boolean {
  return value === atOnce || (isDuration(value) && lastsAtMost(value, 7));
}

const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const isOwnSecret = is.Check(
  'isSecret',
  'must be whsec_ and 24 to 64 random bytes in base64, such as the one that the service makes when it is absent',
  isSecret,
  { problem: 'invalid-webhook-secret' },
);

const longestSubject = 300;

function isSubject(value: unknown): boolean {
  return typeof value === 'string' && hasAtMost(value, longestSubject) && subjectPattern.test(value);
}

const longestUrl = 2048;

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && value.length <= longestUrl && urlOf(value) !== undefined;
}

function meantAmong(types: readonly unknown[]): string {
  return meant(
    types.find((type) => !publicEventTypes.includes(type as string)),
    publicEventTypes,
  );
}

const knownTypes = is.Check(
  'isTypes',
  (value) =>
    `must be a list of at most ${publicEventTypes.length} of ${publicEventTypes.join(', ')}${Array.isArray(value) ? meantAmong(value) : ''}`,
  (value) =>
    Array.isArray(value) &&
    value.length <= publicEventTypes.length &&
    value.every((type) => publicEventTypes.includes(type as string)),
);

const url = 'Where events are sent by POST: a public https URL. Redirects are not followed.';
const urlConstraint = is.Check(
  'isUrl',
  'must be an absolute URL of at most 2,048 characters, such as https://portal.example/hook',
  isUrl,
);
const urlShown = is.Shown({
  ...text,
  format: 'uri',
  maxLength: longestUrl,
  pattern: httpPattern,
  examples: ['https://portal.example/hooks/sealwright'],
});

class FilterBody {
  @is.Optional(
    'The types of events to send; all of them when empty or absent.',
    knownTypes,
    is.Shown({
      type: 'array',
      maxItems: publicEventTypes.length,
      items: { enum: publicEventTypes },
      examples: [['credential.accepted'], []],
    }),
  )
  readonly types?: readonly string[];
  @is.Optional(
    'Only events of this subject.',
    is.Check('isSubject', 'must be a resource such as offers/order-4711, without /v0/ in front', isSubject),
    is.Shown({ ...text, maxLength: longestSubject, pattern: subjectPattern.source, examples: ['offers/order-4711'] }),
  )
  readonly subject?: string | null;
  @is.Optional('For the people who look after it.', is.Text(0, 1024))
  readonly description?: string | null;
}

class CreateWebhookBody extends FilterBody {
  @is.Required(url, urlConstraint, urlShown)
  readonly url!: string;
  @is.Optional(
    'The key that signs what is sent; a random one when absent.',
    isOwnSecret,
    is.Shown({ ...text, pattern: secretPattern, examples: [exampleSecret] }),
  )
  readonly secret?: string;
  declare readonly subject?: string;
  declare readonly description?: string;
}

@is.Clearable('subject', 'description')
@is.Fixed({ secret: 'rotate it: POST /v0/webhooks/{webhookId}/rotate_secret' })
class ChangeWebhookBody extends FilterBody {
  @is.Optional(url, urlConstraint, urlShown)
  readonly url?: string;
  @is.Optional(
    '`Paused` sends nothing until it is `Enabled` again; events that come meanwhile wait.',
    is.OneOf(webhookStatuses),
  )
  readonly status?: WebhookStatus;
}

class RotateSecretBody {
  @is.Optional(
    'The new secret; a random one when absent.',
    isOwnSecret,
    is.Shown({ ...text, pattern: secretPattern, examples: [exampleSecret] }),
  )
  readonly secret?: string;
  @is.Optional(
    'How long the former secret signs as well: an ISO 8601 duration of at most 7 days; P1D when absent.',
    is.Check('isOverlap', 'must be an ISO 8601 duration of at most 7 days, for example P1D, PT1H or PT0S', isOverlap),
    is.Shown({ anyOf: [{ const: atOnce }, duration], examples: ['P1D', atOnce] }),
  )
  readonly formerExpiresIn?: string;
}

const eventIdPattern = '^[1-9][0-9]{0,17}$';
const begins = (other: string) => `Give either this or \`${other}\`.`;

@is.Holds((body) => {
  const { from, fromEvent } = body as ReplayBody;
  return (from === undefined) === (fromEvent === undefined)
    ? [{ pointer: '', message: 'must have either from or fromEvent' }]
    : [];
})
@is.Rules({ oneOf: [{ required: ['from'] }, { required: ['fromEvent'] }] })
class ReplayBody {
  @is.Optional(
    `Events that were stored at this time or later. ${begins('fromEvent')}`,
    is.Check('isMoment', 'must be a date-time such as 2027-06-30T12:00:00Z', isDateTime),
    is.Shown(givenDateTime),
  )
  readonly from?: string;
  @is.Optional(
    `The id of the first event to send. ${begins('from')}`,
    is.Check(
      'isEventId',
      'must be the id of an event, such as "4711"',
      (value) => typeof value === 'string' && new RegExp(eventIdPattern).test(value),
    ),
    is.Shown({ ...text, pattern: eventIdPattern, examples: ['4711'] }),
  )
  readonly fromEvent?: string;
}

class DeliveriesQuery extends ListQuery {
  @is.Optional('Only those with this status.', is.OneOf(deliveryStatuses))
  readonly status?: DeliveryStatus;
}

const secretSchema = eg(exampleSecret, {
  ...text,
  description: 'Shown this once. Receivers check signatures with it.',
});

const members = {
  webhookId: eg('0e4a0a3c-6a56-4a4b-8a93-0a1b8a7f5c11'),
  url: eg('https://portal.example/hooks/sealwright'),
  types: eg(['credential.accepted'], texts),
  'subject?': text,
  'description?': eg('Back office'),
  status: eg('Enabled', { enum: webhookStatuses }),
  'pause?': closed({
    reason: {
      enum: pauseReasons,
      description: '`requested` by a caller; `gone`: the receiver answered 410; `failing`: a day without a success.',
    },
    at: dateTime,
    'lastFailure?': { ...text, description: 'Of the receiver, such as `timeout` or `status 503`.' },
  }),
  formerSecretExpiresAt: eg(null, {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'Until then the former secret signs as well; null when there is none.',
  }),
  createdAt: eg('2027-06-30T12:00:00.000Z', dateTime),
};
const webhook = component('Webhook', closed(members));
const withSecret = component('WebhookWithSecret', closed({ ...members, secret: secretSchema }));

const attemptMembers = {
  at: eg('2027-06-30T12:00:01.000Z', dateTime),
  durationMs: eg(84, integer),
  'status?': eg(200, { ...integer, description: 'HTTP status; absent when there was no answer.' }),
  'failure?': { ...text, description: 'Such as `timeout`; absent after a success.' },
};
const delivery = component(
  'Delivery',
  closed({
    eventId: eg('4711'),
    type: eg('credential.accepted'),
    subject: eg('credentials/c-1'),
    status: eg('Delivered', { enum: deliveryStatuses, description: '`Dead`: every attempt has failed.' }),
    scheduledAt: eg('2027-06-30T12:00:00.900Z', dateTime),
    nextAttemptAt: eg(null, { type: ['string', 'null'], format: 'date-time', description: 'Null unless Pending.' }),
    attempts: eg([{ at: '2027-06-30T12:00:01.000Z', durationMs: 84, status: 204 }], {
      type: 'array',
      description: 'The latest twenty, oldest first.',
      items: closed(attemptMembers),
    }),
  }),
);
const tested = component(
  'WebhookTest',
  closed({ outcome: eg('delivered', { enum: ['delivered', 'failed'] }), ...attemptMembers }),
);

const examples = {
  all: { url: 'https://portal.example/hooks/sealwright' },
  some: {
    url: 'https://portal.example/hooks/sealwright',
    types: ['credential.accepted', 'credential.refused'],
    description: 'Back office',
  },
};
const one = { 200: { description: 'The webhook.', schema: webhook, etag: true } } as const;

export const webhooks = resource(
  {
    path: 'v0/webhooks',
    area: 'webhooks',
    tag: 'Webhooks',
    description:
      'Events sent to your server as they happen, signed as Standard Webhooks describes, at least once, those of one subject in order.',
    parameters: {
      webhookId: { description: 'The id of the webhook, which its creation returns.', schema: text },
    },
    missing: 'webhook-not-found',
  },
  {
    create: {
      id: 'createWebhook',
      route: 'POST',
      summary: 'Create a webhook',
      description: 'It receives the events that are stored afterwards; `replay` sends earlier ones.',
      body: CreateWebhookBody,
      examples,
      idempotent: true,
      answers: { 201: { description: 'The new webhook, with its secret.', schema: withSecret, etag: true } },
      problems: ['webhook-url-not-allowed', 'invalid-webhook-secret', 'conflict'],
    },
    list: listOf('listWebhooks', 'List the webhooks, newest first', webhook, ListQuery),
    get: { id: 'getWebhook', route: 'GET :webhookId', summary: 'Get a webhook', answers: one },
    change: {
      id: 'changeWebhook',
      route: 'PATCH :webhookId',
      summary: 'Change, pause or resume a webhook',
      description: 'Omitted properties do not change. Resuming sends at once what has waited.',
      body: ChangeWebhookBody,
      examples: { paused: { status: 'Paused' }, filtered: { types: ['credential.refused'], subject: null } },
      answers: one,
      problems: ['webhook-url-not-allowed'],
    },
    delete: {
      id: 'deleteWebhook',
      route: 'DELETE :webhookId',
      summary: 'Delete a webhook',
      answers: { 204: 'Deleted; what it was still to be sent is not.' },
    },
    rotateSecret: {
      id: 'rotateWebhookSecret',
      freshness: true,
      route: 'POST :webhookId/rotate_secret',
      summary: 'Replace the secret of a webhook',
      description: 'Until the former secret has expired, each message has a signature by each of the two.',
      body: RotateSecretBody,
      examples: { random: {}, atOnce: { formerExpiresIn: atOnce } },
      idempotent: true,
      answers: { 200: { description: 'The webhook, with its new secret.', schema: withSecret, etag: true } },
      problems: ['invalid-webhook-secret'],
    },
    test: {
      id: 'testWebhook',
      route: 'POST :webhookId/test',
      summary: 'Send a test event now',
      description: 'Once, also while it is paused, with the type `webhook.test`. It is not in the log of deliveries.',
      conditional: false,
      answers: { 200: { description: 'What became of it.', schema: tested } },
      problems: ['unavailable'],
    },
    deliveries: {
      ...listOf('listDeliveries', 'List what a webhook was sent, newest first', delivery, DeliveriesQuery),
      route: 'GET :webhookId/deliveries',
      conditional: false,
    },
    replay: {
      id: 'replayWebhook',
      route: 'POST :webhookId/replay',
      summary: 'Send events again',
      description:
        'All events from a time or an event until now that match its filter, in order, also those that it has received. They have the same ids as before.',
      body: ReplayBody,
      examples: { time: { from: '2027-06-30T12:00:00Z' }, event: { fromEvent: '4711' } },
      conditional: false,
      answers: { 204: 'They are being scheduled.' },
      problems: ['replay-not-possible', 'event-not-found'],
    },
  },
);
