import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Template } from '../api/resources';
import { useAction } from '../api/use-api';
import { ProblemNotice } from '../parts/problem-notice';
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

export function NewTemplateView(): VNode {
  const [title, setTitle] = useState('');
  const [templateId, setTemplateId] = useState('');
  const [format, setFormat] = useState('dc+sd-jwt');
  const [schema, setSchema] = useState(() => JSON.stringify(firstSchema, null, 2));
  const [expiration, setExpiration] = useState('P1Y');
  const [isRevocable, setRevocable] = useState(false);
  const [isPublished, setPublished] = useState(true);
  const [schemaFault, setSchemaFault] = useState<string>();
  const action = useAction();

  const create = async (): Promise<void> => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(schema);
    } catch {
      setSchemaFault('This is not JSON.');
      return;
    }
    setSchemaFault(undefined);
    const created = (await action.call('POST', 'templates', {
      ...{ title, format, schema: parsed, expiration },
      ...(templateId !== '' && { templateId }),
      ...(isRevocable && { revocable: true }),
      status: isPublished ? 'Published' : 'Draft',
    })) as Template | undefined;
    if (created) goTo(addressOf('templates', created.templateId));
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <p class="back">
        <a href={addressOf('templates')}>Templates</a>
      </p>
      <h1>New template</h1>
      <ProblemNotice problem={action.problem} />
      <div class="columns">
        <div>
          <TextField id="title" label="Title" value={title} onText={setTitle} required />
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
          <TextField
            id="expiration"
            label="Validity period"
            value={expiration}
            onText={setExpiration}
            hint="never, a duration such as P1Y or P90D, or a date and time"
            required
          />
          <Tick label="Its credentials can be suspended and revoked" isOn={isRevocable} onChange={setRevocable} />
          <Tick label="Publish at once" isOn={isPublished} onChange={setPublished} />
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
          Create the template
        </button>
      </div>
    </form>
  );
}
