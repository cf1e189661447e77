import { closedObject, type ControllerDescription, reference } from '@app/openapi';
import { credentialExample } from './credentials.openapi';

const result = closedObject(
  {
    index: { type: 'integer', minimum: 0, description: 'The place of the item in the request.' },
    status: { type: 'integer', description: 'What `POST /v0/credentials` would have answered.' },
    credential: reference('Credential'),
    problem: reference('Problem'),
  },
  ['credential', 'problem'],
);

export const credentialBatchDescription: ControllerDescription = {
  tag: 'Credentials',
  description: 'The data of one person for one credential of an offer, and what became of it.',
  parameters: {},
  schemas: { CredentialBatchResult: result },
  operations: {
    prepare: {
      id: 'prepareCredentials',
      summary: 'Hand in the data of up to 1000 persons',
      description:
        'Each item succeeds or fails on its own. A request sent again with the same `Idempotency-Key` gets what succeeded and completes what failed.',
      body: {
        members: {
          credentials: {
            description: 'Each as in `POST /v0/credentials`, and as large at most (256 KiB).',
            items: reference('PrepareCredentialBody'),
          },
        },
        examples: {
          two: {
            credentials: ['Erika', 'Max'].map((name) => ({
              offerId: `order-of-${name}`,
              credentialConfigurationId: 'w3c_vc_credential',
              credential: { credentialSubject: { given_name: name } },
            })),
          },
        },
      },
      answers: [
        {
          status: 200,
          description: 'One result for each item, in the order of the request.',
          schema: closedObject({ items: { type: 'array', items: reference('CredentialBatchResult') } }),
          example: { items: [{ index: 0, status: 201, credential: credentialExample }] },
        },
      ],
    },
  },
};
