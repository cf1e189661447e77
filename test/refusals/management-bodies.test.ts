import { randomUUID } from 'node:crypto';
import { expectProblem } from '../support/http/refusals';
import { expectRefused, type RefusedBodies, rowsOf } from '../support/portal/refused-bodies';
import { answered, type Json, postJson } from '../support/http/requests';
import { publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile();
let membership: string;
let draft: string;
let archived: string;
beforeAll(async () => {
  membership = await publishedTemplate(service.url, {
    schema: {
      type: 'object',
      properties: { given_name: { type: 'string' }, age: { type: 'integer' }, 'a/b~c': { type: 'string' } },
      required: ['given_name'],
      additionalProperties: false,
    },
  });
  const body = { title: 'Draft', format: 'dc+sd-jwt', schema: { type: 'object' } };
  draft = String(answered(201, await postJson(`${service.url}/v0/templates`, body))['templateId']);
  archived = await publishedTemplate(service.url);
  answered(200, await postJson(`${service.url}/v0/templates/${archived}/archive`, ''));
});

const credential = { credentialSubject: { given_name: 'Erika' } };
const subject = (claims: Json): Json => ({ credential: { credentialSubject: claims } });
const unset = (name: string): Json => ({ [name]: undefined });

const ofCredentials: RefusedBodies[] = [
  {
    name: 'Invalid Credential Type',
    status: 400,
    slug: 'invalid-credential-type',
    rows: [
      ['no credential', unset('credential')],
      ['credential a number', { credential: 1 }],
      ['credential an array', { credential: [credential] }],
      ['credential null', { credential: null }],
      ['credential true', { credential: true }],
      ['an unsigned credential called signed', { credential, isSigned: true }],
      ['a signed credential called unsigned', { credential: 'ey.ey.x', isSigned: false }],
      ['isSigned a string', { credential, isSigned: 'false' }],
      ['isSigned null', { credential, isSigned: null }],
    ],
  },
  {
    name: 'Missing Template ID',
    status: 400,
    slug: 'missing-template-id',
    rows: [
      ['neither template nor configuration', unset('templateId')],
      ['an empty template id', { templateId: '' }],
      ['an empty template id with a configuration', { templateId: '', credentialConfigurationId: quickStart }],
      ['no template id and an empty configuration', { templateId: undefined, credentialConfigurationId: '' }],
      ['two empty ids', { templateId: '', credentialConfigurationId: '' }],
    ],
  },
  {
    name: 'Template Not Found',
    status: 404,
    slug: 'template-not-found',
    rows: [
      ['an unknown template', { templateId: 'other' }],
      ['a template called __proto__', { templateId: '__proto__' }],
      ['a provisioned configuration as template', { templateId: quickStart }],
    ],
  },
  {
    name: 'Template Not Published',
    status: 409,
    slug: 'template-not-published',
    rows: [
      ['a draft', () => ({ templateId: draft })],
      ['an archived one', () => ({ templateId: archived })],
    ],
  },
  {
    name: 'No Credential Configuration Found',
    status: 404,
    slug: 'no-credential-configuration-found',
    rows: [
      ['an unknown configuration', { templateId: undefined, credentialConfigurationId: 'other' }],
      ['a configuration of a draft', () => ({ templateId: undefined, credentialConfigurationId: draft })],
      ['one of an archived template', () => ({ templateId: undefined, credentialConfigurationId: archived })],
      ['a configuration that is not of the template', { credentialConfigurationId: quickStart }],
    ],
  },
  {
    name: 'Invalid Identifier Error',
    status: 400,
    slug: 'invalid-identifier',
    rows: [
      ['an id that is no URI', { credential: { ...credential, id: 'number 7' } }],
      ['an id without scheme', { credential: { ...credential, id: '//x/y' } }],
      ['an id that is a number', { credential: { ...credential, id: 7 } }],
      ['an id that is null', { credential: { ...credential, id: null } }],
      ['an empty id', { credential: { ...credential, id: '' } }],
      ['an id of 5000 characters', { credential: { ...credential, id: `urn:${'x'.repeat(5000)}` } }],
    ],
  },
  {
    name: 'Invalid Credential Payload',
    status: 400,
    slug: 'invalid-credential-payload',
    rows: [
      ['no credentialSubject', { credential: {} }, '/credential/credentialSubject'],
      ['credentialSubject an array', { credential: { credentialSubject: [] } }, '/credential/credentialSubject'],
      ['credentialSubject a string', { credential: { credentialSubject: 'x' } }, '/credential/credentialSubject'],
      ['credentialSubject null', { credential: { credentialSubject: null } }, '/credential/credentialSubject'],
      ['an unknown property', { credential: { ...credential, issuer: 'x' } }, '/credential/issuer'],
      ['an unknown property to be escaped', { credential: { ...credential, 'a/b~c': 1 } }, '/credential/a~1b~0c'],
      ['a claim named _sd', subject({ given_name: 'E', _sd: [] }), '/credential/credentialSubject/_sd'],
      ['a claim named iss', subject({ given_name: 'E', iss: 'x' }), '/credential/credentialSubject/iss'],
      ['a claim named cnf', subject({ given_name: 'E', cnf: {} }), '/credential/credentialSubject/cnf'],
    ],
  },
  {
    name: 'Credential Schema Validation Failed',
    status: 422,
    slug: 'credential-schema-validation-failed',
    rows: [
      ['a claim missing', subject({}), '/credential/credentialSubject/given_name'],
      ['a claim of another type', subject({ given_name: 'E', age: 'x' }), '/credential/credentialSubject/age'],
      ['an additional claim', subject({ given_name: 'E', more: 1 }), '/credential/credentialSubject/more'],
      [
        'a claim whose name needs escaping',
        subject({ given_name: 'E', 'a/b~c': 1 }),
        '/credential/credentialSubject/a~1b~0c',
      ],
      [
        'an additional claim named constructor',
        subject({ given_name: 'E', constructor: 1 }),
        '/credential/credentialSubject/constructor',
      ],
      [
        'an additional claim named toString',
        subject({ given_name: 'E', toString: 1 }),
        '/credential/credentialSubject/toString',
      ],
    ],
  },
  {
    name: 'Invalid Expiration Date',
    status: 400,
    slug: 'invalid-expiration-date',
    // Each fault is listed in expiration.test.ts.
    rows: [
      ['a word', { expiresAt: 'tomorrow' }],
      ['a number', { expiresAt: 4_102_444_800 }],
    ],
  },
  {
    name: 'Validation Failed',
    status: 400,
    slug: 'validation-failed',
    rows: [
      ['no offer id', unset('offerId'), '/offerId'],
      ['an empty offer id', { offerId: '' }, '/offerId'],
      ['an offer id of 257 characters', { offerId: 'x'.repeat(257) }, '/offerId'],
      ['an offer id that is a number', { offerId: 1 }, '/offerId'],
      ['an offer id that is an object', { offerId: { $ne: '' } }, '/offerId'],
      ['an offer id with a NUL', { offerId: 'a\u0000b' }, '/offerId'],
      ['a template id that is an array', { templateId: ['x'] }, '/templateId'],
      ['a template id with a NUL', { templateId: '\u0000' }, '/templateId'],
      ['a claim with a NUL', subject({ given_name: 'E\u0000' }), '/credential/credentialSubject/given_name'],
      ['an offer id that is a dot', { offerId: '.' }, '/offerId'],
      ['a credential id that is two dots', { credentialId: '..' }, '/credentialId'],
      ['a credential id with a slash', { credentialId: 'a/b' }, '/credentialId'],
      [
        'a claim that a double does not hold',
        subject({ given_name: 'E', age: 2 ** 60 }),
        '/credential/credentialSubject/age',
      ],
      ['an unknown member', { color: 'red' }, '/color'],
      ['an unknown member that needs escaping', { 'a/b~c': 1 }, '/a~1b~0c'],
      ['a member named constructor', { constructor: 1 }, '/constructor'],
      ['a member named toString', { toString: 1 }, '/toString'],
      ['a member named hasOwnProperty', { hasOwnProperty: 1 }, '/hasOwnProperty'],
    ],
  },
];

const ofTemplates: RefusedBodies[] = [
  {
    name: 'Unsupported Credential Format Identifier Error',
    status: 400,
    slug: 'unsupported-credential-format-identifier',
    rows: [
      ['an unknown format', { format: 'ldp_vc' }],
      ['the former format name', { format: 'vc+sd-jwt' }],
      ['an empty format', { format: '' }],
      ['a number', { format: 5 }],
      ['null', { format: null }],
    ],
  },
  {
    name: 'Invalid Template Schema',
    status: 400,
    slug: 'invalid-template-schema',
    // Each fault is listed in libs/templates/src/schema/schema-safety.spec.ts.
    rows: [
      ['no schema', unset('schema'), '/schema'],
      ['an unknown type inside', { schema: { type: 'object', properties: { a: { type: 'text' } } } }],
      [
        'a remote reference',
        { schema: { type: 'object', properties: { a: { $ref: 'https://x.example/s' } } } },
        '/schema/properties/a/$ref',
      ],
      [
        'a keyword that is misspelt',
        { schema: { properties: { a: { maxlength: 3 } } } },
        '/schema/properties/a/maxlength',
      ],
      [
        'a required claim that it does not allow',
        { schema: { properties: { iban: {} }, additionalProperties: false, required: ['ibam'] } },
        '/schema/required/0',
      ],
      ['a schema that never ends', { schema: { type: 'object', allOf: [{ $ref: '#' }] } }],
    ],
  },
  {
    name: 'Validation Failed',
    status: 400,
    slug: 'validation-failed',
    rows: [
      ['no title', unset('title'), '/title'],
      ['a title with a NUL', { title: 'a\u0000' }, '/title'],
      ['a title that is read backwards', { title: 'a\u202eb' }, '/title'],
      ['a tag that nobody sees', { tags: ['a', '\u200b'] }, '/tags'],
      ['a display that is read backwards', { display: [{ name: 'x\u2067' }] }, '/display/0/name'],
      ['no format', unset('format'), '/format'],
      ['an expiration that is no duration', { expiration: '90 days' }, '/expiration'],
      ['a status that is no initial one', { status: 'Archived' }, '/status'],
      ['an unknown signing algorithm', { signingAlgorithm: 'none' }, '/signingAlgorithm'],
      ['a vct for a W3C credential', { format: 'jwt_vc_json', vct: 'x' }, '/vct'],
      ['the wrong data model', { dataModel: 'w3c-vc-1.1' }, '/dataModel'],
      ['a pointer that is malformed', { selectivelyDisclosable: ['given_name'] }, '/selectivelyDisclosable/0'],
      [
        'a pointer to a claim that is misspelt',
        { schema: { properties: { iban: {} } }, selectivelyDisclosable: ['/ibam'] },
        '/selectivelyDisclosable/0',
      ],
      ['a pointer to the issuer', { selectivelyDisclosable: ['/iss'] }, '/selectivelyDisclosable/0'],
      ['a display without name', { display: [{ locale: 'en' }] }, '/display/0/name'],
      ['a display with an unknown member', { display: [{ name: 'x', colour: 1 }] }, '/display/0/colour'],
      ['a display that is null', { display: [null] }, '/display/0'],
      [
        'two displays of one language',
        {
          display: [
            { name: 'x', locale: 'en' },
            { name: 'y', locale: 'en' },
          ],
        },
      ],
      ['a logo that is a script', { display: [{ name: 'x', logo: { uri: 'javascript:x' } }] }, '/display/0/logo/uri'],
      ['a locale that is malformed', { display: [{ name: 'x', locale: '!!' }] }, '/display/0/locale'],
      ['a vct with a line break', { vct: 'a\nb' }, '/vct'],
      [
        'a schema with a number beyond double',
        { schema: { type: 'object', maxProperties: 2 ** 60 } },
        '/schema/maxProperties',
      ],
      ['a template id that is two dots', { templateId: '..' }, '/templateId'],
      ['a template id with a slash', { templateId: 'a/b' }, '/templateId'],
      ['a tag that is no string', { tags: [1] }, '/tags'],
    ],
  },
  {
    name: 'Conflict',
    status: 409,
    slug: 'conflict',
    rows: [
      ['the id of another template', () => ({ templateId: draft })],
      ['the id of a provisioned configuration', { templateId: quickStart }],
    ],
  },
];

const ofOffers: RefusedBodies[] = [
  {
    name: 'Missing Template IDs',
    status: 400,
    slug: 'missing-template-ids',
    rows: [
      ['nothing', { offerId: undefined, templateIds: undefined }],
      ['no template', { templateIds: [] }],
      ['an empty id', () => ({ templateIds: [membership, ''] })],
      ['a text', () => ({ templateIds: membership })],
      ['null', { templateIds: null }],
      ['a number inside', { templateIds: [1] }],
      ['an object', { templateIds: {} }],
    ],
  },
  {
    name: 'Template Not Found',
    status: 404,
    slug: 'template-not-found',
    rows: [
      ['an unknown one', { templateIds: ['other'] }],
      ['an unknown one behind a known one', () => ({ templateIds: [membership, 'other'] })],
      ['a provisioned configuration', { templateIds: [quickStart] }],
    ],
  },
  {
    name: 'Template Not Published',
    status: 409,
    slug: 'template-not-published',
    rows: [
      ['a draft', () => ({ templateIds: [draft] })],
      ['an archived one behind a published one', () => ({ templateIds: [membership, archived] })],
    ],
  },
  {
    name: 'Validation Failed',
    status: 400,
    slug: 'validation-failed',
    rows: [
      ['an empty offer id', { offerId: '' }, '/offerId'],
      ['an offer id with a NUL', { offerId: '\u0000' }, '/offerId'],
      ['a template id with a NUL', { templateIds: ['\u0000'] }, '/templateIds/0'],
      ['an offer id that is two dots', { offerId: '..' }, '/offerId'],
      ['three months, which are 92 days from July on', { expiresIn: 'P3M' }, '/expiresIn'],
      ['91 days', { expiresIn: 'P91D' }, '/expiresIn'],
      ['a number of seconds', { expiresIn: 3600 }, '/expiresIn'],
      ['a transaction code of 3 digits', { txCode: { length: 3 } }, '/txCode/length'],
      ['a transaction code of 4.5 digits', { txCode: { length: 4.5 } }, '/txCode/length'],
      ['an unknown input mode', { txCode: { inputMode: 'voice' } }, '/txCode/inputMode'],
      ['a description of 301 characters', { txCode: { description: 'x'.repeat(301) } }, '/txCode/description'],
      ['a description with a NUL', { txCode: { description: '\u0000' } }, '/txCode/description'],
      ['a description with a mark that nobody sees', { txCode: { description: 'a\ufeff' } }, '/txCode/description'],
      ['an unknown member of txCode', { txCode: { digits: 6 } }, '/txCode/digits'],
      ['txCode a text', { txCode: '123456' }, '/txCode'],
      ['an unknown member', { colour: 'red' }, '/colour'],
    ],
  },
];

describe.each([
  ['credentials', ofCredentials, () => ({ offerId: randomUUID(), templateId: membership, credential })],
  ['templates', ofTemplates, () => ({ title: 'T', format: 'dc+sd-jwt', schema: { type: 'object' } })],
  ['offers', ofOffers, () => ({ offerId: randomUUID(), templateIds: [membership] })],
])('POST /v0/%s rejects', (path, problems, valid: () => Json) => {
  it.each(rowsOf(problems))('$name: $what', async (refused) => {
    await expectRefused(service, `/v0/${path}`, valid(), refused);
  });

  it('nothing of the valid body', async () => {
    answered(201, await postJson(`${service.url}/v0/${path}`, valid()));
  });
});

describe('POST /v0/credentials', () => {
  const unknown = 'Unknown property. Known: id, credentialSubject.';
  const misspelt = {
    pointer: '/credential/credentialSubjct',
    message: 'Unknown property. Did you mean credentialSubject?',
  };

  it('lists every fault of the credential at once, with the name that may have been meant', async () => {
    const body = { offerId: randomUUID(), templateId: membership, credential: { x: 1, y: 2, credentialSubjct: {} } };
    const reply = await postJson(`${service.url}/v0/credentials`, body);
    expectProblem(reply, 400, 'invalid-credential-payload');
    expect(reply.json).toMatchObject({
      detail:
        '/credential/x: Unknown property. Known: id, credentialSubject; ' +
        '/credential/y: Unknown property. Known: id, credentialSubject; ' +
        '/credential/credentialSubjct: Unknown property. Did you mean credentialSubject?; ' +
        '/credential/credentialSubject: must be a JSON object with the claims of one person.',
      violations: [
        { pointer: '/credential/x', message: unknown },
        { pointer: '/credential/y', message: unknown },
        misspelt,
        { pointer: '/credential/credentialSubject' },
      ],
    });
  });

  it('lists them with an id that is no URI, too', async () => {
    const body = { offerId: randomUUID(), templateId: membership, credential: { id: 'x', credentialSubjct: {} } };
    const reply = await postJson(`${service.url}/v0/credentials`, body);
    expectProblem(reply, 400, 'invalid-identifier');
    const violations = [{ pointer: '/credential/id' }, misspelt, { pointer: '/credential/credentialSubject' }];
    expect(reply.json).toMatchObject({ violations });
  });

  it('lists every violation of the schema at once', async () => {
    const body = { offerId: randomUUID(), templateId: membership, ...subject({ age: 'x', more: 1, 'a/b~c': 2 }) };
    const { violations } = (await postJson(`${service.url}/v0/credentials`, body)).json;
    expect((violations as Json[]).map(({ pointer }) => String(pointer)).sort()).toEqual([
      '/credential/credentialSubject/age',
      '/credential/credentialSubject/a~1b~0c',
      '/credential/credentialSubject/given_name',
      '/credential/credentialSubject/more',
    ]);
  });
});
