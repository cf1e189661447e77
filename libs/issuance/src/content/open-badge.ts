import type { UnsignedContent } from '@app/credentials';
import type { JsonObject } from '@app/primitives/json';
import type { UnsignedCredential } from './credential-input';

/** The parts of a valid Open Badge; a badge without a name is called like its achievement. */
export function openBadgeContent(credential: UnsignedCredential): UnsignedContent {
  // The schema has checked the shapes.
  const { id, credentialSubject, ...members } = credential as JsonObject & { id: string };
  const claims = credentialSubject as JsonObject;
  const { name = (claims['achievement'] as JsonObject)['name'] ?? null } = members;
  return { id, claims, members: { ...members, name } };
}
