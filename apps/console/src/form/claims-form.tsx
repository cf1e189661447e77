import type { VNode } from 'preact';
import { type Draft, emptyDraft, escaped, faultsAt, isGroup, textIn } from './draft';
import type { Field } from './field';
import { text } from '../texts';

interface FieldProps<F extends Field = Field> {
  readonly field: F;
  readonly draft: Draft | undefined;
  readonly onChange: (draft: Draft) => void;
  /** JSON Pointer below the claims. */
  readonly pointer: string;
  /** By pointer. */
  readonly faults: ReadonlyMap<string, string>;
}

/** The controls of a field, each with its label, its description and what is wrong with it. */
export function FieldControl(props: FieldProps): VNode {
  const { field } = props;
  switch (field.kind) {
    case 'group':
      return <Group {...props} field={field} />;
    case 'list':
      return <List {...props} field={field} />;
    case 'constant':
    case 'choice':
    case 'text':
    case 'file':
    case 'number':
    case 'json':
      return <Single {...props} field={field} />;
  }
}

function Group({ field, draft, onChange, pointer, faults }: FieldProps<Field & { kind: 'group' }>): VNode {
  const written = isGroup(draft) ? draft : {};
  const members = field.members.map(({ name, field: member }) => (
    <FieldControl
      key={name}
      field={member}
      draft={written[name]}
      onChange={(changed) => {
        onChange({ ...written, [name]: changed });
      }}
      pointer={`${pointer}/${escaped(name)}`}
      faults={faults}
    />
  ));
  const own = <Notes field={field} pointer={pointer} faults={faults} />;
  if (pointer === '') {
    return (
      <>
        {own}
        {members}
      </>
    );
  }
  return (
    <fieldset>
      <legend>
        <Name field={field} pointer={pointer} />
      </legend>
      {own}
      {members}
    </fieldset>
  );
}

function List({ field, draft, onChange, pointer, faults }: FieldProps<Field & { kind: 'list' }>): VNode {
  const entries = Array.isArray(draft) ? (draft as readonly Draft[]) : [];
  return (
    <fieldset>
      <legend>
        <Name field={field} pointer={pointer} />
      </legend>
      <Notes field={field} pointer={pointer} faults={faults} />
      {entries.map((entry, index) => (
        <div class="entry" key={index}>
          <FieldControl
            field={{ ...field.item, label: `${field.item.label} ${index + 1}` }}
            draft={entry}
            onChange={(changed) => {
              onChange(entries.with(index, changed));
            }}
            pointer={`${pointer}/${index}`}
            faults={faults}
          />
          <button
            type="button"
            aria-label={text('forms.removeEntry', { count: index + 1, list: field.label })}
            onClick={() => {
              onChange(entries.filter((_, other) => other !== index));
            }}
          >
            {text('forms.remove')}
          </button>
        </div>
      ))}
      <button
        type="button"
        onClick={() => {
          onChange([...entries, emptyDraft(field.item)]);
        }}
      >
        {text('forms.addTo', { list: field.label })}
      </button>
    </fieldset>
  );
}

type SingleField = Exclude<Field, { kind: 'group' | 'list' }>;

function Single({ field, draft, onChange, pointer, faults }: FieldProps<SingleField>): VNode {
  const id = idOf(pointer);
  const described = {
    id,
    'aria-describedby': `${id}-notes`,
    'aria-required': field.isRequired,
    ...(faultsAt(field, pointer, faults).length > 0 && { 'aria-invalid': true }),
  };
  const text = textIn(draft);
  return (
    <div class="field">
      <label for={id}>
        <Name field={field} pointer={pointer} />
      </label>
      <Control field={field} text={text} described={described} onText={onChange} />
      <Notes field={field} pointer={pointer} faults={faults} />
    </div>
  );
}

interface ControlProps {
  readonly field: SingleField;
  readonly text: string;
  readonly described: object;
  readonly onText: (text: string) => void;
}

function Control({ field, text, described, onText }: ControlProps): VNode {
  switch (field.kind) {
    case 'constant':
      return <input {...described} type="text" readOnly value={asText(field.value)} />;
    case 'choice':
      return (
        <select
          {...described}
          value={text}
          onChange={({ currentTarget }) => {
            onText(currentTarget.value);
          }}
        >
          <option value="">—</option>
          {field.options.map(({ label }, index) => (
            <option key={index} value={String(index)}>
              {label}
            </option>
          ))}
        </select>
      );
    case 'text':
      if (field.isDate) {
        return (
          <input
            {...described}
            type="date"
            value={text}
            onInput={({ currentTarget }) => {
              onText(currentTarget.value);
            }}
          />
        );
      }
      return (
        <input
          {...described}
          type="text"
          placeholder={field.example}
          value={text}
          onInput={({ currentTarget }) => {
            onText(currentTarget.value);
          }}
        />
      );
    case 'file':
      return (
        <input
          {...described}
          type="file"
          onChange={({ currentTarget: { files } }) => {
            void base64Of(files?.[0]).then(onText);
          }}
        />
      );
    case 'number':
      return (
        <input
          {...described}
          type="text"
          inputMode={field.isWhole ? 'numeric' : 'decimal'}
          value={text}
          onInput={({ currentTarget }) => {
            onText(currentTarget.value);
          }}
        />
      );
    case 'json':
      return (
        <textarea
          {...described}
          rows={5}
          spellcheck={false}
          placeholder="JSON"
          value={text}
          onInput={({ currentTarget }) => {
            onText(currentTarget.value);
          }}
        />
      );
  }
}

/** @returns '' for no file */
async function base64Of(file: File | undefined): Promise<string> {
  if (file === undefined) return '';
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** The label, and how the schema calls it where that differs. */
function Name({ field, pointer }: { readonly field: Field; readonly pointer: string }): VNode {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  return (
    <>
      {field.label}
      {!field.isRequired && <span class="hint"> {text('common.optional')}</span>}
      {pointer !== '' && !/^\d+$/.test(name) && (
        <>
          {' '}
          <code class="name">{name}</code>
        </>
      )}
    </>
  );
}

function Notes({ field, pointer, faults }: Pick<FieldProps, 'field' | 'pointer' | 'faults'>): VNode {
  return (
    <div id={`${idOf(pointer)}-notes`}>
      {field.description !== undefined && <p class="hint">{field.description}</p>}
      {faultsAt(field, pointer, faults).map((fault, index) => (
        <p class="fault" key={index}>
          {fault}
        </p>
      ))}
    </div>
  );
}

/** Without spaces, which separate the ids in `aria-describedby`. */
function idOf(pointer: string): string {
  return `claim${encodeURIComponent(pointer)}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
