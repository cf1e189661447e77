import { closed, component, dateTime, eg, is, listOf, ListQuery, resource, type Schema } from '@app/http';

const short: Schema = { type: 'string', maxLength: 512 };
const shortOrNull: Schema = { type: ['string', 'null'], maxLength: 512 };
const says = (description: string, example: unknown, schema = short) => eg(example, { ...schema, description });

const entry = component(
  'AuditEntry',
  closed({
    at: says("According to the database's clock.", '2027-06-30T12:00:00.000Z', dateTime),
    principal: says('The caller; `unknown` without a key, `cli:<user>` for the command line.', 'key:0aB3dE7x'),
    client: says('The client of the principal; null without a key and for the command line.', 'town-hall', shortOrNull),
    action: says('Each operation documents its own; `keys.rotate` is `sealwright keys rotate`.', 'offers.withdraw'),
    object: says('The id of the resource; null when there is none.', 'offer-4711', shortOrNull),
    outcome: says('`ok`, `replayed` or an error; of commands `started`, then `ok`, `refused` or `failed`.', 'ok'),
    requestId: says('The `X-Request-Id` of the request; null for commands.', '9f2c41d6', shortOrNull),
    count: says('How many refusals the row stands for.', 1, { type: 'integer', minimum: 1 }),
  }),
);

const filter = (description: string, example: string) =>
  is.Optional(description, is.Text(0, 512), is.Shown({ example }));

export class AuditQuery extends ListQuery {
  @filter('Only actions of this principal.', 'key:0aB3dE7x')
  readonly principal?: string;
  @filter('Only actions of principals of this client.', 'town-hall')
  readonly client?: string;
  @filter('Only this action.', 'offers.withdraw')
  readonly action?: string;
  @filter('Only actions on the resource with this id.', 'offer-4711')
  readonly object?: string;
  @filter('Only actions with this outcome.', 'forbidden')
  readonly outcome?: string;
  @is.Optional('At or after this time.', is.Moment('2027-06-30T00:00:00Z'))
  readonly from?: string;
  @is.Optional('Before this time.', is.Moment('2027-07-01T00:00:00Z'))
  readonly to?: string;
}

const description = 'Filters are exact, and all of them must match. The audit holds no personal data and no codes.';

export const audit = resource(
  {
    path: 'v0/audit',
    area: 'audit',
    tag: 'Audit',
    description: 'Who changed what, who read personal data, and who was refused.',
  },
  { list: listOf('listAudit', 'List the audit, newest first', entry, AuditQuery, description) },
);
