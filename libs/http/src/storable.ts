import { escapePointer } from '@app/credentials';
import type { Violation } from '@app/problem-details';

/**
 * What of a parsed JSON value would not come back from the database as it was sent: U+0000, which PostgreSQL stores
 * neither in text nor in jsonb, and numbers that a double does not hold (RFC 7493 §2.2). Nobody's number may change
 * silently between portal and credential.
 */
export function unstorable(value: unknown, pointer = ''): Violation[] {
  if (typeof value === 'string') return value.includes('\0') ? [nul(pointer)] : [];
  if (typeof value === 'number') return isExact(value) ? [] : [inexact(pointer)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = `${pointer}/${escapePointer(name)}`;
    return [...(name.includes('\0') ? [nul(place)] : []), ...unstorable(member, place)];
  });
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function nul(pointer: string): Violation {
  return { pointer, message: 'must not contain the character U+0000' };
}

function inexact(pointer: string): Violation {
  return { pointer, message: 'is a number beyond 2^53 - 1, which not every reader holds exactly: send it as text' };
}
