import { issuerIdentifiers } from '@app/config';
import { closedObject, type ControllerDescription, listOf, pageParameters, reference } from '@app/openapi';
import { credentialSubjects, dataModels } from './credential-configuration';
import { templateStatuses } from './template';

const text = { type: 'string' };

/** How wallets show a credential. */
export const displaySchema = closedObject(
  {
    name: text,
    locale: text,
    description: text,
    logo: closedObject({ uri: text, alt_text: text }, ['alt_text']),
    background_color: text,
    text_color: text,
  },
  ['locale', 'description', 'logo', 'background_color', 'text_color'],
);

const members = {
  templateId: { description: 'Your own id for it, also of its credential configuration; a random one when absent.' },
  title: { description: 'For the people who work with templates.' },
  description: { description: 'For the people who work with templates.' },
  tags: { description: 'For the people who work with templates.' },
  format: {
    description: 'What is issued: a W3C credential as JWT, or an SD-JWT VC.',
    enum: ['jwt_vc_json', 'dc+sd-jwt'],
  },
  dataModel: { description: 'What the claims are shaped after; the usual one of the format when absent.' },
  type: { description: 'Types of a W3C credential; `VerifiableCredential` is added when it is missing.' },
  vct: {
    description: 'The type of an SD-JWT VC; an address hosted here when absent.',
    examples: ['https://credentials.example/membership'],
  },
  schema: {
    type: 'object',
    description: 'JSON Schema (2020-12, 2019-09 or draft-07) of the claims, which are an object; no remote references.',
    examples: [
      { type: 'object', properties: { given_name: { type: 'string' } }, required: ['given_name'] },
      { type: 'object', properties: { level: { const: 3 } } },
    ],
  },
  expiration: {
    description: '`never`, an ISO 8601 duration from preparation on, or an RFC 3339 date-time; P90D when absent.',
    examples: ['never', 'P90D', 'PT12H', '2099-12-31T23:59:59Z'],
  },
  signingAlgorithm: { description: 'ES256 when absent.' },
  issuerIdentifier: {
    description:
      'Under what kind of name it is issued, the `iss` of its credentials: the DID of this service, or its https URL. When absent: the DID, for SD-JWT VCs what `SERVICE__ISSUER__SD_JWT_IDENTIFIER` says.',
  },
  subject: {
    description:
      'Of whom or what it speaks; `holder` when absent: a DID in `credentialSubject.id` must be the one that the wallet proves. The `id` of a `thing` is its own, whoever holds the credential.',
  },
  selectivelyDisclosable: {
    description:
      'JSON Pointers of the claims that a holder may withhold; every top-level claim when absent. SD-JWT VC only.',
    examples: [['/given_name'], []],
  },
  display: {
    description: 'How wallets show the credential, one entry for each language.',
    examples: [
      [
        { name: 'Membership', locale: 'en', background_color: '#12107c', text_color: '#ffffff' },
        { name: 'Mitgliedschaft', locale: 'de', logo: { uri: 'https://issuer.example/logo.png', alt_text: 'Logo' } },
      ],
    ],
  },
  status: { description: 'Draft when absent.' },
};

const { templateId: _id, format: _format, dataModel: _model, status: _status, ...changeable } = members;

const jwtOnly = {
  properties: { vct: false, selectivelyDisclosable: false, dataModel: { enum: ['w3c-vc-1.1', 'open-badges-3.0'] } },
};
const sdJwtOnly = { properties: { type: false, dataModel: { const: 'sd-jwt-vc' } } };

const membership = {
  title: 'Membership',
  format: 'dc+sd-jwt',
  vct: 'https://credentials.example/membership',
  schema: { type: 'object', properties: { given_name: { type: 'string' }, level: { type: 'integer' } } },
  expiration: 'P1Y',
};

const example = {
  templateId: 'membership',
  status: 'Draft',
  version: 1,
  ...membership,
  tags: [],
  dataModel: 'sd-jwt-vc',
  signingAlgorithm: 'ES256',
};

const answer = { schema: reference('Template'), example, headers: ['ETag'] } as const;

function move(id: string, summary: string) {
  return {
    id,
    summary,
    conditional: true,
    answers: [{ status: 200, description: 'The template.', ...answer }],
    problems: ['template-not-found', 'invalid-template-transition', 'conflict'],
  } as const;
}

export const templatesDescription: ControllerDescription = {
  tag: 'Templates',
  description: 'What a kind of credential says and how wallets show it. A published template can be issued.',
  parameters: {
    templateId: { description: 'The id of the template.', schema: text, example: 'membership' },
  },
  schemas: {
    Template: closedObject(
      {
        templateId: text,
        status: { enum: templateStatuses },
        version: { type: 'integer', description: 'Counts the changes of what was published.' },
        title: text,
        description: text,
        tags: { type: 'array', items: text },
        format: { enum: ['jwt_vc_json', 'dc+sd-jwt'] },
        dataModel: { enum: dataModels },
        type: { type: 'array', items: text },
        vct: text,
        schema: { type: 'object' },
        expiration: text,
        signingAlgorithm: { enum: ['ES256', 'EdDSA'] },
        issuerIdentifier: { enum: issuerIdentifiers },
        subject: { enum: credentialSubjects },
        selectivelyDisclosable: { type: 'array', items: text },
        display: { type: 'array', items: displaySchema },
      },
      ['description', 'type', 'vct', 'issuerIdentifier', 'subject', 'selectivelyDisclosable', 'display'],
    ),
  },
  operations: {
    create: {
      id: 'createTemplate',
      summary: 'Create a template',
      body: {
        members,
        rules: {
          required: ['schema'],
          if: { required: ['format'], properties: { format: { const: 'jwt_vc_json' } } },
          then: jwtOnly,
          else: sdJwtOnly,
        },
        examples: {
          sdJwtVc: { templateId: 'membership', ...membership },
          w3c: { title: 'Diploma', format: 'jwt_vc_json', type: ['DiplomaCredential'], schema: { type: 'object' } },
        },
      },
      answers: [{ status: 201, description: 'The new template.', ...answer, headers: ['Location', 'ETag'] }],
      problems: ['unsupported-credential-format-identifier', 'invalid-template-schema'],
    },
    list: {
      id: 'listTemplates',
      summary: 'List the templates, the newest first',
      query: {
        ...pageParameters,
        status: { description: 'Only those in this state.', schema: { enum: templateStatuses } },
      },
      answers: [
        {
          status: 200,
          description: 'One page.',
          schema: listOf(reference('Template')),
          example: { items: [example], nextCursor: null },
        },
      ],
    },
    get: {
      id: 'getTemplate',
      summary: 'See a template',
      answers: [{ status: 200, description: 'The template.', ...answer }],
      problems: ['template-not-found'],
    },
    change: {
      id: 'changeTemplate',
      summary: 'Change a template',
      description: 'Omitted members stay as they are; null clears a member that has a usual value.',
      conditional: true,
      body: { members: changeable, examples: { title: { title: 'Gold membership', description: null } } },
      answers: [{ status: 200, description: 'The template.', ...answer }],
      problems: [
        'template-not-found',
        'invalid-template-transition',
        'invalid-template-schema',
        'unsupported-credential-configuration-format',
        'conflict',
      ],
    },
    publish: move('publishTemplate', 'Publish a Draft, or an Archived template again'),
    archive: move('archiveTemplate', 'Archive a template: nothing of it is issued any more'),
    duplicate: {
      id: 'duplicateTemplate',
      summary: 'Copy a template into a new Draft',
      body: {
        optional: true,
        members: {
          templateId: { description: 'The id of the copy; a random one when absent.' },
          title: { description: 'The title of the copy.' },
        },
        examples: { named: { templateId: 'membership-2027' } },
      },
      answers: [{ status: 201, description: 'The copy.', ...answer, headers: ['Location', 'ETag'] }],
      problems: ['template-not-found', 'unsupported-credential-configuration-format'],
    },
    delete: {
      id: 'deleteTemplate',
      summary: 'Delete a Draft or an Archived template for good',
      conditional: true,
      answers: [{ status: 204, description: 'It is gone; its id is not given again.' }],
      problems: ['template-not-found', 'invalid-template-transition', 'conflict'],
    },
  },
};
