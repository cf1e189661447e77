import type { TimeRange } from '../streams/aggregate';

type Bind = (value: unknown) => string;

/** Parts of a prepared statement and of its name. */
export interface TimeConditions {
  readonly conditions: readonly string[];
  readonly names: readonly string[];
}

/** @param time SQL, compared with bound texts as `type`; half-open, so that ranges next to each other have no row in common */
export function inRange(
  name: string,
  time: string,
  type: 'timestamptz' | 'text',
  { from, until }: TimeRange = {},
  bind: Bind,
): TimeConditions {
  const bound = (value: Date): string => `${bind(value.toISOString())}::text${type === 'text' ? '' : `::${type}`}`;
  const isUnbounded = from === undefined && until === undefined;
  return {
    conditions: [
      ...(from === undefined ? [] : [`${time} >= ${bound(from)}`]),
      ...(until === undefined ? [] : [`${time} < ${bound(until)}`]),
    ],
    // The name of a prepared statement has 63 characters at most.
    names: isUnbounded ? [] : [`${name}${from === undefined ? '' : '>'}${until === undefined ? '' : '<'}`],
  };
}

/**
 * The creation of a stream where another index gives the order. A condition on the bare column would let the planner read
 * everything that was created in the range and sort it: it has no idea how much that is.
 */
export function withoutIndex(created: TimeRange | undefined, bind: Bind): TimeConditions {
  return inRange('created', "(created_at + interval '0')", 'timestamptz', created, bind);
}
