import type { Aggregate, DomainEvent, StateListQuery, StatusRange } from '../streams/aggregate';
import type { ListPosition } from './cursor';
import { type ListedAggregate, listedColumns } from './list-statement';
import type { Statement } from '../database/sql-driver';
import { withoutIndex } from './time-conditions';

type StateIndex = NonNullable<Aggregate<unknown, DomainEvent>['stateIndex']>;

/** Texts with an index of that name: status, space, time of expiry. They have to be the same as in its migration. */
const indexed = {
  offers_by_state: `((case when state ? 'isPublic' and state->>'status' = 'open' then 'online' else state->>'status' end)
    || ' ' || (state->>'expiresAt')) collate "C"`,
  authorization_requests_by_status: `((state->>'status') || ' ' || (state->>'expiresAt')) collate "C"`,
  approvals_by_status: `((state->>'status') || ' ' || (state->>'expiresAt')) collate "C"`,
  authorizations_by_status: `((state->>'status') || ' ' || (state->>'completableUntil')) collate "C"`,
} satisfies Record<StateIndex, string>;

/** The members of the state that have the time. */
const times = {
  offers_by_state: 'expiresAt',
  authorization_requests_by_status: 'expiresAt',
  approvals_by_status: 'expiresAt',
  authorizations_by_status: 'completableUntil',
} satisfies Record<StateIndex, string>;

/** The clock of the database in the form of `Date.toISOString`, in which times of expiry are stored. */
const now = `to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * A page and one row more, in the order of expiry, the latest first. Each status is one range of the index, read from its
 * end, so a page costs the same however many streams there are and however few of them match.
 */
export function stateListStatement(
  { category, ofTenant, stateIndex }: ListedAggregate,
  { statuses, expiry, where, created, limit }: StateListQuery,
  after: ListPosition | undefined,
): Statement {
  if (stateIndex === undefined) throw new Error(`Streams of the category "${category}" have no index by their state.`);
  const key = indexed[stateIndex];
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}::text`;
  const most = `$${values.push(limit + 1)}::integer`;
  const creation = withoutIndex(created, bind);
  const match = where && `state @> ${bind(JSON.stringify(where))}::jsonb`;
  const [time, stream] = after === undefined ? [] : [bind(after.sortedBy), bind(after.streamId)];
  const asked = statuses.map((one): StatusRange => (typeof one === 'string' ? { status: one, expiry } : one));
  const ranges = asked.map(({ status, expiry: due }) => {
    const prefix = `${bind(status)} || ' '`;
    // No expiry begins with a tilde, which comes after all digits.
    const conditions = [
      // A partial index serves only what names its category, so this is no parameter.
      ...(ofTenant === undefined
        ? [`category = '${category}'`]
        : [`category like '${category}~%'`, `category = ${bind(ofTenant)}`]),
      `${key} > ${prefix}${due === 'future' ? ` || ${now}` : ''}`,
      `${key} <= ${prefix} || ${due === 'past' ? now : `'~'`}`,
      ...(time !== undefined && stream !== undefined
        ? [`(${key}, stream_id) < (${prefix} || ${time}, ${stream})`]
        : []),
      ...(match === undefined ? [] : [match]),
      ...creation.conditions,
    ];
    return `(select ${listedColumns}, state->>'${times[stateIndex]}' as sorted_by from streams
      where ${conditions.join(' and ')} order by ${key} desc fetch first (${most}) rows with ties)`;
  });
  const position = after === undefined ? [] : ['after'];
  // Names of prepared statements end after 63 characters.
  const expiries = asked.map(({ expiry: due = 'any' }) => due.charAt(0)).join('');
  const name = [
    'list',
    stateIndex,
    ...(ofTenant === undefined ? [] : ['t']),
    expiries,
    ...(match === undefined ? [] : ['where']),
    ...creation.names,
    ...position,
  ];
  const text = `select * from (${ranges.join(' union all ')}) as listed
    order by sorted_by collate "C" desc, stream_id desc limit ${most}`;
  return { name: name.join('-'), text, values };
}
