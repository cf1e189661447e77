import type { UnsignedContent } from '@app/credentials';
import type { JsonObject } from '@app/json';
import type { UnsignedCredential } from './credential-input';

const uri = { type: 'string', format: 'uri' };
const text = { type: 'string', minLength: 1 };
const dateTime = { type: 'string', format: 'date-time' };
const image = {
  type: 'object',
  required: ['id', 'type'],
  properties: { id: uri, type: { const: 'Image' }, caption: { type: 'string' } },
};
const objects = { type: 'array', items: { type: 'object' } };

/** A type, or a list of types that holds it. */
function typed(name: string): object {
  return { anyOf: [{ const: name }, { type: 'array', items: text, contains: { const: name } }] };
}

/**
 * What a portal submits of an AchievementCredential, after the tables of the 1EdTech Open Badges 3.0 specification,
 * appendix B (AchievementCredential, AchievementSubject, Achievement, Criteria). Issuer, contexts, types and times are
 * ours.
 */
export const openBadgeRule = {
  id: 'open-badges-3.0',
  schema: {
    type: 'object',
    required: ['id', 'credentialSubject'],
    additionalProperties: false,
    properties: {
      id: uri,
      name: text,
      description: { type: 'string' },
      image,
      awardedDate: dateTime,
      evidence: objects,
      endorsement: objects,
      endorsementJwt: { type: 'array', items: text },
      credentialSubject: {
        type: 'object',
        required: ['type', 'achievement'],
        properties: {
          id: uri,
          type: typed('AchievementSubject'),
          activityStartDate: dateTime,
          activityEndDate: dateTime,
          creditsEarned: { type: 'number' },
          identifier: objects,
          image,
          licenseNumber: { type: 'string' },
          narrative: { type: 'string' },
          result: objects,
          role: { type: 'string' },
          source: { type: 'object' },
          term: { type: 'string' },
          achievement: {
            type: 'object',
            required: ['id', 'type', 'name', 'description', 'criteria'],
            properties: {
              id: uri,
              type: typed('Achievement'),
              name: text,
              description: text,
              criteria: { type: 'object', properties: { id: uri, narrative: { type: 'string' } } },
              achievementType: text,
              alignment: objects,
              creator: { type: 'object' },
              creditsAvailable: { type: 'number' },
              fieldOfStudy: { type: 'string' },
              humanCode: { type: 'string' },
              image,
              inLanguage: { type: 'string' },
              otherIdentifier: objects,
              related: objects,
              resultDescription: objects,
              specialization: { type: 'string' },
              tag: { type: 'array', items: { type: 'string' } },
              version: { type: 'string' },
            },
          },
        },
      },
    },
  },
};

/** What a portal may submit in `credential`. */
export const openBadgeProperties = Object.keys(openBadgeRule.schema.properties);

/** The parts of a valid Open Badge; a badge without a name is called like its achievement. */
export function openBadgeContent(credential: UnsignedCredential): UnsignedContent {
  // The schema has checked the shapes.
  const { id, credentialSubject, ...members } = credential as JsonObject & { id: string };
  const claims = credentialSubject as JsonObject;
  const { name = (claims['achievement'] as JsonObject)['name'] ?? null } = members;
  return { id, claims, members: { ...members, name } };
}
