import { type IssuerIdentifier, issuerIdentifiers } from '@app/config';
import {
  anyObject,
  closed,
  component,
  duration,
  eg,
  givenDateTime,
  integer,
  is,
  listOf,
  resource,
  text,
  texts,
  ListQuery,
} from '@app/http';
import { awaitsApproval } from '@app/approvals';
import { meant } from '@app/primitives/json';
import {
  CREDENTIAL_SIGNING_ALGORITHMS,
  type CredentialFormatId,
  credentialFormats,
  type CredentialSigningAlgorithm,
  isCredentialFormat,
} from '@app/openid4vc';
import { isDuration } from '@app/primitives/time';
import { ArrayUnique, IsBoolean, Matches } from 'class-validator';
import {
  type CredentialSubject,
  credentialSubjects,
  type DataModel,
  dataModels,
} from '../configuration/credential-configuration';
import { dataMembers, DataTermsBody, isOfOnePerson, rulesOfData } from './data-terms.contract';
import { faultsOfFourEyes, type FourEyesBody, fourEyesMember, isFourEyes, rulesOfFourEyes } from './four-eyes.contract';
import { claimLabelsMember } from '../configuration/claim-labels';
import { type DisplayBody, displaySchema, isDisplay } from '../configuration/display.contract';
import { isExpiration } from '../template/expiration';
import { claimsRetention } from '../template/retention';
import { rulesByFormat } from '../configuration/format-rules';
import type { JsonSchema } from '../schema/json-schema';
import { isSchema } from './schema.contract';
import { templateStatuses, type TemplateStatus } from '../template/template';
import { faultsOfContent } from '../template/template-content';

/** The filters of `GET /v0/templates`. */
class TemplateQuery extends ListQuery {
  @is.Optional('Only those in this state.', is.OneOf(templateStatuses))
  readonly status?: TemplateStatus;
}

const forPeople = 'For the people who work with templates.';
const itsName = 'Its name; wallets show it where `display` is absent.';
/** Without white space and control characters. */
const vctPattern = '^[^\\x00-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*$';
/** What a template may say, and a change may change. Null, where it is allowed, stands for the default. */
class ContentBody extends DataTermsBody {
  @is.Optional(forPeople, is.Text(0, 4096))
  readonly description?: string | null;
  @is.Optional(forPeople, is.TextList(0, 50, [1, 64]))
  readonly tags?: readonly string[] | null;
  @is.Optional(
    'Types of a W3C credential; `VerifiableCredential` is added when it is missing.',
    is.TextList(1, 20, [1, 256]),
    ArrayUnique({ message: 'must not repeat a type' }),
  )
  readonly type?: readonly string[] | null;
  @is.Optional(
    'The type of an SD-JWT VC; an address hosted here when absent.',
    is.Text(1, 2048),
    Matches(new RegExp(vctPattern), { message: 'must have no white space or control characters' }),
    is.Shown({ pattern: vctPattern, examples: ['https://credentials.example/membership'] }),
  )
  readonly vct?: string | null;
  @is.Optional(
    'The type of an mdoc; required for one.',
    is.Text(1, 256),
    is.Shown({ examples: ['org.iso.18013.5.1.mDL'] }),
  )
  readonly doctype?: string | null;
  @is.Optional(
    'Of an mdoc: how long after its issue wallets may expect another one (`expectedUpdate`), as ISO 8601 duration.',
    is.Check('isDuration', 'must be an ISO 8601 duration such as P30D', isDuration),
    is.Shown({ ...duration, examples: ['P30D'] }),
  )
  readonly expectedUpdate?: string | null;
  @is.Optional(
    '`never`, an ISO 8601 duration of at most 1,000 years from preparation on, or an RFC 3339 date-time; P90D when absent. ' +
      'An mdoc always expires.',
    is.Check(
      'isExpiration',
      'must be never, an ISO 8601 duration such as P90D, or an RFC 3339 date-time',
      isExpiration,
    ),
    is.Shown({
      anyOf: [{ const: 'never' }, duration, givenDateTime],
      examples: ['never', 'P90D', 'PT12H', '2099-12-31T23:59:59Z'],
    }),
  )
  readonly expiration?: string;
  @is.Optional(
    'How long the claims of its credentials are kept: `keep` (when absent), `untilIssued`, or an ISO 8601 duration of at most ' +
      '36,600 days after the issue. What is not issued is kept until it expires. Applies to credentials that are submitted from now on.',
    is.Check('isRetention', claimsRetention.message, claimsRetention.allows),
    is.Shown({ anyOf: [{ enum: ['keep', 'untilIssued'] }, duration], examples: ['keep', 'untilIssued', 'P90D'] }),
  )
  readonly retention?: string;
  @is.Optional('ES256 when absent.', is.OneOf(CREDENTIAL_SIGNING_ALGORITHMS))
  readonly signingAlgorithm?: CredentialSigningAlgorithm;
  @is.Optional(
    'The kind of issuer identifier, the `iss` of its credentials: the DID of this service, or its https URL. ' +
      'When absent: the DID, for SD-JWT VCs what `SERVICE__ISSUER__SD_JWT_IDENTIFIER` says.',
    is.OneOf(issuerIdentifiers),
  )
  readonly issuerIdentifier?: IssuerIdentifier | null;
  @is.Optional(
    'Whom or what it describes; `holder` when absent: a DID in `credentialSubject.id` must be the one that the wallet ' +
      'proves: a did:jwk or did:key by its key, any other by a key proof that names the DID. The `id` of a `thing` is independent of the holder.',
    is.OneOf(credentialSubjects),
  )
  readonly subject?: CredentialSubject | null;
  @is.Optional(
    'Whether its credentials can be suspended and revoked: each has an entry in a status list. False when absent.',
    IsBoolean({ message: 'must be true or false' }),
    is.Shown({ type: 'boolean' }),
  )
  readonly revocable?: boolean | null;
  @is.Optional(
    'JSON Pointers of the claims that a holder may withhold; every top-level claim when absent. SD-JWT VC only.',
    is.TextList(0, 500),
    is.Shown({ examples: [['/given_name'], []] }),
  )
  readonly selectivelyDisclosable?: readonly string[] | null;
  @isDisplay
  readonly display?: readonly DisplayBody[] | null;
  @isFourEyes
  readonly fourEyes?: FourEyesBody | null;
}

const isTemplateId = (words: string) =>
  is.Optional(
    words,
    Matches(/^[A-Za-z0-9._~-]{1,128}$/, { message: 'must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -' }),
    is.Addressable(),
  );

@is.Holds((body) => [...faultsOfContent(body), ...faultsOfFourEyes(body)])
@is.Rules({ ...rulesByFormat(), dependentSchemas: { ...rulesOfData, fourEyes: rulesOfFourEyes } })
class CreateTemplateBody extends ContentBody {
  @isTemplateId('Your own id for it, also of its credential configuration; a random one when absent.')
  readonly templateId?: string;
  @is.Required(itsName, is.Text(1, 256))
  readonly title!: string;
  @is.Required(
    'What is issued: a W3C credential as JWT, an SD-JWT VC or an mdoc (ISO/IEC 18013-5).',
    is.Check('isGiven', `must be ${credentialFormats.join(' or ')}`, (value) => value !== undefined),
    is.Check(
      'isFormat',
      (value) => `must be ${credentialFormats.join(' or ')}${meant(value, credentialFormats)}`,
      (value) => value === undefined || isCredentialFormat(value),
      { problem: 'unsupported-credential-format-identifier' },
    ),
    is.Shown({ enum: credentialFormats }),
  )
  readonly format!: CredentialFormatId;
  @is.Optional(
    'What the claims are shaped after. When absent: `open-badges-3.0` for a `type` with OpenBadgeCredential or ' +
      'AchievementCredential, else the default of the format.',
    is.OneOf(dataModels),
  )
  readonly dataModel?: DataModel;
  @isSchema()
  readonly schema!: JsonSchema;
  @is.Optional('Draft when absent.', is.OneOf(['Draft', 'Published']))
  readonly status?: 'Draft' | 'Published';
}

@is.Rules({ dependentSchemas: { presentation: isOfOnePerson } })
@is.Clearable(
  'description',
  'tags',
  'type',
  'vct',
  'expectedUpdate',
  'issuerIdentifier',
  'subject',
  'revocable',
  'scope',
  'keyAttestationsRequired',
  'maxCopies',
  'disclosurePolicy',
  'selectivelyDisclosable',
  'identification',
  'presentation',
  'data',
  'claims',
  'approval',
  'display',
  'claimLabels',
  'fourEyes',
)
@is.Fixed({
  templateId: 'create another template',
  format: 'create another template',
  dataModel: 'create another template',
  status: 'publish, archive or delete the template',
})
class ChangeTemplateBody extends ContentBody {
  @is.Optional(itsName, is.Text(1, 256))
  readonly title?: string;
  @isSchema([is.Omissible()])
  readonly schema?: JsonSchema;
  @is.Optional(
    'True: the default `vct` of a published template changes. By itself it does so only with `schema` or ' +
      '`selectivelyDisclosable`; the type metadata of earlier ones stays available.',
    IsBoolean({ message: 'must be true or false' }),
  )
  readonly newType?: boolean;
}

class DuplicateTemplateBody {
  @isTemplateId('The id of the copy; a random one when absent.')
  readonly templateId?: string;
  @is.Optional('The title of the copy.', is.Text(1, 256))
  readonly title?: string;
}

/** The members that belong to single formats, in a template and in a configuration. */
export const formatMembers = {
  'type?': texts,
  'vct?': text,
  'selectivelyDisclosable?': texts,
  'doctype?': text,
  'expectedUpdate?': text,
} as const;

const membership = {
  title: 'Membership',
  format: 'dc+sd-jwt',
  vct: 'https://credentials.example/membership',
  schema: { type: 'object', properties: { given_name: { type: 'string' }, level: { type: 'integer' } } },
  expiration: 'P1Y',
  revocable: true,
};

const template = component(
  'Template',
  closed({
    templateId: eg('membership'),
    status: eg('Draft', { enum: templateStatuses }),
    version: eg(1, { ...integer, description: 'Counts the changes since publication.' }),
    title: eg(membership.title),
    'description?': text,
    tags: eg([], texts),
    format: eg(membership.format, { enum: credentialFormats }),
    dataModel: eg('sd-jwt-vc', { enum: dataModels }),
    ...formatMembers,
    'vct?': eg(membership.vct, { ...text, description: 'Of SD-JWT VCs: the given one, or the address hosted here.' }),
    schema: eg(membership.schema, anyObject),
    expiration: eg(membership.expiration),
    retention: eg('keep'),
    signingAlgorithm: eg('ES256', { enum: CREDENTIAL_SIGNING_ALGORITHMS }),
    'issuerIdentifier?': { enum: issuerIdentifiers },
    'subject?': { enum: credentialSubjects },
    'revocable?': eg(true, { const: true }),
    'scope?': text,
    ...dataMembers,
    'display?': { type: 'array', items: displaySchema },
    'claimLabels?': claimLabelsMember,
    'fourEyes?': fourEyesMember,
  }),
);

const answers = { 200: { description: 'The template.', schema: template, etag: true } } as const;
const move = { answers, problems: ['invalid-template-transition'] } as const;
const moveOfTwo = { ...move, answers: { ...answers, 202: awaitsApproval } } as const;

export const templates = resource(
  {
    path: 'v0/templates',
    area: 'templates',
    tag: 'Templates',
    description: 'The claims of a kind of credential and how wallets show it. A published template can be issued.',
    parameters: { templateId: { description: 'The id of the template.', schema: text, example: 'membership' } },
    missing: 'template-not-found',
  },
  {
    create: {
      id: 'createTemplate',
      route: 'POST',
      summary: 'Create a template',
      body: CreateTemplateBody,
      examples: {
        sdJwtVc: { templateId: 'membership', ...membership },
        w3c: {
          templateId: 'visitor',
          title: 'Visitor of the open day',
          format: 'jwt_vc_json',
          type: ['VisitorCredential'],
          schema: { type: 'object', properties: { event: { const: 'Open day 2027' } } },
          status: 'Published',
        },
        mdoc: {
          templateId: 'library-card-mdoc',
          title: 'Library card',
          format: 'mso_mdoc',
          doctype: 'example.library.card.1',
          schema: {
            type: 'object',
            properties: {
              'example.library.1': {
                type: 'object',
                properties: { given_name: { type: 'string' }, issue_date: { type: 'string', format: 'date' } },
              },
            },
          },
        },
        ofLogin: {
          templateId: 'student-card',
          title: 'Student card',
          format: 'dc+sd-jwt',
          vct: 'https://credentials.example/student-card',
          schema: { type: 'object', properties: { given_name: { type: 'string' } }, required: ['given_name'] },
          data: 'mapped',
          claims: { '/given_name': 'login:/given_name' },
          status: 'Published',
        },
      },
      idempotent: true,
      answers: { 201: { description: 'The new template.', schema: template, etag: true } },
      problems: ['unsupported-credential-format-identifier', 'invalid-template-schema', 'setting-missing'],
    },
    list: listOf('listTemplates', 'List the templates, newest first', template, TemplateQuery),
    get: { id: 'getTemplate', route: 'GET :templateId', summary: 'Get a template', answers },
    change: {
      ...moveOfTwo,
      id: 'changeTemplate',
      route: 'PATCH :templateId',
      summary: 'Change a template',
      description: 'Omitted properties do not change; null resets a property to its default.',
      body: ChangeTemplateBody,
      examples: { title: { title: 'Gold membership', description: null } },
      problems: [
        ...move.problems,
        'invalid-template-schema',
        'unsupported-credential-configuration-format',
        'setting-missing',
      ],
    },
    publish: {
      ...moveOfTwo,
      id: 'publishTemplate',
      route: 'POST :templateId/publish',
      freshness: true,
      summary: 'Publish a Draft, or an Archived template again',
    },
    archive: {
      ...move,
      id: 'archiveTemplate',
      route: 'POST :templateId/archive',
      summary: 'Archive a template: no more credentials are issued from it',
    },
    duplicate: {
      id: 'duplicateTemplate',
      route: 'POST :templateId/duplicate',
      summary: 'Copy a template into a new Draft',
      body: DuplicateTemplateBody,
      examples: { named: { templateId: 'membership-2027' } },
      idempotent: true,
      conditional: false,
      answers: { 201: { description: 'The copy.', schema: template, etag: true } },
      problems: ['unsupported-credential-configuration-format', 'setting-missing'],
    },
    delete: {
      ...move,
      id: 'deleteTemplate',
      route: 'DELETE :templateId',
      summary: 'Delete a Draft or an Archived template permanently',
      answers: { 204: 'Deleted; its id is not reused.' },
    },
  },
);
