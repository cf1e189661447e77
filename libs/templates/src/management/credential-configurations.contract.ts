import { issuerIdentifiers } from '@app/config';
import { anyObject, closed, component, eg, listOf, resource, text, texts } from '@app/http';
import { CREDENTIAL_SIGNING_ALGORITHMS, credentialFormats } from '@app/openid4vc';
import { credentialSubjects, dataModels } from '../configuration/credential-configuration';
import { displaySchema } from '../configuration/display.contract';
import { dataMembers } from './data-terms.contract';
import { formatMembers } from './templates.contract';

const configuration = component(
  'CredentialConfiguration',
  closed({
    id: eg('w3c_vc_credential'),
    scope: eg('w3c_vc_credential'),
    format: eg('jwt_vc_json', { enum: credentialFormats }),
    dataModel: eg('w3c-vc-1.1', { enum: dataModels }),
    signingAlgorithm: eg('ES256', { enum: CREDENTIAL_SIGNING_ALGORITHMS }),
    origin: eg('provisioned', { enum: ['provisioned', 'template'] }),
    'templateId?': text,
    ...formatMembers,
    'type?': eg(['VerifiableCredential'], texts),
    'schema?': anyObject,
    'display?': { type: 'array', items: displaySchema },
    expiration: eg('never'),
    retention: eg('keep'),
    issuerIdentifier: eg('did', { enum: issuerIdentifiers }),
    subject: eg('holder', { enum: credentialSubjects }),
    revocable: eg(false, { type: 'boolean' }),
    'registered?': eg(true, {
      type: 'boolean',
      description:
        'Whether the registration certificate of the issuer lists the type: wallets warn of others, or refuse them. Absent without one.',
    }),
    ...dataMembers,
  }),
);

const rejected = { summary: 'Always rejected: configurations are defined by files or templates', answers: {} };
const change = {
  ...rejected,
  problems: ['managed-by-template', 'update-provisioned-credential-configuration'],
} as const;

export const credentialConfigurations = resource(
  {
    path: 'v0/credential_configurations',
    area: 'templates',
    tag: 'Credential configurations',
    description: 'Every kind of credential that can be issued now: provisioned by a file, or of a published template.',
    parameters: {
      configurationId: {
        description: 'The id of the configuration; of a template it is the id of the template.',
        schema: text,
        example: 'w3c_vc_credential',
      },
    },
    missing: 'no-credential-configuration-found',
  },
  {
    list: listOf('listCredentialConfigurations', 'List the credential configurations', configuration),
    get: {
      id: 'getCredentialConfiguration',
      route: 'GET :configurationId',
      summary: 'Get a credential configuration',
      answers: { 200: { description: 'The configuration.', schema: configuration } },
    },
    replace: { ...change, id: 'replaceCredentialConfiguration', route: 'PUT :configurationId' },
    change: { ...change, id: 'changeCredentialConfiguration', route: 'PATCH :configurationId' },
    remove: {
      ...rejected,
      id: 'removeCredentialConfiguration',
      route: 'DELETE :configurationId',
      problems: ['managed-by-template', 'remove-provisioned-credential-configuration'],
    },
  },
);
