import { issuerIdentifiers } from '@app/config';
import { closedObject, type ControllerDescription, listOf, reference } from '@app/openapi';
import { credentialSubjects, dataModels } from './credential-configuration';
import { displaySchema } from './templates.openapi';

const text = { type: 'string' };

const example = {
  id: 'w3c_vc_credential',
  format: 'jwt_vc_json',
  dataModel: 'w3c-vc-1.1',
  signingAlgorithm: 'ES256',
  origin: 'provisioned',
  type: ['VerifiableCredential'],
  expiration: 'never',
  issuerIdentifier: 'did',
  subject: 'holder',
};

const refusals = ['no-credential-configuration-found', 'managed-by-template'] as const;

export const credentialConfigurationsDescription: ControllerDescription = {
  tag: 'Credential configurations',
  description: 'Every kind of credential that can be issued now: provisioned by a file, or of a published template.',
  parameters: {
    configurationId: {
      description: 'The id of the configuration; of a template it is the id of the template.',
      schema: text,
      example: 'w3c_vc_credential',
    },
  },
  schemas: {
    CredentialConfiguration: closedObject(
      {
        id: text,
        format: { enum: ['jwt_vc_json', 'dc+sd-jwt'] },
        dataModel: { enum: dataModels },
        signingAlgorithm: { enum: ['ES256', 'EdDSA'] },
        origin: { enum: ['provisioned', 'template'] },
        templateId: text,
        type: { type: 'array', items: text },
        vct: text,
        schema: { type: 'object' },
        selectivelyDisclosable: { type: 'array', items: text },
        display: { type: 'array', items: displaySchema },
        expiration: text,
        issuerIdentifier: { enum: issuerIdentifiers },
        subject: { enum: credentialSubjects },
      },
      ['templateId', 'type', 'vct', 'schema', 'selectivelyDisclosable', 'display'],
    ),
  },
  operations: {
    list: {
      id: 'listCredentialConfigurations',
      summary: 'List the credential configurations',
      answers: [
        {
          status: 200,
          description: 'All of them.',
          schema: listOf(reference('CredentialConfiguration')),
          example: { items: [example], nextCursor: null },
        },
      ],
    },
    get: {
      id: 'getCredentialConfiguration',
      summary: 'See a credential configuration',
      answers: [
        { status: 200, description: 'The configuration.', schema: reference('CredentialConfiguration'), example },
      ],
      problems: ['no-credential-configuration-found'],
    },
    replace: {
      id: 'replaceCredentialConfiguration',
      summary: 'Is always refused: files and templates say what a configuration is',
      answers: [],
      problems: [...refusals, 'update-provisioned-credential-configuration'],
    },
    change: {
      id: 'changeCredentialConfiguration',
      summary: 'Is always refused: files and templates say what a configuration is',
      answers: [],
      problems: [...refusals, 'update-provisioned-credential-configuration'],
    },
    remove: {
      id: 'removeCredentialConfiguration',
      summary: 'Is always refused: files and templates say what a configuration is',
      answers: [],
      problems: [...refusals, 'remove-provisioned-credential-configuration'],
    },
  },
};
