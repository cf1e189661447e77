import { closed, component, eg, exampleOf, integer, is, problemSchema, resource } from '@app/http';
import { credentialConfigurationId, credentialWithLinks, shared } from './credentials.contract';

const mostOfBatch = 1000;

function isBatch(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.length <= mostOfBatch;
}

class CredentialBatchBody {
  @is.Required(
    'Each as in `POST /v0/credentials`, and as large at most (256 KiB).',
    is.Check('isBatch', `must be a list of 1 to ${mostOfBatch} items`, isBatch),
    is.Shown({
      type: 'array',
      minItems: 1,
      maxItems: mostOfBatch,
      items: { $ref: '#/components/schemas/PrepareCredentialBody' },
    }),
  )
  readonly credentials!: readonly unknown[];
}

const result = component(
  'CredentialBatchResult',
  closed({
    index: { ...integer, minimum: 0, description: 'The place of the item in the request.' },
    status: { ...integer, description: 'What `POST /v0/credentials` would have answered.' },
    'credential?': credentialWithLinks,
    'problem?': problemSchema,
  }),
);
const results = eg([{ index: 0, status: 201, credential: exampleOf(credentialWithLinks) }], {
  type: 'array',
  items: result,
});

export const credentialBatches = resource(
  { ...shared, path: 'v0/credentials/batch' },
  {
    prepare: {
      id: 'prepareCredentials',
      makesNew: true,
      route: 'POST',
      summary: `Submit the data of up to ${mostOfBatch} persons`,
      description:
        'Each item succeeds or fails on its own, and has the links of its offer for callers with the scope `offers:deliver`. ' +
        'A request sent again with the same `Idempotency-Key` gets what ' +
        'succeeded and completes what failed.',
      body: CredentialBatchBody,
      bodyLimit: 'batch',
      examples: {
        two: {
          credentials: ['Erika', 'Max'].map((name) => ({
            offerId: `order-of-${name}`,
            credentialConfigurationId,
            credential: { credentialSubject: { given_name: name } },
          })),
        },
      },
      idempotent: 'in-parts',
      answers: {
        200: {
          description: 'One result for each item, in the order of the request.',
          schema: closed({ items: results }),
        },
      },
    },
  },
);
