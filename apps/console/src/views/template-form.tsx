import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Template } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { TextField, Tick } from '../parts/text-field';
import { addressOf, goTo } from '../place';

const firstSchema = {
  type: 'object',
  properties: {
    given_name: { type: 'string', title: 'Given name' },
    degree: { type: 'string', title: 'Degree' },
    awarded: { type: 'string', format: 'date', title: 'Awarded on' },
  },
  required: ['given_name', 'degree'],
};

/** A new template is written into the same form as changes to one that exists. */
export function NewTemplateView(): VNode {
  return <TemplateForm template={undefined} />;
}

export function ChangeTemplateView({ templateId }: { readonly templateId: string }): VNode {
  const template = useResource<Template>(`templates/${encodeURIComponent(templateId)}`);
  return <ResourceView resource={template}>{(value) => <TemplateForm template={value} />}</ResourceView>;
}

function TemplateForm({ template }: { readonly template: Template | undefined }): VNode {
  const [title, setTitle] = useState(template?.title ?? '');
  const [templateId, setTemplateId] = useState('');
  const [format, setFormat] = useState('dc+sd-jwt');
  const [schema, setSchema] = useState(() => JSON.stringify(template?.schema ?? firstSchema, null, 2));
  const [expiration, setExpiration] = useState(template?.expiration ?? 'P1Y');
  const [isRevocable, setRevocable] = useState(template?.revocable ?? false);
  const [isPublished, setPublished] = useState(true);
  const [schemaFault, setSchemaFault] = useState<string>();
  const action = useAction();

  const save = async (): Promise<void> => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(schema);
    } catch {
      setSchemaFault('This is not JSON.');
      return;
    }
    setSchemaFault(undefined);
    const content = { title, expiration, schema: parsed, revocable: isRevocable };
    const saved = (await (template
      ? action.call('PATCH', `templates/${encodeURIComponent(template.templateId)}`, changesOf(template, content))
      : action.call('POST', 'templates', {
          ...content,
          ...{ format, status: isPublished ? 'Published' : 'Draft' },
          ...(templateId !== '' && { templateId }),
        }))) as Template | undefined;
    if (saved) goTo(addressOf('templates', saved.templateId));
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <p class="back">
        <a href={addressOf('templates')}>Templates</a>
      </p>
      <h1>{template ? `Change ${template.templateId}` : 'New template'}</h1>
      <ProblemNotice problem={action.problem} />
      <div class="columns">
        <div>
          <TextField id="title" label="Title" value={title} onText={setTitle} required />
          {!template && (
            <>
              <TextField
                id="template-id"
                label="Id"
                value={templateId}
                onText={setTemplateId}
                hint="Also the id of its credential configuration. A random one when empty."
              />
              <div class="field">
                <label for="format">Format</label>
                <select
                  id="format"
                  value={format}
                  onChange={({ currentTarget }) => {
                    setFormat(currentTarget.value);
                  }}
                >
                  <option value="dc+sd-jwt">SD-JWT VC (dc+sd-jwt)</option>
                  <option value="jwt_vc_json">W3C credential as JWT (jwt_vc_json)</option>
                </select>
              </div>
            </>
          )}
          <TextField
            id="expiration"
            label="Validity period"
            value={expiration}
            onText={setExpiration}
            hint="never, a duration such as P1Y or P90D, or a date and time"
            required
          />
          <Tick label="Its credentials can be suspended and revoked" isOn={isRevocable} onChange={setRevocable} />
          {!template && <Tick label="Publish at once" isOn={isPublished} onChange={setPublished} />}
        </div>
        <TextField
          id="schema"
          label="JSON Schema of the claims"
          value={schema}
          onText={setSchema}
          fault={schemaFault}
          rows={18}
          required
        />
      </div>
      <div class="actions">
        <button class="primary" disabled={action.isRunning}>
          {template ? 'Save the changes' : 'Create the template'}
        </button>
      </div>
    </form>
  );
}

/** What differs: a change of the claims gives a template another type, and writing them again is none. */
function changesOf({ title, expiration, schema, revocable }: Template, content: object): object {
  const former = new Map<string, unknown>(Object.entries({ title, expiration, schema, revocable: revocable ?? false }));
  const changed = Object.entries(content).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(former.get(name)),
  );
  return Object.fromEntries(changed);
}
