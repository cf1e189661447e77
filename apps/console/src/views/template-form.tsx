import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Template } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { TextField, Tick } from '../parts/text-field';
import { addressOf, goTo } from '../place';
import { text } from '../texts';

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

const formats = () =>
  [
    ['dc+sd-jwt', 'SD-JWT VC (dc+sd-jwt)'],
    ['jwt_vc_json', text('templates.w3cFormat')],
    ['mso_mdoc', 'ISO mdoc (mso_mdoc)'],
  ] as const;

/** The claims of an mdoc stand in name spaces; the usual one has the name of the type. */
function schemaIn(format: string, doctype: string): string {
  const inSpace = { type: 'object', properties: { [doctype]: firstSchema }, required: [doctype] };
  return JSON.stringify(format === 'mso_mdoc' ? inSpace : firstSchema, null, 2);
}

function TemplateForm({ template }: { readonly template: Template | undefined }): VNode {
  const [title, setTitle] = useState(template?.title ?? '');
  const [templateId, setTemplateId] = useState('');
  const [format, setFormat] = useState('dc+sd-jwt');
  const [doctype, setDoctype] = useState('example.diploma.1');
  const [written, setSchema] = useState<string | undefined>(template && JSON.stringify(template.schema, null, 2));
  const schema = written ?? schemaIn(format, doctype);
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
      setSchemaFault(text('common.notJson'));
      return;
    }
    setSchemaFault(undefined);
    const content = { title, expiration, schema: parsed, revocable: isRevocable };
    const saved = (await (template
      ? action.call('PATCH', `templates/${encodeURIComponent(template.templateId)}`, changesOf(template, content))
      : action.call('POST', 'templates', {
          ...content,
          ...{ format, status: isPublished ? 'Published' : 'Draft' },
          ...(format === 'mso_mdoc' && { doctype }),
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
        <a href={addressOf('templates')}>{text('common.templates')}</a>
      </p>
      <h1>{template ? text('templates.changeTitle', { template: template.templateId }) : text('templates.new')}</h1>
      <ProblemNotice problem={action.problem} />
      <div class="columns">
        <div>
          <TextField id="title" label={text('templates.title')} value={title} onText={setTitle} required />
          {!template && (
            <>
              <TextField
                id="template-id"
                label={text('templates.id')}
                value={templateId}
                onText={setTemplateId}
                hint={text('templates.idHint')}
              />
              <div class="field">
                <label for="format">{text('templates.format')}</label>
                <select
                  id="format"
                  value={format}
                  onChange={({ currentTarget }) => {
                    setFormat(currentTarget.value);
                  }}
                >
                  {formats().map(([value, label]) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              </div>
              {format === 'mso_mdoc' && (
                <TextField
                  id="doctype"
                  label={text('templates.documentType')}
                  value={doctype}
                  onText={setDoctype}
                  hint={text('templates.documentTypeHint')}
                  required
                />
              )}
            </>
          )}
          <TextField
            id="expiration"
            label={text('templates.validity')}
            value={expiration}
            onText={setExpiration}
            hint={text('templates.validityHint')}
            required
          />
          <Tick label={text('templates.revocable')} isOn={isRevocable} onChange={setRevocable} />
          {!template && <Tick label={text('templates.publishNow')} isOn={isPublished} onChange={setPublished} />}
        </div>
        <TextField
          id="schema"
          label={text('templates.jsonSchema')}
          value={schema}
          onText={setSchema}
          fault={schemaFault}
          rows={18}
          required
        />
      </div>
      <div class="actions">
        <button class="primary" disabled={action.isRunning}>
          {template ? text('templates.save') : text('templates.create')}
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
