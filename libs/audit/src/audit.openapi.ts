import {
  closedObject,
  type ControllerDescription,
  dateTime,
  listOf,
  pageParameters,
  reference,
  type Schema,
} from '@app/openapi';

const text: Schema = { type: 'string', maxLength: 512 };
const optional: Schema = { type: ['string', 'null'], maxLength: 512 };

const example = {
  at: '2027-06-30T12:00:00.000Z',
  principal: 'key:0aB3dE7x',
  client: 'town-hall',
  action: 'offers.withdraw',
  object: 'offer-4711',
  outcome: 'ok',
  requestId: '9f2c41d6-7f0c-4f6e-9a53-0b9f3f1d2a44',
  count: 1,
};

export const auditDescription: ControllerDescription = {
  tag: 'Audit',
  description: 'Who changed what, who read personal data, and who was refused.',
  parameters: {},
  schemas: {
    AuditEntry: closedObject({
      at: { ...dateTime, description: "By the database's clock." },
      principal: {
        ...text,
        description:
          'Who asked; `unknown` for callers without a key, `cli:` and the name of the user for the command line.',
      },
      client: {
        ...optional,
        description:
          'The client that the principal belongs to; null for callers without a key and for the command line.',
      },
      action: {
        ...text,
        description:
          'What was asked for; each operation of this document names its own, `keys.rotate` is `sealwright keys rotate`.',
      },
      object: { ...optional, description: 'The id of what it was about; null when it was about nothing of its own.' },
      outcome: {
        ...text,
        description:
          '`ok`, `replayed`, or the slug of the error; of commands `started`, then `ok`, `refused` or `failed`.',
      },
      requestId: { ...optional, description: 'The `X-Request-Id` of the request; null for commands.' },
      count: { type: 'integer', minimum: 1, description: 'How many refusals the row stands for.' },
    }),
  },
  operations: {
    list: {
      id: 'listAudit',
      summary: 'List what was done, the newest first',
      description: 'Filters match exactly, and all of them have to. Nothing of a person and no code is in it.',
      query: {
        ...pageParameters,
        principal: { description: 'Only what this principal did.', schema: text, example: 'key:0aB3dE7x' },
        client: { description: 'Only what principals of this client did.', schema: text, example: 'town-hall' },
        action: { description: 'Only this action.', schema: text, example: 'offers.withdraw' },
        object: { description: 'Only what was about the thing with this id.', schema: text, example: 'offer-4711' },
        outcome: { description: 'Only what ended like this.', schema: text, example: 'forbidden' },
        from: { description: 'Not before this moment.', schema: dateTime, example: '2027-06-30T00:00:00Z' },
        to: { description: 'Before this moment.', schema: dateTime, example: '2027-07-01T00:00:00Z' },
      },
      answers: [
        {
          status: 200,
          description: 'One page.',
          schema: listOf(reference('AuditEntry')),
          example: { items: [example], nextCursor: null },
        },
      ],
    },
  },
};
