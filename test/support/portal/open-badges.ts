/** A valid achievement of Open Badges 3.0, the subject that has it, and the credential. */
export const achievement = {
  id: 'https://badges.example/achievements/teamwork',
  type: ['Achievement'],
  name: 'Teamwork',
  description: 'Works well in a team',
  criteria: { narrative: 'Three projects with others' },
};
export const subject = { type: ['AchievementSubject'], achievement };
const alignment = {
  type: 'Alignment',
  targetName: 'Cooperation',
  targetUrl: 'https://skills.example/cooperation',
  targetType: 'CFItem',
};
const image = { id: 'https://badges.example/teamwork.png', type: 'Image', caption: 'Three hands' };
export const endorsement = {
  '@context': [
    'https://www.w3.org/2018/credentials/v1',
    'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json',
    'https://w3id.org/security/data-integrity/v1',
  ],
  id: 'https://endorsers.example/1',
  type: ['VerifiableCredential', 'EndorsementCredential'],
  name: 'Endorsement',
  issuer: { id: 'https://endorsers.example', type: ['Profile'], name: 'Endorsers' },
  issuanceDate: '2026-01-31T12:00:00Z',
  credentialSubject: {
    id: 'https://school.example',
    type: ['EndorsementSubject'],
    endorsementComment: 'A good school',
  },
  proof: [{ type: 'DataIntegrityProof', created: '2026-01-31T12:00:00Z', proofValue: 'z58D' }],
};
export const school = {
  id: 'https://school.example',
  type: ['Profile'],
  name: 'School',
  url: 'https://school.example',
  address: { type: 'Address', addressCountryCode: 'NL', geo: { type: 'GeoCoordinates', latitude: 52.1, longitude: 5 } },
  otherIdentifier: [{ type: 'IdentifierEntry', identifier: '21AB', identifierType: 'ext:brin' }],
  endorsement: [endorsement],
};
export const resultDescription = {
  id: 'urn:uuid:f6ab24cd-86e8-4eaf-b8c6-ded74e8fd41c',
  type: 'ResultDescription',
  name: 'Grade',
  resultType: 'LetterGrade',
  allowedValue: ['A', 'B'],
  rubricCriterionLevel: [
    { id: 'urn:example:level-1', type: 'RubricCriterionLevel', name: 'Good', alignment: [alignment] },
  ],
};
/** With every class of the data model. */
export const fullBadge = {
  id: 'https://badges.example/credentials/2',
  name: 'Teamwork of Erika',
  description: 'What she did',
  image,
  awardedDate: '2026-01-31T12:00:00+01:00',
  endorsement: [
    {
      ...endorsement,
      '@context': ['https://www.w3.org/ns/credentials/v2', 'https://purl.imsglobal.org/spec/ob/v3p0/context.json'],
      issuer: 'https://endorsers.example',
      validFrom: endorsement.issuanceDate,
    },
  ],
  endorsementJwt: ['e30.e30.c2lnbmF0dXJl'],
  evidence: [{ type: 'Evidence', id: 'https://badges.example/evidence/1', narrative: '# What', genre: 'Film' }],
  credentialSchema: { id: 'https://badges.example/schema.json', type: 'JsonSchema' },
  termsOfUse: [{ type: 'Terms', id: 'https://badges.example/terms' }],
  credentialSubject: {
    type: 'AchievementSubject',
    activityStartDate: '2025-09-01T08:00:00Z',
    creditsEarned: 2.5,
    identifier: [
      { type: 'IdentityObject', hashed: false, identityHash: 'a@example.com', identityType: 'emailAddress' },
    ],
    result: [
      {
        type: ['Result'],
        resultDescription: resultDescription.id,
        value: 'A',
        status: 'Completed',
        alignment: [alignment],
      },
    ],
    source: school,
    achievement: {
      ...achievement,
      type: 'Achievement',
      achievementType: 'Course',
      alignment: [alignment],
      creator: { ...school, parentOrg: school },
      creditsAvailable: 3,
      image,
      inLanguage: 'nl-NL',
      related: [{ type: 'Related', id: 'https://badges.example/achievements/samenwerken', version: '2' }],
      resultDescription: [resultDescription],
      tag: ['team'],
    },
  },
};
export const badge = { id: 'https://badges.example/credentials/1', credentialSubject: subject };
