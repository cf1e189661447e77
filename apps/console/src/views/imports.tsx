import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Import, ImportSummary, Page, Template } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { Kind } from '../parts/kind';
import { Latest } from '../parts/latest';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { Row } from '../parts/rows';
import { addressOf, goTo } from '../place';
import { text } from '../texts';

const start = () => ({ address: addressOf('new-import'), text: text('imports.send') });

export function ImportsView(): VNode {
  return (
    <Latest<ImportSummary>
      title={text('imports.title')}
      start={start()}
      path="imports"
      nothing={text('imports.nothing')}
    >
      {({ importId, templateId, state, createdAt }) => (
        <Row
          key={importId}
          address={addressOf('imports', importId)}
          title={<Kind ids={templateId} />}
          id={importId}
          state={state}
          about={<Moment at={createdAt} />}
        />
      )}
    </Latest>
  );
}

export function NewImportView(): VNode {
  const templates = useResource<Page<Template>>('templates?status=Published&limit=200');
  return (
    <>
      <p class="back">
        <a href={addressOf('imports')}>{text('imports.title')}</a>
      </p>
      <h1>{text('imports.send')}</h1>
      <ResourceView resource={templates}>
        {({ items }) =>
          items.length === 0 ? <p class="nothing">{text('imports.noTemplate')}</p> : <FileForm templates={items} />
        }
      </ResourceView>
    </>
  );
}

function FileForm({ templates }: { readonly templates: readonly Template[] }): VNode {
  const action = useAction();
  const [templateId, choose] = useState(templates[0]?.templateId ?? '');
  const input = useRef<HTMLInputElement>(null);
  const query = `templateId=${encodeURIComponent(templateId)}`;
  const submit = async (): Promise<void> => {
    const file = input.current?.files?.[0];
    if (!file) {
      input.current?.focus();
      return;
    }
    const made = (await action.call('POST', `imports?${query}`, file)) as Import | undefined;
    if (made) goTo(addressOf('imports', made.importId));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div class="field">
        <label for="template">{text('imports.template')}</label>
        <select
          id="template"
          value={templateId}
          onChange={({ currentTarget }) => {
            choose(currentTarget.value);
          }}
        >
          {templates.map((one) => (
            <option key={one.templateId} value={one.templateId}>
              {one.title}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="file">{text('imports.file')}</label>
        <input id="file" ref={input} type="file" accept=".csv,.xlsx,text/csv" required aria-describedby="file-notes" />
        <p id="file-notes" class="hint">
          {text('imports.fileHint')}
        </p>
      </div>
      <ProblemNotice problem={action.problem} />
      <div class="actions">
        <button class="button primary" type="submit" disabled={action.isRunning}>
          {text('imports.send')}
        </button>
        <button
          class="button"
          type="button"
          onClick={() => void action.download(`imports/sample.csv?${query}`, 'sample.csv')}
        >
          {text('imports.sample')}
        </button>
      </div>
    </form>
  );
}
