import { OAuthError } from './oauth-error';
import { member, type WireObject } from './wire-object';

const LONGEST_NAME = 2_048;

/** The one name of the type in a credential request by format. @param what it names the type of. @throws OAuthError */
export function readTypeName(body: WireObject, key: string, format: string, what: string): string {
  const name = readName(body, key);
  if (name !== undefined) return name;
  throw new OAuthError(
    'invalid_credential_request',
    `A request by format ${format} must name the ${key} of the ${what}.`,
    { reason: 'type-missing' },
  );
}

/** A name in a credential request; undefined when absent. @throws OAuthError invalid_credential_request. */
export function readName(body: WireObject, key: string): string | undefined {
  const value = member(body, key);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_NAME) {
    throw new OAuthError(
      'invalid_credential_request',
      `${key} must be a non-empty string of at most ${LONGEST_NAME} characters.`,
      { reason: 'name-malformed' },
    );
  }
  return value;
}
