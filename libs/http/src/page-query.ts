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
    throw fault('/limit', `must be a whole number from 1 to ${largestLimit}`);
  }
  if (cursor === undefined) return { limit: wanted };
  if (typeof cursor !== 'string' || cursor.length > 1024) {
    throw fault('/cursor', 'must be the nextCursor of an earlier answer');
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
  if (choice === undefined) throw fault(`/${name}`, `must be one of ${choices.join(', ')}`);
  return choice;
}

/** A number from 1 to 999 in decimal digits. `Number` alone also reads `0x10`, `1e2` and ` 50`. */
function wholeNumberIn(text: unknown): number | undefined {
  return typeof text === 'string' && /^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined;
}

function fault(pointer: string, message: string): Problem {
  return new Problem('validation-failed', `The query has a fault: ${pointer.slice(1)} ${message}.`, [
    { pointer, message },
  ]);
}
