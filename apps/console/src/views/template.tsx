import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Configuration, Template } from '../api/resources';
import { type Action, useAction, useResource } from '../api/use-api';
import { ApprovalNotice } from '../parts/approval-notice';
import { Badge } from '../parts/badge';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { Technical } from '../parts/technical';
import { Facts } from '../parts/value';
import { addressOf, goTo } from '../place';
import { IssueOrRequest } from './templates';
import { RichText } from '../parts/rich-text';
import { numberText, periodText, text } from '../texts';

export function TemplateView({ templateId }: { readonly templateId: string }): VNode {
  const path = `templates/${encodeURIComponent(templateId)}`;
  const template = useResource<Template>(path);
  const action = useAction();
  const [asked, setAsked] = useState<unknown>();
  const change = async (name: string): Promise<void> => {
    const answer = await action.call('POST', `${path}/${name}`);
    setAsked(answer);
    if (answer !== undefined) template.reload();
  };
  return (
    <>
      <p class="back">
        <a href={addressOf('templates')}>{text('common.templates')}</a>
      </p>
      <ResourceView resource={template}>
        {({ title, status, schema, templateId: id, description, expiration, revocable, fourEyes, ...facts }) => (
          <>
            <div class="title">
              <h1>{title}</h1>
              <Badge state={status} />
            </div>
            <div class="actions">
              {status === 'Published' && <IssueOrRequest id={id} />}
              {(status === 'Draft' || status === 'Archived') && (
                <button class="primary" type="button" onClick={() => void change('publish')}>
                  {text('templates.publish')}
                </button>
              )}
              {(status === 'Draft' || status === 'Published') && (
                <button type="button" onClick={() => void change('archive')}>
                  {text('templates.archive')}
                </button>
              )}
              {(status === 'Draft' || status === 'Published') && (
                <a class="button" href={addressOf('change-template', id)}>
                  {text('templates.change')}
                </a>
              )}
              <DuplicateOrDelete path={path} status={status} action={action} />
            </div>
            <ProblemNotice problem={action.problem} />
            <ApprovalNotice answer={asked} />
            {status === 'Published' && <NotRegistered templateId={id} />}
            <Facts
              facts={[
                [text('designs.description'), description],
                [text('templates.validity'), periodText(expiration)],
                [text('templates.revocable'), text(revocable ? 'forms.yes' : 'forms.no')],
                [text('designs.two'), approvedByTwo(fourEyes)],
              ]}
            />
            <Technical facts={[['templateId', id], ...Object.entries({ expiration, fourEyes, ...facts })]} />
            <details>
              <summary id="schema">{text('templates.schema')}</summary>
              <pre role="region" aria-labelledby="schema" tabIndex={0}>
                {JSON.stringify(schema, null, 2)}
              </pre>
            </details>
          </>
        )}
      </ResourceView>
    </>
  );
}

/** What a second person has to approve. */
function approvedByTwo({ revoke, publish, bulkOver }: NonNullable<Template['fourEyes']> = {}): readonly string[] {
  return [
    ...(revoke ? [text('designs.twoRevoke')] : []),
    ...(publish ? [text('designs.twoPublish')] : []),
    ...(bulkOver === undefined ? [] : [`${text('designs.twoRows')} ${numberText(bulkOver)}`]),
  ];
}

/** Says so where the registration certificate of the issuer does not list the type. */
function NotRegistered({ templateId }: { readonly templateId: string }): VNode | null {
  const path = `credential_configurations/${encodeURIComponent(templateId)}`;
  const { value: configuration } = useResource<Configuration>(path);
  if (configuration?.registered !== false) return null;
  return (
    <div class="problem">
      <p>
        <RichText
          of="templates.registrationMissing"
          with={{ registration: <a href={addressOf('registration')}>{text('templates.registrationWord')}</a> }}
        />
      </p>
    </div>
  );
}

interface DuplicateOrDeleteProps {
  readonly path: string;
  readonly status: Template['status'];
  readonly action: Action;
}

function DuplicateOrDelete({ path, status, action }: DuplicateOrDeleteProps): VNode {
  const duplicate = async (): Promise<void> => {
    const copy = (await action.call('POST', `${path}/duplicate`, {})) as Template | undefined;
    if (copy) goTo(addressOf('templates', copy.templateId));
  };
  const remove = async (): Promise<void> => {
    if (!confirm(text('templates.deleteConfirm'))) return;
    if ((await action.call('DELETE', path)) !== undefined) goTo(addressOf('templates'));
  };
  return (
    <>
      <button type="button" onClick={() => void duplicate()}>
        {text('templates.duplicate')}
      </button>
      {(status === 'Draft' || status === 'Archived') && (
        <button class="danger" type="button" onClick={() => void remove()}>
          {text('templates.delete')}
        </button>
      )}
    </>
  );
}
