import type { Chapter } from './mistake';

const failed = { status: 400, problem: 'validation-failed' } as const;
const request = 'POST /v0/credentials';
const subject = { given_name: 'Erika', level: 3 };
const valid = { offerId: 'order-4712', templateId: 'membership', credential: { credentialSubject: subject } };
const of = (claims: object): object => ({ ...valid, credential: { credentialSubject: claims } });
const badType = { status: 400, problem: 'invalid-credential-type' } as const;
const badPayload = { status: 400, problem: 'invalid-credential-payload' } as const;
const badDate = { status: 400, problem: 'invalid-expiration-date' } as const;
const againstSchema = { status: 422, problem: 'credential-schema-validation-failed' } as const;

export const credentials: Chapter = {
  title: 'Credentials',
  mistakes: [
    {
      what: 'Nothing',
      request,
      body: {},
      ...failed,
      says: ['/offerId: is required', '/credential: is required', '/templateId'],
    },
    { what: 'No offer', request, body: { ...valid, offerId: undefined }, ...failed, says: ['/offerId: is required'] },
    {
      what: 'The case of a name',
      request,
      body: { ...valid, templateID: 'membership', templateId: undefined },
      ...failed,
      says: ['Did you mean templateId?'],
    },
    {
      what: 'The claims one level too high',
      request,
      body: { ...valid, credential: subject },
      ...badPayload,
      says: ['/credential/credentialSubject', '/credential/given_name'],
    },
    {
      what: 'No credential',
      request,
      body: { ...valid, credential: undefined },
      ...badType,
      says: ['/credential: is required', 'credentialSubject'],
    },
    {
      what: 'A list of persons',
      request,
      body: { ...valid, credential: { credentialSubject: [subject] } },
      ...badPayload,
      says: ['/credential/credentialSubject', 'object'],
    },
    {
      what: 'A credential as JSON text',
      request,
      body: { ...valid, credential: JSON.stringify(valid.credential) },
      status: 400,
      problem: 'invalid-signed-credential-format',
      says: ['signed', 'object'],
    },
    {
      what: 'A credential that is called signed',
      request,
      body: { ...valid, isSigned: true },
      ...badType,
      says: ['isSigned'],
    },
    {
      what: 'Neither template nor configuration',
      request,
      body: { ...valid, templateId: undefined },
      status: 400,
      problem: 'missing-template-id',
      says: ['templateId', 'credentialConfigurationId'],
    },
    {
      what: 'A template that does not exist',
      request,
      body: { ...valid, templateId: 'Membership' },
      status: 404,
      problem: 'template-not-found',
      says: ['Membership', 'GET /v0/templates'],
    },
    {
      what: 'A Draft',
      request,
      body: { ...valid, templateId: 'diploma' },
      status: 409,
      problem: 'template-not-published',
      says: ['diploma', '/publish'],
    },
    {
      what: 'A configuration that does not exist',
      request,
      body: { ...valid, templateId: undefined, credentialConfigurationId: 'w3c-vc-credential' },
      status: 404,
      problem: 'no-credential-configuration-found',
      says: ['w3c-vc-credential', 'w3c_vc_credential'],
    },
    {
      what: 'A claim is missing and another is misspelt',
      request,
      body: of({ givenname: 'Erika' }),
      ...againstSchema,
      says: ['/credential/credentialSubject/given_name: is required', 'Did you mean given_name?'],
    },
    {
      what: 'A number as text',
      request,
      body: of({ given_name: 'Erika', level: '3' }),
      ...againstSchema,
      says: ['/credential/credentialSubject/level', 'integer'],
    },
    {
      what: 'A claim that the service sets',
      request,
      body: of({ ...subject, iss: 'https://portal.example' }),
      ...badPayload,
      says: ['/credential/credentialSubject/iss'],
    },
    {
      what: 'An id that is no URI',
      request,
      body: { ...valid, credential: { ...valid.credential, id: 'number 7' } },
      status: 400,
      problem: 'invalid-identifier',
      says: ['urn:uuid:'],
    },
    {
      what: 'A date without time',
      request,
      body: { ...valid, expiresAt: '2099-12-31' },
      ...badDate,
      says: ['2027-06-30T12:00:00Z'],
    },
    {
      what: 'A date as people write it',
      request,
      body: { ...valid, expiresAt: '31.12.2099' },
      ...badDate,
      says: ['RFC 3339'],
    },
    { what: 'A date as a number', request, body: { ...valid, expiresAt: 1893456000 }, ...badDate, says: ['RFC 3339'] },
    {
      what: 'A date in the past',
      request,
      body: { ...valid, expiresAt: '2020-01-01T00:00:00Z' },
      ...badDate,
      says: ['future'],
    },
    {
      what: 'A validity beyond that of the template',
      request,
      body: { ...valid, expiresAt: 'never' },
      status: 422,
      problem: 'expiration-exceeds-template-limit',
      says: ['2099-12-31T23:59:59.000Z'],
    },
    {
      what: 'An id that is taken',
      request,
      body: { ...valid, credentialId: 'card-1' },
      status: 409,
      problem: 'conflict',
      says: ['card-1'],
    },
    {
      what: 'An offer that was withdrawn',
      request,
      body: { ...valid, offerId: 'order-4700' },
      status: 409,
      problem: 'conflict',
      says: ['order-4700', 'Withdrawn'],
    },
    {
      what: 'Revoking before a wallet has fetched it',
      request: 'POST /v0/credentials/card-1/revoke',
      status: 409,
      problem: 'credential-not-issued',
      says: ['DELETE /v0/offers/{offerId}'],
    },
    {
      what: 'A batch that is a list',
      request: 'POST /v0/credentials/batch',
      body: [valid],
      status: 400,
      problem: 'malformed-json',
      says: ['one JSON object', 'an array'],
    },
    {
      what: 'A batch under another name',
      request: 'POST /v0/credentials/batch',
      body: { items: [valid] },
      ...failed,
      says: ['/credentials: is required', '/items'],
    },
    {
      what: 'Changes of status with another word',
      request: 'POST /v0/credentials/status_changes',
      body: { items: [{ credentialId: 'card-1', status: 'Revoked' }] },
      ...failed,
      says: ['revoke'],
    },
  ],
};
