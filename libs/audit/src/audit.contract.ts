import {
  Check,
  closed,
  component,
  dateTime,
  IsText,
  ListQuery,
  Optional,
  pageOf,
  resource,
  type Schema,
} from '@app/contract';
import { isDateTime } from '@app/time';

const short: Schema = { type: 'string', maxLength: 512 };
const shortOrNull: Schema = { type: ['string', 'null'], maxLength: 512 };

const entry = component(
  'AuditEntry',
  closed({
    at: { ...dateTime, description: "By the database's clock." },
    principal: { ...short, description: 'The caller; `unknown` without a key, `cli:<user>` for the command line.' },
    client: {
      ...shortOrNull,
      description: 'The client of the principal; null without a key and for the command line.',
    },
    action: { ...short, description: 'As each operation names its own; `keys.rotate` is `sealwright keys rotate`.' },
    object: { ...shortOrNull, description: 'The id of the resource; null when there is none.' },
    outcome: {
      ...short,
      description: '`ok`, `replayed` or an error; of commands `started`, then `ok`, `refused`, `failed`.',
    },
    requestId: { ...shortOrNull, description: 'The `X-Request-Id` of the request; null for commands.' },
    count: { type: 'integer', minimum: 1, description: 'How many refusals the row stands for.' },
  }),
  {
    at: '2027-06-30T12:00:00.000Z',
    principal: 'key:0aB3dE7x',
    client: 'town-hall',
    action: 'offers.withdraw',
    object: 'offer-4711',
    outcome: 'ok',
    requestId: '9f2c41d6-7f0c-4f6e-9a53-0b9f3f1d2a44',
    count: 1,
  },
);

function IsMoment(): PropertyDecorator {
  return Check('isMoment', 'must be a date-time such as 2027-06-30T12:00:00Z', (value) => isDateTime(value));
}

export class AuditQuery extends ListQuery {
  @Optional('Only what this principal did.', { example: 'key:0aB3dE7x' })
  @IsText(0, 512)
  readonly principal?: string;

  @Optional('Only what principals of this client did.', { example: 'town-hall' })
  @IsText(0, 512)
  readonly client?: string;

  @Optional('Only this action.', { example: 'offers.withdraw' })
  @IsText(0, 512)
  readonly action?: string;

  @Optional('Only what was about the resource with this id.', { example: 'offer-4711' })
  @IsText(0, 512)
  readonly object?: string;

  @Optional('Only what ended like this.', { example: 'forbidden' })
  @IsText(0, 512)
  readonly outcome?: string;

  @Optional('Not before this moment.', { ...dateTime, example: '2027-06-30T00:00:00Z' })
  @IsMoment()
  readonly from?: string;

  @Optional('Before this moment.', { ...dateTime, example: '2027-07-01T00:00:00Z' })
  @IsMoment()
  readonly to?: string;
}

export const audit = resource(
  { path: 'v0/audit', tag: 'Audit', description: 'Who changed what, who read personal data, and who was refused.' },
  {
    list: {
      id: 'listAudit',
      route: 'GET',
      scope: 'audit:read',
      summary: 'List what was done, the newest first',
      description: 'Filters match exactly, and all of them have to. No personal data and no code is in it.',
      query: AuditQuery,
      answers: { 200: { description: 'One page.', schema: pageOf(entry) } },
    },
  },
);
