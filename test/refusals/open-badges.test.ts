import { randomUUID } from 'node:crypto';
import { achievement, badge, subject } from '../support/portal/open-badges';
import { expectProblem } from '../support/http/refusals';
import { expectRefused, type RefusedBodies, rowsOf } from '../support/portal/refused-bodies';
import { answered, type Json, postJson } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile();
let templateId: string;
beforeAll(async () => {
  templateId = await publishedTemplate(service.url, {
    format: 'jwt_vc_json',
    dataModel: 'open-badges-3.0',
    vct: undefined,
    schema: { type: 'object', properties: { role: { enum: ['tutor'] } } },
  });
}, 60_000);

const place = '/credential/credentialSubject';

const changed = (changes: Json): Json => ({ credential: { ...badge, ...changes } });
const ofSubject = (changes: Json): Json => changed({ credentialSubject: { ...subject, ...changes } });
const ofAchievement = (changes: Json): Json => ofSubject({ achievement: { ...achievement, ...changes } });

const problems: RefusedBodies[] = [
  {
    name: 'Invalid Identifier Error',
    status: 400,
    slug: 'invalid-identifier',
    rows: [
      ['no id', changed({ id: undefined }), '/credential/id'],
      ['an id that is no URI', changed({ id: 'badge one' }), '/credential/id'],
      ['an empty id', changed({ id: '' }), '/credential/id'],
      ['an id that is a number', changed({ id: 1 }), '/credential/id'],
      ['no id before a payload that is none', { credential: { credentialSubject: {} } }, '/credential/id'],
    ],
  },
  {
    name: 'Invalid Credential Payload',
    status: 400,
    slug: 'invalid-credential-payload',
    rows: [
      ['no subject', changed({ credentialSubject: undefined }), place],
      ['a subject that is a list', changed({ credentialSubject: [subject] }), place],
      ['no type of the subject', ofSubject({ type: undefined }), `${place}/type`],
      ['another type of the subject', ofSubject({ type: ['Person'] }), `${place}/type`],
      ['no achievement', ofSubject({ achievement: undefined }), `${place}/achievement`],
      ['no id of the achievement', ofAchievement({ id: undefined }), `${place}/achievement/id`],
      ['an id of the achievement that is no URI', ofAchievement({ id: 'x y' }), `${place}/achievement/id`],
      ['another type of the achievement', ofAchievement({ type: ['Badge'] }), `${place}/achievement/type`],
      ['no name of the achievement', ofAchievement({ name: undefined }), `${place}/achievement/name`],
      ['no description', ofAchievement({ description: undefined }), `${place}/achievement/description`],
      ['no criteria', ofAchievement({ criteria: undefined }), `${place}/achievement/criteria`],
      ['criteria that are a text', ofAchievement({ criteria: 'x' }), `${place}/achievement/criteria`],
      ['an unknown member', changed({ colour: 'red' }), '/credential/colour'],
      ['an unknown member whose name needs escaping', changed({ 'a/b~c': 1 }), '/credential/a~1b~0c'],
      ['a date of award that is none', changed({ awardedDate: 'today' }), '/credential/awardedDate'],
    ],
  },
  {
    name: 'Credential Schema Validation Failed',
    status: 422,
    slug: 'credential-schema-validation-failed',
    rows: [['a subject that breaks the schema of the template', ofSubject({ role: 'pupil' }), `${place}/role`]],
  },
];

const valid = (): Json => ({ offerId: randomUUID(), templateId, credential: badge });

describe('POST /v0/credentials rejects as an Open Badge', () => {
  it.each(rowsOf(problems))('$name: $what', async (refused) => {
    await expectRefused(service, '/v0/credentials', valid(), refused);
  });

  it('every fault at once, each of them once', async () => {
    const credential = { ...badge, id: 'badge one', awardedDat: '2027-06-30T12:00:00Z', credentialSubject: [subject] };
    const reply = await postJson(`${service.url}/v0/credentials`, { ...valid(), credential });
    expectProblem(reply, 400, 'invalid-identifier');
    expect(reply.json['violations']).toEqual([
      { pointer: '/credential/id', message: 'must be an absolute URI' },
      { pointer: '/credential/awardedDat', message: 'Unknown property. Did you mean awardedDate?' },
      { pointer: place, message: expect.any(String) },
    ]);
  });

  it('not a valid badge', async () => {
    answered(201, await postJson(`${service.url}/v0/credentials`, valid()));
  });
});
