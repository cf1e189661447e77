import { escapePointer, inexactNumbers } from '@app/primitives/json';
import type { Violation } from '@app/primitives/problems';

/** Where a parsed JSON value holds U+0000, which PostgreSQL stores neither in text nor in jsonb. */
export function unstorable(value: unknown, pointer = ''): Violation[] {
  if (typeof value === 'string') return value.includes('\0') ? [nul(pointer)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = `${pointer}/${escapePointer(name)}`;
    return [...(name.includes('\0') ? [nul(place)] : []), ...unstorable(member, place)];
  });
}

/** No number may change silently between portal and credential. @param json the text of a body that is JSON */
export function changedNumbers(json: string): Violation[] {
  return inexactNumbers(json).map((pointer) => ({
    pointer,
    message:
      'is a number that not every reader holds exactly (beyond 2^53 - 1, or more than 15 to 17 digits): send it as text',
  }));
}

function nul(pointer: string): Violation {
  return { pointer, message: 'must not contain the character U+0000' };
}
