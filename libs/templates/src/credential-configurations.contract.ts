import { issuerIdentifiers } from '@app/config';
import { closed, component, pageOf, resource, text } from '@app/contract';
import { CREDENTIAL_SIGNING_ALGORITHMS, credentialFormats } from '@app/openid4vc';
import { credentialSubjects, dataModels } from './credential-configuration';
import { displaySchema, formatMembers } from './templates.contract';

const configuration = component(
  'CredentialConfiguration',
  closed({
    id: text,
    format: { enum: credentialFormats },
    dataModel: { enum: dataModels },
    signingAlgorithm: { enum: CREDENTIAL_SIGNING_ALGORITHMS },
    origin: { enum: ['provisioned', 'template'] },
    'templateId?': text,
    ...formatMembers,
    'schema?': { type: 'object' },
    'display?': { type: 'array', items: displaySchema },
    expiration: text,
    issuerIdentifier: { enum: issuerIdentifiers },
    subject: { enum: credentialSubjects },
  }),
  {
    id: 'w3c_vc_credential',
    format: 'jwt_vc_json',
    dataModel: 'w3c-vc-1.1',
    signingAlgorithm: 'ES256',
    origin: 'provisioned',
    type: ['VerifiableCredential'],
    expiration: 'never',
    issuerIdentifier: 'did',
    subject: 'holder',
  },
);

const parameters = {
  configurationId: {
    description: 'The id of the configuration; of a template it is the id of the template.',
    schema: text,
    example: 'w3c_vc_credential',
  },
};
const rejected = {
  scope: 'templates:write',
  summary: 'Always rejected: configurations are defined by files or templates',
  answers: {},
  problems: ['no-credential-configuration-found', 'managed-by-template', 'update-provisioned-credential-configuration'],
} as const;

export const credentialConfigurations = resource(
  {
    path: 'v0/credential_configurations',
    tag: 'Credential configurations',
    description: 'Every kind of credential that can be issued now: provisioned by a file, or of a published template.',
    parameters,
  },
  {
    list: {
      id: 'listCredentialConfigurations',
      route: 'GET',
      scope: 'templates:read',
      summary: 'List the credential configurations',
      answers: { 200: { description: 'All of them.', schema: pageOf(configuration) } },
    },
    get: {
      id: 'getCredentialConfiguration',
      route: 'GET :configurationId',
      scope: 'templates:read',
      summary: 'See a credential configuration',
      conditional: true,
      answers: { 200: { description: 'The configuration.', schema: configuration } },
      problems: ['no-credential-configuration-found'],
    },
    replace: { ...rejected, id: 'replaceCredentialConfiguration', route: 'PUT :configurationId' },
    change: { ...rejected, id: 'changeCredentialConfiguration', route: 'PATCH :configurationId' },
    remove: {
      ...rejected,
      id: 'removeCredentialConfiguration',
      route: 'DELETE :configurationId',
      problems: [
        'no-credential-configuration-found',
        'managed-by-template',
        'remove-provisioned-credential-configuration',
      ],
    },
  },
);
