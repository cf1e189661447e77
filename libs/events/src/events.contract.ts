import { is, resource } from '@app/http';
import { hasAtMost, meant } from '@app/primitives/json';
import { anyEvent } from './event-schemas';
import { publicEventTypes, subjectPattern } from './public-event';

const one = `(${publicEventTypes.map((type) => type.replace('.', '\\.')).join('|')})`;
const typeList = new RegExp(`^${one}(,${one})*$`);
const positionPattern = /^(0|[1-9][0-9]{0,17})$/;
const longestSubject = 300;

export function isEventId(value: unknown): value is string {
  return typeof value === 'string' && positionPattern.test(value);
}

function meantAmong(types: unknown): string {
  const unknown = String(types)
    .split(',')
    .find((type) => !publicEventTypes.includes(type));
  return meant(unknown, publicEventTypes);
}

class EventQuery {
  @is.Optional(
    'The `id` of an event: the stream begins behind it; `0` is in front of the first one. Events from now on when absent. ' +
      '`Last-Event-ID` takes precedence, so that the same URL can be used for each connection.',
    is.Check('isEventId', 'must be the id of an event, or 0', isEventId),
    is.Shown({ type: 'string', pattern: positionPattern.source, example: '0' }),
  )
  readonly after?: string;
  @is.Optional(
    `Only events of these types, separated by commas: ${publicEventTypes.map((type) => `\`${type}\``).join(', ')}.`,
    is.Check(
      'isTypes',
      (value) => `must be one or more of ${publicEventTypes.join(', ')}, separated by commas${meantAmong(value)}`,
      (value) => typeof value === 'string' && typeList.test(value),
    ),
    is.Shown({ type: 'string', pattern: typeList.source, example: 'offer.redeemed,credential.issued' }),
  )
  readonly types?: string;
  @is.Optional(
    'Only events with this `subject`.',
    is.Check(
      'isSubject',
      'must be a resource such as offers/order-4711, without /v0/ in front',
      (value) => typeof value === 'string' && hasAtMost(value, longestSubject) && subjectPattern.test(value),
    ),
    is.Shown({
      type: 'string',
      maxLength: longestSubject,
      pattern: subjectPattern.source,
      example: 'offers/order-4711',
    }),
  )
  readonly subject?: string;
}

export const events = resource(
  {
    path: 'v0/events',
    area: 'events',
    tag: 'Events',
    description: 'What happened to offers, credentials, presentations and templates, as it happens.',
  },
  {
    stream: {
      id: 'streamEvents',
      route: 'GET',
      summary: 'Listen to events',
      description:
        'Server-sent events: the `data` of each is a CloudEvent 1.0 in JSON, and its `id` resumes the stream behind it. An ' +
        'event named `heartbeat`, without data, comes when there is nothing else. No event holds personal data, codes or ' +
        'tokens. The stream ends when the caller loses its access and when the service stops.',
      query: EventQuery,
      resumable: true,
      answers: {
        200: { description: 'A stream without an end.', mediaTypes: ['text/event-stream'], events: anyEvent },
      },
      problems: ['event-not-found', 'too-many-event-streams'],
    },
  },
);
