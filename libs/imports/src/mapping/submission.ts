import { hasAtMost, hiddenFault, isExactNumber, type JsonObject, type JsonValue, stepsOf } from '@app/primitives/json';
import { asciiMailAddress } from '@app/offers';
import type { Cell } from '../reading/table';
import { writtenDate, datesText, type ImportLocale, writtenNumber, numbersText } from './locales';
import type { Mapping } from './mapping';
import type { ColumnTarget } from './targets';

/** What is wrong with a row: in one of its columns, where it is known. */
export interface RowFault {
  /** The place of the column, from 1. */
  readonly column?: number | undefined;
  /** As in a mapping. */
  readonly to?: string | undefined;
  /** What the value has to be, beginning with a verb. Holds nothing of any row. */
  readonly message: string;
}

/** What a row says of one credential. */
export interface RowSubmission {
  readonly claims: JsonObject;
  readonly reference?: string;
  /** RFC 3339, or `never`. */
  readonly expiresAt?: string;
  /** Whom the offer is handed over to. */
  readonly email?: string;
  readonly name?: string;
  readonly faults: readonly RowFault[];
}

interface Plan {
  readonly mapping: Mapping;
  readonly targets: readonly ColumnTarget[];
  readonly constants: ReadonlyMap<string, JsonValue>;
}

const longestReference = 100;
const longestName = 200;
const longestAddress = 254;

type Besides = 'reference' | 'expiresAt' | 'email' | 'name';
const isBesides = (to: string): to is Besides => ['reference', 'expiresAt', 'email', 'name'].includes(to);

type Value = { readonly value: JsonValue } | { readonly fault: string };

/** Reads a row. An empty cell says nothing. */
export function submissionOf(cells: readonly Cell[], { mapping, targets, constants }: Plan): RowSubmission {
  const byName = new Map(targets.map((target) => [target.to, target]));
  const claims: JsonObject = {};
  const besides: { [Name in Besides]?: string } = {};
  const faults: RowFault[] = [];
  for (const [index, to] of mapping.columns.entries()) {
    const target = to === null ? undefined : byName.get(to);
    const cell = trimmed(cells[index] ?? '');
    if (!target || cell === '') continue;
    const read = valueOf(cell, target, mapping.locale);
    if ('fault' in read) faults.push({ column: index + 1, to: target.to, message: read.fault });
    else if (isBesides(target.to)) besides[target.to] = plainText(read.value);
    else put(claims, target.to, read.value);
  }
  for (const [pointer, value] of constants) if (!mapping.columns.includes(pointer)) put(claims, pointer, value);
  return { claims, ...besides, faults };
}

function plainText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function trimmed(cell: Cell): Cell {
  return typeof cell === 'string' ? cell.trim() : cell;
}

function valueOf(cell: Cell, { kind, to }: ColumnTarget, locale: ImportLocale | undefined): Value {
  const text = String(cell);
  const hidden = hiddenFault(text);
  if (hidden !== undefined) return { fault: hidden };
  if (text.includes('\0')) return { fault: 'must not contain the character U+0000' };
  switch (kind) {
    case 'text':
      if (to === 'name') return lineIn(text, longestName);
      return to === 'reference' ? lineIn(text, longestReference) : { value: text };
    case 'date': {
      const date = writtenDate(text, locale);
      return date === undefined ? { fault: `must be a date ${datesText(locale)}` } : { value: date };
    }
    case 'date-time': {
      const date = writtenDate(text, locale);
      return { value: date === undefined ? text : `${date}T00:00:00Z` };
    }
    case 'integer':
    case 'number':
      return numberOf(cell, locale, kind);
    case 'boolean':
      return booleanOf(cell);
    case 'list':
      return { value: text.split(/\s*(?:\||\r?\n)\s*/u).filter((one) => one !== '') };
    case 'expiry':
      return expiryOf(text, locale);
    case 'mail':
      if (text.length <= longestAddress && asciiMailAddress(text) !== undefined) return { value: text };
      return { fault: 'must be one e-mail address such as erika@example.org, without a name' };
  }
}

function lineIn(text: string, most: number): Value {
  if (!hasAtMost(text, most)) return { fault: `must have at most ${most} characters` };
  return /\p{Cc}/u.test(text) ? { fault: 'must be one line' } : { value: text };
}

function numberOf(cell: Cell, locale: ImportLocale | undefined, kind: 'integer' | 'number'): Value {
  const text = typeof cell === 'number' ? String(cell) : writtenNumber(String(cell), locale);
  if (text === undefined) return { fault: `must be a number ${numbersText(locale)}` };
  if (!isExactNumber(text)) return { fault: 'has more digits than a number holds exactly' };
  const value = Number(text);
  return kind === 'integer' && !Number.isInteger(value) ? { fault: 'must be a whole number' } : { value };
}

function booleanOf(cell: Cell): Value {
  if (typeof cell === 'boolean') return { value: cell };
  const text = String(cell).toLowerCase();
  if (text === 'true' || text === '1') return { value: true };
  return text === 'false' || text === '0' ? { value: false } : { fault: 'must be true or false' };
}

function expiryOf(text: string, locale: ImportLocale | undefined): Value {
  if (text.toLowerCase() === 'never') return { value: 'never' };
  const date = writtenDate(text, locale);
  // The day is the last one.
  return { value: date === undefined ? text : `${date}T23:59:59Z` };
}

function put(claims: JsonObject, pointer: string, value: JsonValue): void {
  const steps = stepsOf(pointer);
  const last = steps.pop();
  let place: JsonObject = claims;
  for (const step of steps) {
    const below = Object.hasOwn(place, step) ? place[step] : undefined;
    const inside: JsonObject = typeof below === 'object' && below !== null && !Array.isArray(below) ? below : {};
    define(place, step, inside);
    place = inside;
  }
  if (last !== undefined) define(place, last, value);
}

/** Also a name that objects inherit. */
function define(place: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(place, name, { value, enumerable: true, configurable: true, writable: true });
}
