import type { TimeRange } from '@app/event-store';
import type { Violation } from '@app/primitives/problems';
import { isDateTime } from '@app/primitives/time';

/** The range between two times of a query whose constraints hold; `undefined` without either of them. */
export function timeRange(after: string | undefined, before: string | undefined): TimeRange | undefined {
  if (after === undefined && before === undefined) return undefined;
  return { from: momentOf(after), until: momentOf(before) };
}

/** For `is.Holds`: the second time of each pair has to come later. */
export function timesInOrder(...pairs: readonly (readonly [after: string, before: string])[]) {
  return (query: object): Violation[] => {
    const given = query as Readonly<Record<string, unknown>>;
    return pairs.flatMap(([after, before]) => {
      const [from, until] = [given[after], given[before]];
      if (!isDateTime(from) || !isDateTime(until)) return [];
      const isEmpty = timeOf(until) <= timeOf(from);
      return isEmpty ? [{ pointer: `/${before}`, message: `must be later than ${after}` }] : [];
    });
  };
}

function momentOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(timeOf(text));
}

function timeOf(text: string): number {
  return Date.parse(text.toUpperCase());
}
