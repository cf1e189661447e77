import type { VNode } from 'preact';
import type { Approval, Page } from '../api/resources';
import { useResource } from '../api/use-api';
import { Kind } from '../parts/kind';
import { Moment } from '../parts/moment';
import { Person } from '../parts/person';
import { ResourceView } from '../parts/resource-view';
import { Row, Rows } from '../parts/rows';
import { addressOf } from '../place';
import { text, type TextKey } from '../texts';

const every = 4_000;

const actions = {
  'credential.revoke': 'approvals.revoke',
  'template.publish': 'approvals.publish',
  'template.change': 'approvals.change',
  'import.start': 'approvals.import',
} as const satisfies Record<Approval['action'], TextKey>;

export const actionText = ({ action }: Approval): string => text(actions[action]);

/** What waits for a second person, and what was decided lately. */
export function ApprovalsView(): VNode {
  const open = useResource<Page<Approval>>('approvals?state=open&limit=200', every);
  const latest = useResource<Page<Approval>>('approvals?limit=50', every);
  return (
    <>
      <div class="title">
        <h1>{text('approvals.title')}</h1>
      </div>
      <h2>{text('approvals.waiting')}</h2>
      <ResourceView resource={open}>
        {({ items }) => <ApprovalRows items={items} nothing={text('approvals.nothingWaits')} />}
      </ResourceView>
      <h2>{text('approvals.decided')}</h2>
      <ResourceView resource={latest}>
        {({ items }) => (
          <ApprovalRows items={items.filter(({ state }) => state !== 'open')} nothing={text('approvals.none')} />
        )}
      </ResourceView>
    </>
  );
}

function ApprovalRows({ items, nothing }: { readonly items: readonly Approval[]; readonly nothing: string }): VNode {
  return (
    <Rows items={items} nothing={nothing}>
      {(approval) => (
        <Row
          key={approval.approvalId}
          address={addressOf('approvals', approval.approvalId)}
          title={
            <>
              {actionText(approval)}: <Kind ids={approval.templateId} />
            </>
          }
          state={approval.state}
          about={
            <>
              <Person of={approval.requestedBy} /> · <Moment at={approval.requestedAt} />
            </>
          }
        />
      )}
    </Rows>
  );
}
