import type { IssueListQuery } from '../streams/aggregate';
import type { ListPosition } from './cursor';
import { inFullOrder, type ListedAggregate, listedColumns } from './list-statement';
import type { Statement } from '../database/sql-driver';
import { inRange, withoutIndex } from './time-conditions';

/** As in the migrations of the indexes. */
const memberOf = (name: string): string => `(case category when 'credential' then state->>'${name}' end)`;
const memberOfTenants = (name: string): string => `(state->>'${name}')`;

/**
 * A page and one row more, the latest issue first: a range of the index of all that was issued, or of the index by the member
 * that the query names. Everything else that is asked for is a condition that no index serves, which leaves the planner no choice.
 */
export function issueListStatement(
  { category, ofTenant, isListedByIssue }: ListedAggregate,
  query: IssueListQuery,
  after: ListPosition | undefined,
): Statement {
  if (isListedByIssue !== true) throw new Error(`Streams of the category "${category}" have no index by their issue.`);
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const member = ofTenant === undefined ? memberOf : memberOfTenants;
  const issuedAt = member('issuedAt');
  const sorted = `(${issuedAt} collate "C")`;
  const { by, where } = query;
  const issued = inRange('issued', sorted, 'text', query.issued, bind);
  const created = withoutIndex(query.created, bind);
  const conditions = [
    ...(ofTenant === undefined ? [] : [`category like '${category}~%'`, `category = ${bind(ofTenant)}`]),
    // The condition of the index. To name the category alone would leave the planner the choice of another one. Tenants have no index by a
    // member.
    ...(by === undefined || ofTenant !== undefined ? [`${issuedAt} is not null`] : []),
    ...(by === undefined
      ? []
      : [`${member(by.member)} is not null`, `(${member(by.member)} collate "C") = ${bind(by.value)}::text`]),
    ...issued.conditions,
    ...created.conditions,
    ...(where === undefined ? [] : [`state @> ${bind(JSON.stringify(where))}::text::jsonb`]),
    ...(after === undefined
      ? []
      : [`(${sorted}, stream_id) < (${bind(after.sortedBy)}::text, ${bind(after.streamId)}::text)`]),
  ];
  const name = [
    'list-by-issue',
    ...(ofTenant === undefined ? [] : ['t']),
    ...(by === undefined ? [] : [by.member]),
    ...issued.names,
    ...created.names,
    ...(where === undefined ? [] : ['where']),
    ...(after === undefined ? [] : ['after']),
  ];
  const selection = `select ${listedColumns}, state->>'issuedAt' as sorted_by from streams where ${conditions.join(' and ')}`;
  const limit = `${bind(query.limit + 1)}::integer`;
  const text = inFullOrder(selection, { by: sorted, as: 'sorted_by collate "C"', direction: 'desc', limit });
  return { name: name.join('-'), text, values };
}
