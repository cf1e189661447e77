import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Template } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { cardOf, displayOf } from '../form/card';
import { changesOf, changeTexts, type TemplateDraft } from '../form/template-changes';
import { type FieldDraft, fieldsOf, labelsOf, schemaOf, unnamed } from '../form/template-fields';
import { approvalIn } from '../parts/approval-notice';
import { CardForm } from '../parts/card-form';
import { CardPreview } from '../parts/card-preview';
import { FieldBuilder } from '../parts/field-builder';
import { FourEyesForm, rowsFault } from '../parts/four-eyes-form';
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

const indented = (schema: object): string => JSON.stringify(schema, null, 2);

/** The claims of an mdoc stand in name spaces; the usual one has the name of the type. */
function schemaIn(format: string, doctype: string): string {
  const inSpace = { type: 'object', properties: { [doctype]: firstSchema }, required: [doctype] };
  return indented(format === 'mso_mdoc' ? inSpace : firstSchema);
}

function parsed(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function TemplateForm({ template }: { readonly template: Template | undefined }): VNode {
  const [title, setTitle] = useState(template?.title ?? '');
  const [templateId, setTemplateId] = useState('');
  const [format, setFormat] = useState(template?.format ?? 'dc+sd-jwt');
  const [doctype, setDoctype] = useState('example.diploma.1');
  const former = fieldsOf(template?.schema ?? firstSchema, template?.claimLabels);
  const [fields, setFields] = useState<readonly FieldDraft[]>(former ?? []);
  const [written, setSchema] = useState<string | undefined>(template && indented(template.schema));
  const [isJsonWanted, wantJson] = useState(former === undefined);
  const [expiration, setExpiration] = useState(template?.expiration ?? 'P1Y');
  const [isRevocable, setRevocable] = useState(template?.revocable ?? false);
  const [isPublished, setPublished] = useState(true);
  const [card, setCard] = useState(cardOf(template?.display));
  const [fourEyes, setFourEyes] = useState<Template['fourEyes']>(template?.fourEyes);
  const [fault, setFault] = useState<string>();
  const action = useAction();
  const isJson = isJsonWanted || format === 'mso_mdoc';
  const json = written ?? schemaIn(format, doctype);
  const wrongNames = unnamed(fields);
  const draft = (schema: object): TemplateDraft => ({
    ...{ title, expiration, revocable: isRevocable, schema },
    display: displayOf(card, title) ?? null,
    claimLabels: (isJson ? template?.claimLabels : labelsOf(fields)) ?? null,
    fourEyes: fourEyes ?? null,
  });
  const present = isJson ? parsed(json) : schemaOf(fields);

  const switchTo = (isWanted: boolean): void => {
    if (isWanted) setSchema(indented(schemaOf(fields)));
    const read = isWanted ? fields : fieldsOf(parsed(json), labelsOf(fields));
    setFault(read ? undefined : text('designs.notAsFields'));
    if (!read) return;
    setFields(read);
    wantJson(isWanted);
  };

  const save = async (): Promise<void> => {
    setFault(present ? undefined : text('common.notJson'));
    if (!present || (!isJson && wrongNames.length > 0) || rowsFault(fourEyes) !== undefined) return;
    const content = draft(present);
    const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null));
    const isOfTwo = fourEyes?.publish === true;
    const answer = await (template
      ? action.call('PATCH', `templates/${encodeURIComponent(template.templateId)}`, changesOf(template, content))
      : action.call('POST', 'templates', {
          ...given,
          ...{ format, status: isPublished && !isOfTwo ? 'Published' : 'Draft' },
          ...(format === 'mso_mdoc' && { doctype }),
          ...(templateId !== '' && { templateId }),
        }));
    const approval = approvalIn(answer);
    if (approval) goTo(addressOf('approvals', approval.approvalId));
    else if (answer !== undefined) goTo(addressOf('templates', (answer as Template).templateId));
  };

  const changes = template && present ? changeTexts(template, draft(present)) : [];
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
      <h1>{template ? text('templates.changeTitle', { template: template.title }) : text('templates.new')}</h1>
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
                    setFormat(currentTarget.value as Template['format']);
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
          <FourEyesForm fourEyes={fourEyes} onFourEyes={setFourEyes} />
        </div>
        <div>
          {isJson ? (
            <TextField
              id="schema"
              label={text('templates.jsonSchema')}
              value={json}
              onText={setSchema}
              fault={fault}
              rows={18}
              required
            />
          ) : (
            <FieldBuilder fields={fields} onFields={setFields} unnamed={wrongNames} />
          )}
          {format !== 'mso_mdoc' && <Tick label={text('designs.asJson')} isOn={isJson} onChange={switchTo} />}
        </div>
      </div>
      <h2>{text('designs.card')}</h2>
      <div class="columns">
        <div>
          <CardForm card={card} onCard={setCard} />
        </div>
        <CardPreview card={card} title={title} fields={fields} />
      </div>
      {changes.length > 0 && (
        <section aria-labelledby="changes">
          <h2 id="changes">{text('designs.changes')}</h2>
          <ul>
            {changes.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </section>
      )}
      <div class="actions">
        <button class="primary" disabled={action.isRunning}>
          {template ? text('templates.save') : text('templates.create')}
        </button>
      </div>
    </form>
  );
}
