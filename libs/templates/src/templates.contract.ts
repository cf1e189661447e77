import { type IssuerIdentifier, issuerIdentifiers } from '@app/config';
import {
  About,
  Check,
  Clearable,
  closed,
  component,
  Fixed,
  Holds,
  IsAddressable,
  IsNested,
  IsOmissible,
  isPlainObject,
  IsText,
  IsTexts,
  ListQuery,
  Optional,
  pageOf,
  resource,
  Rules,
  text,
  texts,
} from '@app/contract';
import {
  CREDENTIAL_SIGNING_ALGORITHMS,
  type CredentialFormatId,
  credentialFormats,
  type CredentialSigningAlgorithm,
  isCredentialFormat,
} from '@app/openid4vc';
import { applyDecorators } from '@nestjs/common';
import { ArrayUnique, IsIn, IsString, Matches } from 'class-validator';
import { type CredentialSubject, credentialSubjects, type DataModel, dataModels } from './credential-configuration';
import { isExpiration } from './expiration';
import { rulesByFormat } from './format-rules';
import { type JsonSchema } from './json-schema';
import { type TemplateStatus, templateStatuses } from './template';
import { faultsOfContent } from './template-content';

const oneOf = (values: readonly string[]) => ({ message: `must be one of ${values.join(', ')}` });

const displays = [
  { name: 'Membership', locale: 'en', background_color: '#12107c', text_color: '#ffffff' },
  { name: 'Mitgliedschaft', locale: 'de', logo: { uri: 'https://issuer.example/logo.png', alt_text: 'Logo' } },
];

class LogoBody {
  @Matches(/^(https?:\/\/|data:image\/)[\x21-\x7e]{1,2040}$/, { message: 'must be an http(s) or data:image address' })
  readonly uri!: string;

  @IsOmissible()
  @IsText(1, 256)
  readonly alt_text?: string;
}

/** How wallets show the credential; the members of OpenID4VCI 1.0 §12.2.4 `display`. */
export class DisplayBody {
  @IsText(1, 256)
  readonly name!: string;

  @IsOmissible()
  @Matches(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,5}$/, { message: 'must be a language tag such as en or de-CH' })
  readonly locale?: string;

  @IsOmissible()
  @IsText(1, 1024)
  readonly description?: string;

  @IsOmissible()
  @IsNested(() => LogoBody)
  readonly logo?: LogoBody;

  @IsOmissible()
  @Matches(/^#[0-9a-fA-F]{6}$/, { message: 'must be a colour such as #12107c' })
  readonly background_color?: string;

  @IsOmissible()
  @Matches(/^#[0-9a-fA-F]{6}$/, { message: 'must be a colour such as #ffffff' })
  readonly text_color?: string;
}

/** What a template may say, and a change may change. Null, where it is allowed, stands for the usual. */
class ContentBody {
  @Optional('For the people who work with templates.')
  @IsText(0, 4096)
  readonly description?: string | null;

  @Optional('For the people who work with templates.')
  @IsTexts({ most: 50, length: [1, 64] })
  readonly tags?: readonly string[] | null;

  @Optional('Types of a W3C credential; `VerifiableCredential` is added when it is missing.')
  @IsTexts({ least: 1, most: 20, length: [1, 256] })
  @ArrayUnique({ message: 'must not repeat a type' })
  readonly type?: readonly string[] | null;

  @Optional('The type of an SD-JWT VC; an address hosted here when absent.', {
    examples: ['https://credentials.example/membership'],
  })
  @Matches(/^[^\s\p{C}]{1,2048}$/u, { message: 'must be 1 to 2048 characters without white space' })
  readonly vct?: string | null;

  @Optional('`never`, an ISO 8601 duration from preparation on, or an RFC 3339 date-time; P90D when absent.', {
    ...text,
    examples: ['never', 'P90D', 'PT12H', '2099-12-31T23:59:59Z'],
  })
  @Check('isExpiration', 'must be never, an ISO 8601 duration or an RFC 3339 date-time', isExpiration)
  readonly expiration?: string;

  @Optional('ES256 when absent.')
  @IsIn(CREDENTIAL_SIGNING_ALGORITHMS, oneOf(CREDENTIAL_SIGNING_ALGORITHMS))
  readonly signingAlgorithm?: CredentialSigningAlgorithm;

  @Optional(
    'Under what kind of name it is issued, the `iss` of its credentials: the DID of this service, or its https URL. ' +
      'When absent: the DID, for SD-JWT VCs what `SERVICE__ISSUER__SD_JWT_IDENTIFIER` says.',
  )
  @IsIn(issuerIdentifiers, oneOf(issuerIdentifiers))
  readonly issuerIdentifier?: IssuerIdentifier | null;

  @Optional(
    'Of whom or what it speaks; `holder` when absent: a DID in `credentialSubject.id` must be the one that the wallet ' +
      'proves. The `id` of a `thing` is its own, whoever holds the credential.',
  )
  @IsIn(credentialSubjects, oneOf(credentialSubjects))
  readonly subject?: CredentialSubject | null;

  @Optional(
    'JSON Pointers of the claims that a holder may withhold; every top-level claim when absent. SD-JWT VC only.',
    {
      examples: [['/given_name'], []],
    },
  )
  @IsTexts({ most: 500 })
  readonly selectivelyDisclosable?: readonly string[] | null;

  @Optional('How wallets show the credential, one entry for each language.', { examples: [displays] })
  @IsNested(() => DisplayBody, { most: 20 })
  readonly display?: readonly DisplayBody[] | null;
}

function IsTemplateId(): PropertyDecorator {
  return Matches(/^[A-Za-z0-9._~-]{1,128}$/, { message: 'must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -' });
}

function IsSchema(): PropertyDecorator {
  const examples = [
    { type: 'object', properties: { given_name: { type: 'string' } }, required: ['given_name'] },
    { type: 'object', properties: { level: { const: 3 } } },
  ];
  return applyDecorators(
    About('JSON Schema (2020-12, 2019-09 or draft-07) of the claims, which are an object; no remote references.', {
      type: 'object',
      examples,
    }),
    Check('isSchema', 'must be a JSON object, such as { "type": "object", "properties": { } }', isPlainObject, {
      problem: 'invalid-template-schema',
    }),
  );
}

@Holds(faultsOfContent)
@Rules(rulesByFormat())
export class CreateTemplateBody extends ContentBody {
  @Optional('Your own id for it, also of its credential configuration; a random one when absent.')
  @IsTemplateId()
  @IsAddressable()
  readonly templateId?: string;

  @About('For the people who work with templates.')
  @IsText(1, 256)
  readonly title!: string;

  @About('What is issued: a W3C credential as JWT, or an SD-JWT VC.', { enum: credentialFormats })
  @IsString({ message: 'must be a string' })
  @Check(
    'isFormat',
    `must be ${credentialFormats.join(' or ')}`,
    (value) => typeof value !== 'string' || isCredentialFormat(value),
    {
      problem: 'unsupported-credential-format-identifier',
    },
  )
  readonly format!: CredentialFormatId;

  @Optional('What the claims are shaped after; the usual one of the format when absent.')
  @IsIn(dataModels, oneOf(dataModels))
  readonly dataModel?: DataModel;

  @IsSchema()
  readonly schema!: JsonSchema;

  @Optional('Draft when absent.')
  @IsIn(['Draft', 'Published'], oneOf(['Draft', 'Published']))
  readonly status?: 'Draft' | 'Published';
}

@Clearable('description', 'tags', 'type', 'vct', 'issuerIdentifier', 'subject', 'selectivelyDisclosable', 'display')
@Fixed({
  templateId: 'create another template',
  format: 'create another template',
  dataModel: 'create another template',
  status: 'publish, archive or delete the template',
})
export class ChangeTemplateBody extends ContentBody {
  @Optional('For the people who work with templates.')
  @IsText(1, 256)
  readonly title?: string;

  @IsOmissible()
  @IsSchema()
  readonly schema?: JsonSchema;
}

export class DuplicateTemplateBody {
  @Optional('The id of the copy; a random one when absent.')
  @IsTemplateId()
  @IsAddressable()
  readonly templateId?: string;

  @Optional('The title of the copy.')
  @IsText(1, 256)
  readonly title?: string;
}

class TemplateQuery extends ListQuery {
  @Optional('Only those in this state.')
  @IsIn(templateStatuses, oneOf(templateStatuses))
  readonly status?: TemplateStatus;
}

/** The members that belong to single formats, in a template and in a configuration. */
export const formatMembers = { 'type?': texts, 'vct?': text, 'selectivelyDisclosable?': texts } as const;

/** How wallets show a credential. */
export const displaySchema = closed({
  name: text,
  'locale?': text,
  'description?': text,
  'logo?': closed({ uri: text, 'alt_text?': text }),
  'background_color?': text,
  'text_color?': text,
});

const membership = {
  title: 'Membership',
  format: 'dc+sd-jwt',
  vct: 'https://credentials.example/membership',
  schema: { type: 'object', properties: { given_name: { type: 'string' }, level: { type: 'integer' } } },
  expiration: 'P1Y',
};

const template = component(
  'Template',
  closed({
    templateId: text,
    status: { enum: templateStatuses },
    version: { type: 'integer', description: 'Counts the changes of what was published.' },
    title: text,
    'description?': text,
    tags: texts,
    format: { enum: credentialFormats },
    dataModel: { enum: dataModels },
    ...formatMembers,
    schema: { type: 'object' },
    expiration: text,
    signingAlgorithm: { enum: CREDENTIAL_SIGNING_ALGORITHMS },
    'issuerIdentifier?': { enum: issuerIdentifiers },
    'subject?': { enum: credentialSubjects },
    'display?': { type: 'array', items: displaySchema },
  }),
  {
    templateId: 'membership',
    status: 'Draft',
    version: 1,
    ...membership,
    tags: [],
    dataModel: 'sd-jwt-vc',
    signingAlgorithm: 'ES256',
  },
);

const changed = { 200: { description: 'The template.', schema: template, headers: ['ETag'] } } as const;
const created = { schema: template, headers: ['Location', 'ETag'] } as const;
const move = {
  scope: 'templates:write',
  conditional: true,
  answers: changed,
  problems: ['template-not-found', 'invalid-template-transition', 'conflict'],
} as const;

export const templates = resource(
  {
    path: 'v0/templates',
    tag: 'Templates',
    description: 'What a kind of credential says and how wallets show it. A published template can be issued.',
    parameters: { templateId: { description: 'The id of the template.', schema: text, example: 'membership' } },
  },
  {
    create: {
      id: 'createTemplate',
      route: 'POST',
      scope: 'templates:write',
      summary: 'Create a template',
      body: CreateTemplateBody,
      examples: {
        sdJwtVc: { templateId: 'membership', ...membership },
        w3c: { title: 'Diploma', format: 'jwt_vc_json', type: ['DiplomaCredential'], schema: { type: 'object' } },
      },
      idempotent: true,
      answers: { 201: { description: 'The new template.', ...created } },
      problems: ['unsupported-credential-format-identifier', 'invalid-template-schema'],
    },
    list: {
      id: 'listTemplates',
      route: 'GET',
      scope: 'templates:read',
      summary: 'List the templates, the newest first',
      query: TemplateQuery,
      answers: { 200: { description: 'One page.', schema: pageOf(template) } },
    },
    get: {
      id: 'getTemplate',
      route: 'GET :templateId',
      scope: 'templates:read',
      summary: 'See a template',
      conditional: true,
      answers: { 200: { description: 'The template.', schema: template } },
      problems: ['template-not-found'],
    },
    change: {
      ...move,
      id: 'changeTemplate',
      route: 'PATCH :templateId',
      summary: 'Change a template',
      description: 'Omitted members stay as they are; null clears a member that has a usual value.',
      body: ChangeTemplateBody,
      examples: { title: { title: 'Gold membership', description: null } },
      problems: [...move.problems, 'invalid-template-schema', 'unsupported-credential-configuration-format'],
    },
    publish: {
      ...move,
      id: 'publishTemplate',
      route: 'POST :templateId/publish',
      summary: 'Publish a Draft, or an Archived template again',
    },
    archive: {
      ...move,
      id: 'archiveTemplate',
      route: 'POST :templateId/archive',
      summary: 'Archive a template: nothing of it is issued any more',
    },
    duplicate: {
      id: 'duplicateTemplate',
      route: 'POST :templateId/duplicate',
      scope: 'templates:write',
      summary: 'Copy a template into a new Draft',
      body: DuplicateTemplateBody,
      examples: { named: { templateId: 'membership-2027' } },
      idempotent: true,
      answers: { 201: { description: 'The copy.', ...created } },
      problems: ['template-not-found', 'unsupported-credential-configuration-format'],
    },
    delete: {
      ...move,
      id: 'deleteTemplate',
      route: 'DELETE :templateId',
      summary: 'Delete a Draft or an Archived template for good',
      answers: { 204: { description: 'It is gone; its id is not given again.' } },
    },
  },
);
