/** What the portal issues. */
export const libraryCard = {
  templateId: 'library-card',
  title: 'Library card',
  format: 'dc+sd-jwt',
  schema: {
    type: 'object',
    properties: { given_name: { type: 'string' }, card_number: { type: 'integer' } },
    required: ['given_name', 'card_number'],
    additionalProperties: false,
  },
  expiration: 'P1Y',
  revocable: true,
  status: 'Published',
} as const;
