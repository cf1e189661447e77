import type { JsonObject } from '@app/primitives/json';

/**
 * The claims of whoever logs in by the development form, which believes anything: the standard claims of OpenID Connect,
 * made from what was typed as name (`ada.lovelace` is Ada Lovelace), so that a developer recognizes each test person.
 */
export function developmentClaims(username: string): JsonObject {
  const [first = 'Test', ...others] = username
    .replace(/@.*$/u, '')
    .split(/[\s._-]+/u)
    .filter((part) => part !== '')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1));
  const last = others.length === 0 ? 'Example' : others.join(' ');
  return {
    sub: username,
    preferred_username: username,
    name: `${first} ${last}`,
    given_name: first,
    family_name: last,
    birthdate: '1990-01-01',
    email: username.includes('@') ? username : `${encodeURIComponent(username)}@example.com`,
  };
}
