import { type JsonObject, stepsOf } from '@app/primitives/json';
import type { Violation } from '@app/primitives/problems';
import { type ClaimsRule, type JsonSchema, violationsOf } from './json-schema';

type Properties = Readonly<Record<string, JsonSchema>>;

const string = { type: 'string' };
const text = { type: 'string', minLength: 1 };
const number = { type: 'number' };
const uri = { type: 'string', format: 'uri' };
const dateTime = { type: 'string', format: 'date-time' };
const language = { type: 'string', pattern: '^[a-z]{2,4}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$' };
const compactJws = { type: 'string', pattern: '^[a-zA-Z0-9_-]+\\.[a-zA-Z0-9_-]*\\.[a-zA-Z0-9_-]+$' };

const identifierTypes =
  'name sourcedId systemId productId userName accountId emailAddress nationalIdentityNumber isbn issn lisSourcedId ' +
  'oneRosterSourcedId sisSourcedId ltiContextId ltiDeploymentId ltiToolId ltiPlatformId ltiUserId identifier';

/** The extensible vocabularies, by the members whose values they are. */
const vocabularies: Readonly<Record<string, readonly string[]>> = {
  achievementType: (
    'Achievement ApprenticeshipCertificate Assessment Assignment AssociateDegree Award Badge BachelorDegree Certificate ' +
    'CertificateOfCompletion Certification CommunityService Competency Course CoCurricular Degree Diploma DoctoralDegree ' +
    'Fieldwork GeneralEducationDevelopment JourneymanCertificate LearningProgram License Membership ' +
    'ProfessionalDoctorate QualityAssuranceCredential MasterCertificate MasterDegree MicroCredential ResearchDoctorate ' +
    'SecondarySchoolDiploma'
  ).split(' '),
  targetType: 'ceasn:Competency ceterms:Credential CFItem CFRubric CFRubricCriterion CFRubricCriterionLevel CTDL'.split(
    ' ',
  ),
  resultType: (
    'GradePointAverage LetterGrade Percent PerformanceLevel PredictedScore RawScore Result RubricCriterion ' +
    'RubricCriterionLevel RubricScore ScaledScore Status'
  ).split(' '),
  identifierType: identifierTypes.split(' '),
  identityType: identifierTypes.split(' '),
};

/**
 * The violations of `openBadgeRule` as people read them: the first one of each place says the most, and what only sums
 * others up says nothing.
 */
export function openBadgeFaults(violations: readonly Violation[]): readonly Violation[] {
  const first = new Map<string, Violation>();
  for (const { pointer, message } of violations) {
    const isSummary = /^must match (?:a schema in anyOf|"(?:then|else)" schema)$/.test(message);
    if (isSummary || first.has(pointer)) continue;
    const words = message.startsWith('must be one of') ? vocabularies[stepsOf(pointer).at(-1) ?? ''] : undefined;
    first.set(pointer, {
      pointer,
      message: words ? `must be one of ${words.join(', ')}, or begin with ext:` : message,
    });
  }
  return [...first.values()];
}

function ref(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function oneOrList(one: JsonSchema): JsonSchema {
  return { ...one, type: ['object', 'array'], items: { ...one, type: 'object' } };
}

/** A type, or a list of types that holds it. */
function typed(name: string): JsonSchema {
  return { anyOf: [{ const: name }, { type: 'array', items: text, contains: { const: name } }] };
}

function wordOf(member: string): JsonSchema {
  return { type: 'string', anyOf: [{ enum: vocabularies[member] }, { pattern: '^ext:[A-Za-z0-9._-]+$' }] };
}

/** A class that may be extended. */
function open(type: string, required: readonly string[], properties: Properties): JsonSchema {
  return { type: 'object', required: ['type', ...required], properties: { type: typed(type), ...properties } };
}

/** A class with no other members and this type alone. */
function closed(type: string, required: readonly string[], properties: Properties): JsonSchema {
  return {
    type: 'object',
    required: ['type', ...required],
    properties: { type: { const: type }, ...properties },
    additionalProperties: false,
  };
}

function named(required: readonly string[]): JsonSchema {
  return { type: 'object', required, properties: { id: uri, type: text } };
}

/** Members of every verifiable credential. */
const ofCredentials = {
  credentialSchema: oneOrList(named(['id', 'type'])),
  refreshService: named(['id', 'type']),
  termsOfUse: oneOrList(named(['type'])),
};
const endorsed = { endorsement: list(ref('EndorsementCredential')), endorsementJwt: list(compactJws) };
const described = { name: text, description: string };

const PROFILE: JsonSchema = {
  required: ['id', 'type'],
  properties: {
    id: uri,
    type: typed('Profile'),
    ...described,
    ...endorsed,
    url: uri,
    phone: string,
    image: ref('Image'),
    email: string,
    address: ref('Address'),
    otherIdentifier: list(ref('IdentifierEntry')),
    official: string,
    parentOrg: ref('Profile'),
    familyName: string,
    givenName: string,
    additionalName: string,
    patronymicName: string,
    honorificPrefix: string,
    honorificSuffix: string,
    familyNamePrefix: string,
    dateOfBirth: { type: 'string', format: 'date' },
  },
};

const VC_2 = 'https://www.w3.org/ns/credentials/v2';

/** Of somebody else, in the second version of the W3C data model or in the first one. */
const endorsementCredential: JsonSchema = {
  type: 'object',
  required: ['@context', 'id', 'type', 'name', 'credentialSubject', 'issuer'],
  properties: {
    '@context': {
      type: 'array',
      minItems: 2,
      prefixItems: [
        { enum: [VC_2, 'https://www.w3.org/2018/credentials/v1'] },
        { type: 'string', pattern: '^https://purl\\.imsglobal\\.org/spec/ob/v3p0/context(-3\\.\\d+\\.\\d+)?\\.json$' },
      ],
      items: { type: ['string', 'object'] },
    },
    id: uri,
    type: { allOf: [typed('VerifiableCredential'), typed('EndorsementCredential')] },
    ...described,
    credentialSubject: open('EndorsementSubject', ['id'], { id: uri, endorsementComment: string }),
    awardedDate: dateTime,
    issuer: { type: ['string', 'object'], format: 'uri', ...PROFILE },
    validFrom: dateTime,
    validUntil: dateTime,
    issuanceDate: dateTime,
    expirationDate: dateTime,
    proof: oneOrList(ref('Proof')),
    credentialStatus: named(['id', 'type']),
    ...ofCredentials,
  },
  if: { properties: { '@context': { prefixItems: [{ const: VC_2 }] } } },
  then: { required: ['validFrom'] },
  else: { required: ['issuanceDate'], properties: { issuer: { type: 'object' } } },
};

const classes: Properties = {
  Achievement: open('Achievement', ['id', 'name', 'description', 'criteria'], {
    id: uri,
    ...described,
    criteria: { type: 'object', properties: { id: uri, narrative: string } },
    achievementType: wordOf('achievementType'),
    alignment: list(ref('Alignment')),
    creator: ref('Profile'),
    creditsAvailable: number,
    ...endorsed,
    fieldOfStudy: string,
    humanCode: string,
    image: ref('Image'),
    inLanguage: language,
    otherIdentifier: list(ref('IdentifierEntry')),
    related: list(open('Related', ['id'], { id: uri, inLanguage: language, version: string })),
    resultDescription: list(ref('ResultDescription')),
    specialization: string,
    tag: list(string),
    version: string,
  }),
  Address: open('Address', [], {
    addressCountry: string,
    addressCountryCode: string,
    addressRegion: string,
    addressLocality: string,
    streetAddress: string,
    postOfficeBoxNumber: string,
    postalCode: string,
    geo: {
      type: 'object',
      required: ['type', 'latitude', 'longitude'],
      properties: { type: { const: 'GeoCoordinates' }, latitude: number, longitude: number },
    },
  }),
  Alignment: open('Alignment', ['targetName', 'targetUrl'], {
    targetCode: string,
    targetDescription: string,
    targetName: string,
    targetFramework: string,
    targetType: wordOf('targetType'),
    targetUrl: uri,
  }),
  EndorsementCredential: endorsementCredential,
  IdentifierEntry: closed('IdentifierEntry', ['identifier', 'identifierType'], {
    identifier: string,
    identifierType: wordOf('identifierType'),
  }),
  Image: closed('Image', ['id'], { id: uri, caption: string }),
  Profile: { type: 'object', ...PROFILE },
  Proof: {
    required: ['type'],
    properties: {
      type: text,
      created: dateTime,
      cryptosuite: string,
      challenge: string,
      domain: string,
      nonce: string,
      proofPurpose: string,
      proofValue: string,
      verificationMethod: uri,
    },
  },
  ResultDescription: open('ResultDescription', ['id', 'name', 'resultType'], {
    id: uri,
    name: string,
    resultType: wordOf('resultType'),
    alignment: list(ref('Alignment')),
    allowedValue: list(string),
    requiredLevel: uri,
    requiredValue: string,
    rubricCriterionLevel: list(
      open('RubricCriterionLevel', ['id', 'name'], {
        id: uri,
        name: string,
        alignment: list(ref('Alignment')),
        description: string,
        level: string,
        points: string,
      }),
    ),
    valueMax: string,
    valueMin: string,
  }),
};

const achievementSubject = open('AchievementSubject', ['achievement'], {
  id: uri,
  achievement: ref('Achievement'),
  activityStartDate: dateTime,
  activityEndDate: dateTime,
  creditsEarned: number,
  identifier: list(
    closed('IdentityObject', ['hashed', 'identityHash', 'identityType'], {
      hashed: { type: 'boolean' },
      identityHash: string,
      identityType: wordOf('identityType'),
      salt: string,
    }),
  ),
  image: ref('Image'),
  licenseNumber: string,
  narrative: string,
  result: list(
    open('Result', [], {
      achievedLevel: uri,
      alignment: list(ref('Alignment')),
      resultDescription: uri,
      status: { enum: ['Completed', 'Enrolled', 'Failed', 'InProgress', 'OnHold', 'Provisional', 'Withdrew'] },
      value: string,
    }),
  ),
  role: string,
  source: ref('Profile'),
  term: string,
});

const properties: Properties = {
  id: uri,
  ...described,
  image: ref('Image'),
  awardedDate: dateTime,
  evidence: list(
    open('Evidence', [], {
      id: uri,
      narrative: string,
      name: string,
      description: string,
      genre: string,
      audience: string,
    }),
  ),
  ...endorsed,
  ...ofCredentials,
  credentialSubject: achievementSubject,
};

/** What a portal may submit in `credential`. */
export const openBadgeProperties: readonly string[] = Object.keys(properties);

/**
 * What a portal submits of an AchievementCredential: every class of the data model of 1EdTech Open Badges 3.0 (appendix
 * B.1) that can occur in it. Context, types, issuer, dates and status are ours. Written after the tables of the standard,
 * as the licence of 1EdTech's own schema file lets nobody pass it on who has not registered there; stricter than that file
 * where the tables are: their URIs are checked to be URIs.
 */
export const openBadgeRule: ClaimsRule = {
  id: 'open-badges-3.0',
  schema: {
    type: 'object',
    required: ['id', 'credentialSubject'],
    properties,
    additionalProperties: false,
    $defs: classes,
  },
};

/**
 * What is wrong with claims as the subject of an Open Badge, where they are all that there is of it, as in a template that was
 * stored before its type made a badge of it; nothing in other data models. Throws as `violationsOf`.
 */
export async function subjectFaults(
  { dataModel }: { readonly dataModel?: string },
  claims: JsonObject,
): Promise<readonly Violation[]> {
  if (dataModel !== 'open-badges-3.0') return [];
  const around = '/credentialSubject';
  const badge = { id: 'urn:uuid:00000000-0000-0000-0000-000000000000', credentialSubject: claims };
  const violations = openBadgeFaults(await violationsOf(openBadgeRule, badge, ''));
  return violations.map(({ pointer, message }) => ({ pointer: pointer.slice(around.length), message }));
}
