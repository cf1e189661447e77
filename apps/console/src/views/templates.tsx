import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Configuration, Page, Template } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { useKindNames } from '../api/kinds';
import { ApprovalNotice } from '../parts/approval-notice';
import { Kind } from '../parts/kind';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { Row, Rows } from '../parts/rows';
import { addressOf } from '../place';
import { text } from '../texts';

/** Every kind of credential: the templates, and what files provision. */
export function TemplatesView(): VNode {
  const templates = useResource<Page<Template>>('templates?limit=200');
  const configurations = useResource<Page<Configuration>>('credential_configurations');
  const action = useAction();
  const [asked, setAsked] = useState<unknown>();
  const publish = async (id: string): Promise<void> => {
    const answer = await action.call('POST', `templates/${encodeURIComponent(id)}/publish`);
    setAsked(answer);
    if (answer !== undefined) templates.reload();
  };
  return (
    <>
      <div class="title">
        <h1>{text('common.templates')}</h1>
        <a class="button primary" href={addressOf('new-template')}>
          {text('templates.new')}
        </a>
      </div>
      <ProblemNotice problem={action.problem} />
      <ApprovalNotice answer={asked} />
      <ResourceView resource={templates}>
        {({ items }) => (
          <Rows items={items} nothing={text('templates.nothing')}>
            {({ templateId, title, description = '', status }) => (
              <Row
                key={templateId}
                address={addressOf('templates', templateId)}
                title={title}
                id={templateId}
                state={status}
                about={description}
                actions={
                  status === 'Published' ? (
                    <IssueOrRequest id={templateId} />
                  ) : (
                    <button type="button" onClick={() => void publish(templateId)}>
                      {text('templates.publish')}
                    </button>
                  )
                }
              />
            )}
          </Rows>
        )}
      </ResourceView>
      <h2>{text('templates.provisioned')}</h2>
      <ResourceView resource={configurations}>
        {({ items }) => (
          <Rows
            items={items.filter(({ origin }) => origin === 'provisioned')}
            nothing={text('templates.noneProvisioned')}
          >
            {({ id, registered }) => (
              <Row
                key={id}
                title={<Kind ids={id} />}
                about={registered === false ? text('templates.notRegistered') : ''}
                actions={<IssueOrRequest id={id} />}
              />
            )}
          </Rows>
        )}
      </ResourceView>
    </>
  );
}

export function IssueOrRequest({ id }: { readonly id: string }): VNode {
  const credential = useKindNames([id])(id);
  return (
    <>
      <a class="button" href={addressOf('issue', id)} aria-label={text('issue.title', { credential })}>
        {text('templates.issue')}
      </a>
      <a
        class="button"
        href={addressOf('new-request', undefined, { credential: id })}
        aria-label={text('templates.requestOf', { credential })}
      >
        {text('templates.request')}
      </a>
    </>
  );
}
