import { closedObject, type ControllerDescription, dateTime, listOf, pageParameters, reference } from '@app/openapi';

const text = { type: 'string' };
const statuses = ['Prepared', 'Issued', 'Accepted', 'Refused', 'Deleted'];
const expiresAt = { anyOf: [dateTime, { const: 'never' }] };

const prepared = {
  credentialId: text,
  offerId: text,
  templateId: text,
  credentialConfigurationId: text,
  format: { enum: ['jwt_vc_json', 'dc+sd-jwt'] },
  status: { enum: statuses },
  expiresAt,
  createdAt: dateTime,
  issuedAt: dateTime,
  signature: {
    description:
      'Of a credential that was signed elsewhere: `verified` with the key that its issuer publishes, or `not-checked` because no such key was found in time.',
    enum: ['verified', 'not-checked'],
  },
};
const optional = ['templateId', 'issuedAt', 'signature'];

/** One person's credential, as portals see it. */
export const credentialExample = {
  credentialId: 'membership-4711',
  offerId: 'order-4711',
  templateId: 'membership',
  credentialConfigurationId: 'membership',
  format: 'dc+sd-jwt',
  status: 'Prepared',
  expiresAt: '2027-11-20T10:00:00.000Z',
  createdAt: '2026-11-20T10:00:00.000Z',
};

const unsigned = { credentialSubject: { given_name: 'Erika', level: 3 } };

export const credentialsDescription: ControllerDescription = {
  tag: 'Credentials',
  description: 'The data of one person for one credential of an offer, and what became of it.',
  parameters: {
    credentialId: { description: 'The id of the credential.', schema: text, example: 'membership-4711' },
  },
  schemas: {
    Credential: closedObject(prepared, optional),
    CredentialWithContent: closedObject(
      {
        ...prepared,
        credential: {
          description: 'What was handed in: an object, or a signed credential. Null after the data was erased.',
          anyOf: [
            closedObject({ id: text, credentialSubject: { type: 'object' } }, ['id']),
            { type: 'object' },
            text,
            { type: 'null' },
          ],
        },
      },
      optional,
    ),
  },
  operations: {
    prepare: {
      id: 'prepareCredential',
      summary: 'Hand in the data of one person',
      description:
        'The offer is created when it does not exist yet. A string is a credential that was signed elsewhere: its structure is checked, and its signature when the key of its issuer is found within two seconds.',
      body: {
        members: {
          offerId: { description: 'The offer that the credential goes into.' },
          templateId: {
            description: 'A published template. Absent, `credentialConfigurationId` names what to issue.',
            minLength: 1,
          },
          credentialConfigurationId: {
            description: 'A credential configuration. Given with `templateId`, both must name the same one.',
          },
          credential: {
            description: 'The claims, to be signed here; or a signed credential (JWT or SD-JWT) as it is.',
            anyOf: [
              { type: 'object', required: ['credentialSubject'] },
              { type: 'string', minLength: 1 },
            ],
            examples: [unsigned, { id: 'urn:uuid:0e6a1c5e-7a0b-4c3a-9b53-3a1f4b1f0c55', credentialSubject: {} }],
          },
          isSigned: { description: 'Must agree with the JSON type of `credential`.', type: 'boolean' },
          expiresAt: {
            description:
              'RFC 3339 date-time, or `never`; the limit of the template when absent. For a signed credential its own `exp` counts: leave it out, or send the same time.',
            ...expiresAt,
            examples: ['2099-01-01T00:00:00Z', 'never'],
          },
          credentialId: { description: 'Your own id for it; a random one when absent.' },
        },
        rules: {
          required: ['credential'],
          anyOf: [
            { required: ['templateId'] },
            { required: ['credentialConfigurationId'], properties: { credentialConfigurationId: { minLength: 1 } } },
          ],
          if: { properties: { credential: { type: 'string' } } },
          then: { properties: { isSigned: { const: true } } },
          else: { properties: { isSigned: { const: false } } },
        },
        examples: {
          ofTemplate: { offerId: 'order-4711', templateId: 'membership', credential: unsigned },
          quickStart: {
            offerId: 'order-4712',
            credentialConfigurationId: 'w3c_vc_credential',
            credential: unsigned,
            expiresAt: 'never',
          },
        },
      },
      answers: [
        {
          status: 201,
          description: 'The credential, ready for the wallet that takes up the offer.',
          headers: ['Location'],
          schema: reference('Credential'),
          example: credentialExample,
        },
      ],
      problems: [
        'invalid-credential-type',
        'missing-template-id',
        'template-not-found',
        'template-not-published',
        'no-credential-configuration-found',
        'unsupported-credential-format',
        'claims-not-checked',
        'unsupported-credential-configuration-format',
        'invalid-identifier',
        'invalid-credential-payload',
        'credential-schema-validation-failed',
        'invalid-template-schema',
        'invalid-expiration-date',
        'expiration-exceeds-template-limit',
        'invalid-signed-credential-format',
        'signed-credential-format-mismatch',
      ],
    },
    list: {
      id: 'listCredentials',
      summary: 'List the credentials, the newest first',
      query: {
        ...pageParameters,
        offerId: { description: 'Only those of this offer.', schema: { type: 'string', maxLength: 256 } },
        templateId: { description: 'Only those of this template.', schema: { type: 'string', maxLength: 256 } },
        status: { description: 'Only those in this state.', schema: { enum: statuses } },
      },
      answers: [
        {
          status: 200,
          description: 'One page.',
          schema: listOf(reference('Credential')),
          example: { items: [credentialExample], nextCursor: null },
        },
      ],
    },
    get: {
      id: 'getCredential',
      summary: 'See a credential with its claims',
      answers: [
        {
          status: 200,
          description: 'The credential.',
          schema: reference('CredentialWithContent'),
          example: { ...credentialExample, credential: unsigned },
        },
      ],
      problems: ['not-found'],
    },
  },
};
