import { randomUUID } from 'node:crypto';
import {
  achievement,
  badge,
  endorsement,
  fullBadge,
  resultDescription,
  school,
  subject,
} from '../support/portal/open-badges';
import { expectProblem } from '../support/http/refusals';
import { expectRefused, type RefusedBodies, rowsOf } from '../support/portal/refused-bodies';
import { answered, get, type Json, postJson } from '../support/http/requests';
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
});

const place = '/credential/credentialSubject';

const changed = (changes: Json): Json => ({ credential: { ...badge, ...changes } });
const ofSubject = (changes: Json): Json => changed({ credentialSubject: { ...subject, ...changes } });
const ofAchievement = (changes: Json): Json => ofSubject({ achievement: { ...achievement, ...changes } });

const endorsedBy = (changes: Json): Json => changed({ endorsement: [{ ...endorsement, ...changes }] });

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
      ['evidence that is none', changed({ evidence: [{ narrative: 'x' }] }), '/credential/evidence/0/type'],
      ['an image with more', changed({ image: { id: 'urn:a:b', type: 'Image', alt: 'x' } }), '/credential/image/alt'],
      ['an endorsement without issuer', endorsedBy({ issuer: undefined }), '/credential/endorsement/0/issuer'],
      ['an endorsement by no profile', endorsedBy({ issuer: 'urn:a:b' }), '/credential/endorsement/0/issuer'],
      [
        'an endorsement without a date',
        endorsedBy({ issuanceDate: undefined }),
        '/credential/endorsement/0/issuanceDate',
      ],
      [
        'an endorsement without the context',
        endorsedBy({ '@context': ['urn:a:b', 'urn:a:c'] }),
        '/credential/endorsement/0/@context/0',
      ],
      ['a signed endorsement that is none', changed({ endorsementJwt: ['x'] }), '/credential/endorsementJwt/0'],
      ['terms of no type', changed({ termsOfUse: [{}] }), '/credential/termsOfUse/0/type'],
      [
        'a result of an unknown state',
        ofSubject({ result: [{ type: 'Result', status: 'Done' }] }),
        `${place}/result/0/status`,
      ],
      [
        'an identity that is none',
        ofSubject({ identifier: [{ type: 'IdentityObject' }] }),
        `${place}/identifier/0/hashed`,
      ],
      ['a source without id', ofSubject({ source: { ...school, id: undefined } }), `${place}/source/id`],
      [
        'an alignment without target',
        ofAchievement({ alignment: [{ type: ['Alignment'] }] }),
        `${place}/achievement/alignment/0/targetUrl`,
      ],
      [
        'an unknown type of achievement',
        ofAchievement({ achievementType: 'Bage' }),
        `${place}/achievement/achievementType`,
      ],
      ['a language that is a name', ofAchievement({ inLanguage: 'Dutch' }), `${place}/achievement/inLanguage`],
      [
        'a creator whose parent is no profile',
        ofAchievement({ creator: { ...school, parentOrg: { id: 'urn:a:b' } } }),
        `${place}/achievement/creator/parentOrg/type`,
      ],
      [
        'a description of results without type',
        ofAchievement({ resultDescription: [{ ...resultDescription, resultType: undefined }] }),
        `${place}/achievement/resultDescription/0/resultType`,
      ],
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

  it('an unknown word with the words of the standard, once', async () => {
    const body = { ...valid(), ...ofAchievement({ achievementType: 'Bage', type: ['Badge'] }) };
    const reply = await postJson(`${service.url}/v0/credentials`, body);
    const at = `${place}/achievement`;
    expect(reply.json['violations']).toEqual([
      { pointer: `${at}/type`, message: 'must be "Achievement"' },
      { pointer: `${at}/type/0`, message: 'must be "Achievement"' },
      { pointer: `${at}/achievementType`, message: expect.stringMatching(/Award, Badge, .*, or begin with ext:$/) },
    ]);
  });

  it.each([
    ['the least', badge],
    ['one with every class of the standard', fullBadge],
  ])('not a valid badge: %s', async (_what, credential) => {
    answered(201, await postJson(`${service.url}/v0/credentials`, { ...valid(), credential }));
  });
});

describe('a type of Open Badges', () => {
  const w3c = { format: 'jwt_vc_json', vct: undefined, schema: { type: 'object' } };
  const handIn = (id: string, credential: Json) =>
    postJson(`${service.url}/v0/credentials`, { offerId: randomUUID(), templateId: id, credential });
  const claimsAlone = { credentialSubject: { given_name: 'Erika' } };

  it.each(['OpenBadgeCredential', 'AchievementCredential'])('makes a badge of a template: %s', async (type) => {
    const id = await publishedTemplate(service.url, { ...w3c, type: ['VerifiableCredential', type] });
    expect(answered(200, await get(`${service.url}/v0/templates/${id}`))['dataModel']).toBe('open-badges-3.0');
    expectProblem(await handIn(id, { id: badge.id, ...claimsAlone }), 400, 'invalid-credential-payload');
    answered(201, await handIn(id, badge));
  });

  it.each([
    ['w3c-vc-1.1', ['OpenBadgeCredential'], 'dataModel must be open-badges-3.0'],
    ['open-badges-3.0', ['Diploma'], 'must hold OpenBadgeCredential or AchievementCredential'],
  ])('and the data model belong together: %s, %j', async (dataModel, type, message) => {
    const reply = await postJson(`${service.url}/v0/templates`, { ...w3c, title: 'Badge', dataModel, type });
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toEqual([{ pointer: '/type', message: expect.stringContaining(message) }]);
  });

  it('is not for mapped claims', async () => {
    const claims = { '/given_name': 'login:/given_name' };
    const type = ['OpenBadgeCredential'];
    const reply = await postJson(`${service.url}/v0/templates`, { ...w3c, title: 'Badge', type, claims });
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toEqual([expect.objectContaining({ pointer: '/data' })]);
  });

  it('of a thing has an id or an identifier', async () => {
    const id = await publishedTemplate(service.url, { ...w3c, dataModel: 'open-badges-3.0', subject: 'thing' });
    expectProblem(await handIn(id, badge), 400, 'invalid-credential-payload');
    answered(201, await handIn(id, fullBadge));
  });
});
