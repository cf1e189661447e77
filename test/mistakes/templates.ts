import type { Chapter } from './mistake';

const failed = { status: 400, problem: 'validation-failed' } as const;
const badSchema = { status: 400, problem: 'invalid-template-schema' } as const;
const transition = { status: 409, problem: 'invalid-template-transition' } as const;
const request = 'POST /v0/templates';
const schema = { type: 'object', properties: { given_name: { type: 'string' } } };
const valid = { templateId: 'badge', title: 'Badge', format: 'dc+sd-jwt', schema };

export const templates: Chapter = {
  title: 'Templates',
  mistakes: [
    {
      what: 'Nothing',
      request,
      body: {},
      ...failed,
      says: ['/title: is required', '/format: is required', '/schema: is required', 'dc+sd-jwt'],
    },
    {
      what: 'The earlier name of a format',
      request,
      body: { ...valid, format: 'vc+sd-jwt' },
      status: 400,
      problem: 'unsupported-credential-format-identifier',
      says: ['Did you mean dc+sd-jwt?'],
    },
    {
      what: 'A format that is not supported',
      request,
      body: { ...valid, format: 'mso_mdoc' },
      status: 400,
      problem: 'unsupported-credential-format-identifier',
      says: ['jwt_vc_json or dc+sd-jwt'],
    },
    {
      what: 'A schema as text',
      request,
      body: { ...valid, schema: JSON.stringify(schema) },
      ...badSchema,
      says: ['/schema', 'JSON object'],
    },
    {
      what: 'A schema of a list',
      request,
      body: { ...valid, schema: { type: 'array' } },
      ...badSchema,
      says: ['object'],
    },
    {
      what: 'A type that JSON Schema does not have',
      request,
      body: { ...valid, schema: { type: 'object', properties: { born: { type: 'date' } } } },
      ...badSchema,
      says: ['/schema/properties/born/type'],
    },
    {
      what: 'A reference to another server',
      request,
      body: {
        ...valid,
        schema: { type: 'object', properties: { person: { $ref: 'https://schemas.example/person.json' } } },
      },
      ...badSchema,
      says: ['/schema/properties/person/$ref', '(#...)'],
    },
    {
      what: 'A keyword in lower case',
      request,
      body: { ...valid, schema: { type: 'object', properties: { given_name: { type: 'string', maxlength: 50 } } } },
      ...badSchema,
      says: ['/schema/properties/given_name/maxlength', 'Did you mean maxLength?'],
    },
    {
      what: 'A claim to be withheld that is misspelt',
      request,
      body: { ...valid, selectivelyDisclosable: ['/givn_name'] },
      ...failed,
      says: ['/selectivelyDisclosable/0', 'Did you mean /given_name?'],
    },
    {
      what: 'A validity in other words',
      request,
      body: { ...valid, expiration: '90 days' },
      ...failed,
      says: ['/expiration', 'P90D'],
    },
    {
      what: 'Claims without a slash',
      request,
      body: { ...valid, selectivelyDisclosable: ['given_name'] },
      ...failed,
      says: ['/selectivelyDisclosable', '/given_name'],
    },
    {
      what: 'A member of another format',
      request,
      body: { ...valid, type: ['Badge'] },
      ...failed,
      says: ['/type', 'jwt_vc_json'],
    },
    {
      what: 'A name of a colour',
      request,
      body: { ...valid, display: [{ name: 'Badge', background_color: 'blue' }] },
      ...failed,
      says: ['/display/0/background_color', '#12107c'],
    },
    {
      what: 'Camel case where the specification has snake case',
      request,
      body: { ...valid, display: [{ name: 'Badge', backgroundColor: '#12107c' }] },
      ...failed,
      says: ['/display/0/backgroundColor', 'Did you mean background_color?'],
    },
    {
      what: 'One display in place of a list',
      request,
      body: { ...valid, display: { name: 'Badge' } },
      ...failed,
      says: ['/display', 'list'],
    },
    {
      what: 'A logo as text',
      request,
      body: { ...valid, display: [{ name: 'Badge', logo: 'https://issuer.example/logo.png' }] },
      ...failed,
      says: ['/display/0/logo', 'uri'],
    },
    {
      what: 'Two entries for one language',
      request,
      body: {
        ...valid,
        display: [
          { name: 'Badge', locale: 'en' },
          { name: 'Card', locale: 'en' },
        ],
      },
      ...failed,
      says: ['locale'],
    },
    {
      what: 'An id with a blank',
      request,
      body: { ...valid, templateId: 'my badge' },
      ...failed,
      says: ['/templateId', 'A-Z'],
    },
    {
      what: 'An id that is taken',
      request,
      body: { ...valid, templateId: 'membership' },
      status: 409,
      problem: 'conflict',
      says: ['membership', 'exists'],
    },
    {
      what: 'A state in lower case',
      request,
      body: { ...valid, status: 'published' },
      ...failed,
      says: ['/status', 'Did you mean Published?'],
    },
    {
      what: 'Another format for a template',
      request: 'PATCH /v0/templates/diploma',
      body: { format: 'jwt_vc_json' },
      ...failed,
      says: ['/format', 'create another template'],
    },
    {
      what: 'The state by a change',
      request: 'PATCH /v0/templates/diploma',
      body: { status: 'Published' },
      ...failed,
      says: ['/status', 'publish'],
    },
    {
      what: 'Publishing twice',
      request: 'POST /v0/templates/membership/publish',
      ...transition,
      says: ['already Published'],
    },
    {
      what: 'Deleting what is published',
      request: 'DELETE /v0/templates/membership',
      ...transition,
      says: ['archive it first'],
    },
    {
      what: 'A change of what is archived',
      request: 'PATCH /v0/templates/card',
      body: { title: 'Card' },
      ...transition,
      says: ['publish it again'],
    },
    {
      what: 'A change of a provisioned configuration',
      request: 'PATCH /v0/credential_configurations/w3c_vc_credential',
      body: {},
      status: 400,
      problem: 'update-provisioned-credential-configuration',
      says: ['file'],
    },
  ],
};
