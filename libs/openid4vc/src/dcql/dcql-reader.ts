import { escapePointer, hasAtMost, meant, unknownName } from '@app/primitives/json';
import { isWireObject, type WireObject } from '../wire/wire-object';

export interface DcqlViolation {
  /** JSON Pointer (RFC 6901) into the query; the empty string is the query itself. */
  readonly pointer: string;
  readonly message: string;
}

/** Everything that is wrong with a DCQL query, at once and in the order of the query; at most 100 entries. */
export class DcqlQueryError extends Error {
  constructor(readonly violations: readonly DcqlViolation[]) {
    super(violations.map(({ pointer, message }) => `${pointer || '/'}: ${message}`).join('\n'));
    this.name = 'DcqlQueryError';
  }
}

const MOST_VIOLATIONS = 100;
export const LONGEST_TEXT = 2_048;
const LONGEST_ID = 128;

/** OpenID4VP 1.0 §6.1: the characters of an id. */
export const ID_PATTERN = `^[A-Za-z0-9_-]{1,${LONGEST_ID}}$`;
const ID = new RegExp(ID_PATTERN);
/** No ids: they would not survive as keys of a plain object. */
export const UNSAFE_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Reads members of a query one by one and remembers what is wrong; a wrong one reads as null. */
export class DcqlReader {
  private readonly violations: DcqlViolation[] = [];

  refuse(pointer: string, message: string): null {
    if (this.violations.length < MOST_VIOLATIONS) this.violations.push({ pointer, message });
    return null;
  }

  /** @throws DcqlQueryError when anything was refused. */
  finish(): void {
    if (this.violations.length > 0) throw new DcqlQueryError(this.violations);
  }

  /**
   * An object with these members and no others: wallets ignore what they do not know (§6), so that a misspelt member would
   * ask for less than was meant.
   * @param needed named in the message about something else than an object. @param optional its other members
   */
  object(
    value: unknown,
    pointer: string,
    needed: readonly string[],
    optional: readonly string[] = [],
  ): WireObject | null {
    if (!isWireObject(value)) {
      const named = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(needed);
      return this.refuse(pointer, `${absence(value)}must be an object with ${named}`);
    }
    const known = [...needed, ...optional];
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      const message = unknownName('member', name, known, this.violations.length);
      this.refuse(`${pointer}/${escapePointer(name)}`, message);
    }
    return value;
  }

  /** A non-empty array; looked into only when it has at most `most` items. */
  items(value: unknown, pointer: string, most: number): readonly unknown[] | null {
    if (!Array.isArray(value)) return this.refuse(pointer, `${absence(value)}must be an array`);
    if (value.length === 0) return this.refuse(pointer, 'must not be empty; leave it out instead');
    if (value.length > most) return this.refuse(pointer, `must have at most ${most} items, not ${value.length}`);
    return value as readonly unknown[];
  }

  /** A non-empty array of non-empty strings. */
  texts(value: unknown, pointer: string, most: number): readonly string[] | null {
    const items = this.items(value, pointer, most);
    return items && sound(items.map((item, index) => this.text(item, `${pointer}/${index}`)));
  }

  text(value: unknown, pointer: string): string | null {
    if (typeof value !== 'string' || value === '')
      return this.refuse(pointer, `${absence(value)}must be a non-empty string`);
    if (!hasAtMost(value, LONGEST_TEXT)) return this.refuse(pointer, `must have at most ${LONGEST_TEXT} characters`);
    return value;
  }

  id(value: unknown, pointer: string): string | null {
    if (typeof value !== 'string' || !ID.test(value)) {
      return this.refuse(
        pointer,
        `${absence(value)}must be 1 to ${LONGEST_ID} letters, digits, underscores or hyphens`,
      );
    }
    return UNSAFE_KEYS.includes(value) ? this.refuse(pointer, `'${value}' cannot be an id; choose another`) : value;
  }

  flag(value: unknown, pointer: string): boolean | null {
    return typeof value === 'boolean' ? value : this.refuse(pointer, 'must be true or false');
  }

  /** Lists of ids (`claim_sets`, `options`), each of which must exist. */
  idLists(
    value: unknown,
    pointer: string,
    most: { readonly lists: number; readonly ids: number },
    known: ReadonlySet<string>,
  ): readonly (readonly string[])[] | null {
    const lists = this.items(value, pointer, most.lists);
    if (lists === null) return null;
    return lists.map((list, index) => {
      const ids = this.items(list, `${pointer}/${index}`, most.ids) ?? [];
      return sound(
        ids.map((id, position) => {
          if (typeof id === 'string' && known.has(id)) return id;
          const message = `${quote(id)} is the id of nothing in this query${meant(id, [...known])}`;
          return this.refuse(`${pointer}/${index}/${position}`, message);
        }),
      );
    });
  }
}

/** A member as written: unlike on the wallet endpoints, null is not taken for an absent member. */
export function own(object: WireObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function quote(value: unknown): string {
  return typeof value === 'string' ? `'${value.slice(0, LONGEST_ID)}'` : typeof value;
}

/** What could be read; everything else has left a violation behind. */
export function sound<T>(values: readonly (T | null)[]): readonly T[] {
  return values.filter((value) => value !== null);
}

function absence(value: unknown): string {
  return value === undefined ? 'is required and ' : '';
}
