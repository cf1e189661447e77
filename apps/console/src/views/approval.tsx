import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Approval, Template } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { changeTexts, type TemplateDraft } from '../form/template-changes';
import { Badge } from '../parts/badge';
import { Kind } from '../parts/kind';
import { Moment } from '../parts/moment';
import { Person } from '../parts/person';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { Technical } from '../parts/technical';
import { TextField } from '../parts/text-field';
import { Facts } from '../parts/value';
import { addressOf } from '../place';
import { text } from '../texts';
import { actionText } from './approvals';

const every = 4_000;

/** One approval: who asks for what, and the decision. */
export function ApprovalView({ approvalId }: { readonly approvalId: string }): VNode {
  const path = `approvals/${encodeURIComponent(approvalId)}`;
  const approval = useResource<Approval>(path, every);
  return (
    <>
      <p class="back">
        <a href={addressOf('approvals')}>{text('approvals.title')}</a>
      </p>
      <ResourceView resource={approval}>
        {(value) => (
          <>
            <div class="title">
              <h1>{actionText(value)}</h1>
              <span role="status">
                <Badge state={value.state} />
              </span>
            </div>
            <AskedFor approval={value} />
            {value.state === 'open' && <Decision path={path} onChange={approval.reload} />}
          </>
        )}
      </ResourceView>
    </>
  );
}

interface Details {
  readonly reason?: string;
  readonly changes?: Partial<TemplateDraft>;
  readonly rows?: number;
}

function AskedFor({ approval }: { readonly approval: Approval }): VNode {
  const { templateId, credentialId, importId, requestedBy, requestedAt, expiresAt, state, decidedBy, decidedAt } =
    approval;
  const { reason, changes, rows } = (approval.details ?? {}) as Details;
  return (
    <>
      <Facts
        facts={[
          [
            text('approvals.template'),
            <a href={addressOf('templates', templateId)}>
              <Kind ids={templateId} />
            </a>,
          ],
          [
            text('approvals.credential'),
            credentialId && <a href={addressOf('credentials', credentialId)}>{text('approvals.seeCredential')}</a>,
          ],
          [
            text('imports.title'),
            importId && <a href={addressOf('imports', importId)}>{text('approvals.seeImport')}</a>,
          ],
          [text('imports.rows'), rows],
          [text('approvals.reason'), reason],
          [text('approvals.changes'), changes && <Changes templateId={templateId} changes={changes} />],
          [text('approvals.askedBy'), <Person of={requestedBy} />],
          [text('approvals.asked'), <Moment at={requestedAt} />],
          [text('approvals.until'), state === 'open' || state === 'expired' ? <Moment at={expiresAt} /> : undefined],
          [text('approvals.decidedBy'), decidedBy && <Person of={decidedBy} />],
          [text('approvals.decidedAt'), decidedAt === undefined ? undefined : <Moment at={decidedAt} />],
          [text('approvals.comment'), approval.comment],
          [text('approvals.outcome'), approval.outcome],
        ]}
      />
      <Technical
        facts={[
          [text('approvals.askedBy'), requestedBy.principal],
          [text('approvals.decidedBy'), decidedBy?.principal],
          [text('credentials.id'), credentialId ?? importId ?? templateId],
          [text('approvals.changes'), changes],
        ]}
      />
    </>
  );
}

interface ChangesProps {
  readonly templateId: string;
  readonly changes: Partial<TemplateDraft>;
}

/** What is different from the template as it is now. */
function Changes({ templateId, changes }: ChangesProps): VNode {
  const template = useResource<Template>(`templates/${encodeURIComponent(templateId)}`);
  return (
    <ResourceView resource={template}>
      {(before) => (
        <ul>
          {changeTexts(before, changes).map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
    </ResourceView>
  );
}

function Decision({ path, onChange }: { readonly path: string; readonly onChange: () => void }): VNode {
  const [comment, setComment] = useState('');
  const action = useAction();
  const decide = async (verdict: 'approve' | 'reject'): Promise<void> => {
    if (verdict === 'approve' && !confirm(text('approvals.confirm'))) return;
    const body = comment.trim() === '' ? {} : { comment };
    if ((await action.call('POST', `${path}/${verdict}`, body)) !== undefined) onChange();
  };
  return (
    <form
      class="narrow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void decide('approve');
      }}
    >
      <ProblemNotice problem={action.problem} />
      <TextField
        id="comment"
        label={text('approvals.comment')}
        value={comment}
        onText={setComment}
        hint={text('approvals.commentHint')}
        rows={3}
      />
      <div class="actions">
        <button class="primary" disabled={action.isRunning}>
          {text('approvals.approve')}
        </button>
        <button class="danger" type="button" disabled={action.isRunning} onClick={() => void decide('reject')}>
          {text('approvals.reject')}
        </button>
      </div>
    </form>
  );
}
