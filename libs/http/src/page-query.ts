import { Problem } from '@app/problem-details';

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

const usualLimit = 50;
const largestLimit = 200;

/** Reads `limit` (1 to 200, 50 unless told) and `cursor` of a list. Throws `validation-failed`. */
export function parsePageQuery(query: Readonly<Record<string, unknown>>): PageQuery {
  const { limit, cursor } = query;
  const wanted = limit === undefined ? usualLimit : wholeNumberIn(limit);
  if (wanted === undefined || wanted > largestLimit) {
    throw queryFault('limit', `must be a whole number from 1 to ${largestLimit}`);
  }
  if (cursor === undefined) return { limit: wanted };
  if (typeof cursor !== 'string' || cursor.length > 1024) {
    throw queryFault('cursor', 'must be the nextCursor of an earlier answer');
  }
  return { limit: wanted, cursor };
}

/** Reads a filter that takes one of some words. Throws `validation-failed`. */
export function parseChoice<T extends string>(
  query: Readonly<Record<string, unknown>>,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  const choice = choices.find((one) => one === value);
  if (choice === undefined) throw queryFault(name, `must be one of ${choices.join(', ')}`);
  return choice;
}

/** Reads a filter that takes any text of so many characters at most. Throws `validation-failed`. */
export function parseText(query: Readonly<Record<string, unknown>>, name: string, longest: number): string | undefined {
  const value = query[name];
  if (value === undefined || (typeof value === 'string' && value.length <= longest)) return value;
  throw queryFault(name, `must be given once, with at most ${longest} characters`);
}

/** A number from 1 to 999 in decimal digits. `Number` alone also reads `0x10`, `1e2` and ` 50`. */
function wholeNumberIn(text: unknown): number | undefined {
  return typeof text === 'string' && /^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined;
}

/** What a query parameter is refused with. */
export function queryFault(name: string, message: string): Problem {
  return new Problem('validation-failed', `The query has a fault: ${name} ${message}.`, [
    { pointer: `/${name}`, message },
  ]);
}
