import {
  About,
  Check,
  closed,
  component,
  dateTime,
  IsAddressable,
  isPlainObject,
  IsText,
  ListQuery,
  Optional,
  pageOf,
  problemSchema,
  resource,
  Rules,
  text,
  withExample,
} from '@app/contract';
import { credentialFormats } from '@app/openid4vc';
import { isDateTime } from '@app/time';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, Matches, ValidateIf } from 'class-validator';
import { type CredentialStatus } from './credential';
import type { CredentialInput, NamedConfiguration, RequestedExpiry, UnsignedCredential } from './credential-input';

const statuses: readonly CredentialStatus[] = ['Prepared', 'Issued', 'Accepted', 'Refused', 'Deleted'];
const expiresAt = { anyOf: [dateTime, { const: 'never' }] };
const mostOfBatch = 1000;
const mostCharacters = 256;

const prepared = {
  credentialId: text,
  offerId: text,
  'templateId?': text,
  credentialConfigurationId: text,
  format: { enum: credentialFormats },
  status: { enum: statuses },
  expiresAt,
  createdAt: dateTime,
  'issuedAt?': dateTime,
  'signature?': {
    description:
      'Of a credential that was signed elsewhere: `verified` with the key that its issuer publishes, or `not-checked` ' +
      'because no such key was found in time.',
    enum: ['verified', 'not-checked'],
  },
};
const example = {
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

const credential = component('Credential', closed(prepared), example);
const submitted = [
  closed({ 'id?': text, credentialSubject: { type: 'object' } }),
  { type: 'object' },
  text,
  { type: 'null' },
];
const description = 'What was submitted: an object, or a signed credential. Null after the data was erased.';
const credentialWithContent = component(
  'CredentialWithContent',
  closed({ ...prepared, credential: { description, anyOf: submitted } }),
  { ...example, credential: unsigned },
);

@Rules({
  anyOf: [
    { required: ['templateId'] },
    { required: ['credentialConfigurationId'], properties: { credentialConfigurationId: { minLength: 1 } } },
  ],
  if: { properties: { credential: { type: 'string' } } },
  then: { properties: { isSigned: { const: true } } },
  else: { properties: { isSigned: { const: false } } },
})
export class PrepareCredentialBody {
  @About('The offer that the credential goes into.')
  @IsText(1, mostCharacters)
  @IsAddressable()
  readonly offerId!: string;

  @About('The claims, to be signed here; or a signed credential (JWT or SD-JWT) as it is.', {
    anyOf: [
      { type: 'object', required: ['credentialSubject'] },
      { type: 'string', minLength: 1 },
    ],
    examples: [unsigned, { id: 'urn:uuid:0e6a1c5e-7a0b-4c3a-9b53-3a1f4b1f0c55', credentialSubject: {} }],
  })
  @Check(
    'isCredential',
    'must be a JSON object with credentialSubject, or a signed credential as a string',
    isCredential,
    {
      problem: 'invalid-credential-type',
    },
  )
  readonly credential!: UnsignedCredential | string;

  @Optional('Must agree with the JSON type of `credential`.', { type: 'boolean' })
  @Check('agrees', 'must be true for a credential that is a string, false for one that is an object', agrees, {
    problem: 'invalid-credential-type',
  })
  readonly isSigned?: boolean;

  @About('A published template. Absent, `credentialConfigurationId` names what to issue.', {
    type: 'string',
    minLength: 1,
    maxLength: mostCharacters,
  })
  @ValidateIf((body: PrepareCredentialBody) => body.templateId !== undefined || !body.credentialConfigurationId)
  @Check('isTemplateId', `must be a string of 1 to ${mostCharacters} characters`, (id) => isMissing(id) || isId(id))
  @Check('isGiven', 'must name a template, or be left out beside credentialConfigurationId', (id) => !isMissing(id), {
    problem: 'missing-template-id',
  })
  readonly templateId?: string;

  @Optional('A credential configuration. Given with `templateId`, both must name the same one.')
  @IsText(0, mostCharacters)
  readonly credentialConfigurationId?: string;

  @Optional(
    'RFC 3339 date-time, or `never`; the limit of the template when absent. For a signed credential its own `exp` ' +
      'counts: leave it out, or send the same time.',
    { ...expiresAt, examples: ['2099-01-01T00:00:00Z', 'never'] },
  )
  @Check(
    'isExpiry',
    'must be an RFC 3339 date-time, not later than 9999-12-31T23:59:59Z, or never',
    (value) => value === 'never' || isDateTime(value),
    { problem: 'invalid-expiration-date', isDeferred: true },
  )
  readonly expiresAt?: string;

  @Optional('Your own id for it; a random one when absent.')
  @Matches(/^[A-Za-z0-9._~:-]{1,256}$/, { message: 'must be 1 to 256 characters of A-Z a-z 0-9 . _ ~ : -' })
  @IsAddressable()
  readonly credentialId?: string;
}

function isCredential(value: unknown): boolean {
  return typeof value === 'string' || isPlainObject(value);
}

function agrees(isSigned: unknown, { credential: given }: PrepareCredentialBody): boolean {
  return typeof isSigned === 'boolean' && (!isCredential(given) || isSigned === (typeof given === 'string'));
}

function isMissing(id: unknown): boolean {
  return id === undefined || id === '';
}

function isId(id: unknown): boolean {
  return typeof id === 'string' && id.length <= mostCharacters;
}

/** What a body says in the words of the domain. */
export function credentialInputOf(body: PrepareCredentialBody): CredentialInput {
  const { offerId, credentialId, credential: given } = body;
  return { offerId, credentialId, credential: given, named: namedIn(body), expiresAt: expiryIn(body) };
}

/** An empty `credentialConfigurationId` is as good as none. */
function namedIn({ templateId, credentialConfigurationId = '' }: PrepareCredentialBody): NamedConfiguration {
  if (templateId === undefined) return { configurationId: credentialConfigurationId };
  return { templateId, configurationId: credentialConfigurationId || undefined };
}

function expiryIn({ expiresAt: asked }: PrepareCredentialBody): RequestedExpiry {
  if (asked === undefined || asked === 'never') return asked;
  return isDateTime(asked) ? new Date(asked) : 'not-a-date';
}

export class CredentialBatchBody {
  @About('Each as in `POST /v0/credentials`, and as large at most (256 KiB).', {
    items: { $ref: '#/components/schemas/PrepareCredentialBody' },
  })
  @IsArray({ message: 'must be a list' })
  @ArrayNotEmpty({ message: 'must not be empty' })
  @ArrayMaxSize(mostOfBatch, { message: `must have at most ${mostOfBatch} items` })
  readonly credentials!: readonly unknown[];
}

class CredentialQuery extends ListQuery {
  @Optional('Only those of this offer.')
  @IsText(0, mostCharacters)
  readonly offerId?: string;

  @Optional('Only those of this template.')
  @IsText(0, mostCharacters)
  readonly templateId?: string;

  @Optional('Only those in this state.')
  @IsIn(statuses, { message: `must be one of ${statuses.join(', ')}` })
  readonly status?: CredentialStatus;
}

const shared = {
  tag: 'Credentials',
  description: 'The data of one person for one credential of an offer, and what became of it.',
};

export const credentials = resource(
  {
    ...shared,
    path: 'v0/credentials',
    parameters: {
      credentialId: { description: 'The id of the credential.', schema: text, example: 'membership-4711' },
    },
  },
  {
    prepare: {
      id: 'prepareCredential',
      route: 'POST',
      scope: 'credentials:write',
      summary: 'Submit the data of one person',
      description:
        'The offer is created when it does not exist yet. A string is a credential that was signed elsewhere: its ' +
        'structure is checked, and its signature when the key of its issuer is found within two seconds.',
      body: PrepareCredentialBody,
      examples: {
        ofTemplate: { offerId: 'order-4711', templateId: 'membership', credential: unsigned },
        quickStart: {
          offerId: 'order-4712',
          credentialConfigurationId: 'w3c_vc_credential',
          credential: unsigned,
          expiresAt: 'never',
        },
      },
      idempotent: true,
      answers: {
        201: {
          description: 'The credential, ready for the wallet that accepts the offer.',
          headers: ['Location'],
          schema: credential,
        },
      },
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
      route: 'GET',
      scope: 'credentials:read',
      summary: 'List the credentials, the newest first',
      query: CredentialQuery,
      answers: { 200: { description: 'One page.', schema: pageOf(credential) } },
    },
    get: {
      id: 'getCredential',
      route: 'GET :credentialId',
      scope: 'credentials:read',
      summary: 'See a credential with its claims',
      conditional: true,
      answers: { 200: { description: 'The credential.', schema: credentialWithContent } },
    },
  },
);

const result = component(
  'CredentialBatchResult',
  closed({
    index: { type: 'integer', minimum: 0, description: 'The place of the item in the request.' },
    status: { type: 'integer', description: 'What `POST /v0/credentials` would have answered.' },
    'credential?': credential,
    'problem?': problemSchema,
  }),
);

export const credentialBatches = resource(
  { ...shared, path: 'v0/credentials/batch' },
  {
    prepare: {
      id: 'prepareCredentials',
      route: 'POST',
      scope: 'credentials:write',
      summary: `Submit the data of up to ${mostOfBatch} persons`,
      description:
        'Each item succeeds or fails on its own. A request sent again with the same `Idempotency-Key` gets what ' +
        'succeeded and completes what failed.',
      body: CredentialBatchBody,
      bodyLimit: 'batch',
      examples: {
        two: {
          credentials: ['Erika', 'Max'].map((name) => ({
            offerId: `order-of-${name}`,
            credentialConfigurationId: 'w3c_vc_credential',
            credential: { credentialSubject: { given_name: name } },
          })),
        },
      },
      idempotent: 'in-parts',
      answers: {
        200: {
          description: 'One result for each item, in the order of the request.',
          schema: withExample(closed({ items: { type: 'array', items: result } }), {
            items: [{ index: 0, status: 201, credential: example }],
          }),
        },
      },
    },
  },
);
