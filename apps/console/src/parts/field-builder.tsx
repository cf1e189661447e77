import type { VNode } from 'preact';
import { type FieldDraft, type FieldType, fieldTypes, nameOf, newField } from '../form/template-fields';
import { languages, text, type TextKey } from '../texts';
import { TextField, Tick } from './text-field';

const types = {
  text: 'designs.typeText',
  date: 'designs.typeDate',
  integer: 'designs.typeInteger',
  number: 'designs.typeNumber',
  boolean: 'designs.typeBoolean',
  choice: 'designs.typeChoice',
} as const satisfies Record<FieldType, TextKey>;

interface FieldBuilderProps {
  readonly fields: readonly FieldDraft[];
  readonly onFields: (fields: readonly FieldDraft[]) => void;
  /** Places of fields whose name cannot be used. */
  readonly unnamed: readonly number[];
}

/** The claims of a template, one below the other. */
export function FieldBuilder({ fields, onFields, unnamed }: FieldBuilderProps): VNode {
  const change = (at: number, changed: Partial<FieldDraft>): void => {
    onFields(fields.map((field, index) => (index === at ? { ...field, ...changed } : field)));
  };
  const move = (from: number, to: number): void => {
    const order = [...fields];
    order.splice(to, 0, ...order.splice(from, 1));
    onFields(order);
  };
  return (
    <section aria-labelledby="fields">
      <h2 id="fields">{text('designs.fields')}</h2>
      {fields.map((field, index) => (
        <fieldset key={index}>
          <legend>{field.label || nameOf(field) || text('designs.newField')}</legend>
          <FieldForm
            field={field}
            at={index}
            isUnnamed={unnamed.includes(index)}
            onChange={(changed) => {
              change(index, changed);
            }}
          />
          <div class="actions">
            <button
              type="button"
              disabled={index === 0}
              aria-label={text('designs.upOf', { field: field.label })}
              onClick={() => {
                move(index, index - 1);
              }}
            >
              {text('designs.up')}
            </button>
            <button
              type="button"
              disabled={index === fields.length - 1}
              aria-label={text('designs.downOf', { field: field.label })}
              onClick={() => {
                move(index, index + 1);
              }}
            >
              {text('designs.down')}
            </button>
            <button
              type="button"
              aria-label={text('designs.removeOf', { field: field.label })}
              onClick={() => {
                onFields(fields.filter((_, other) => other !== index));
              }}
            >
              {text('designs.remove')}
            </button>
          </div>
        </fieldset>
      ))}
      <button
        type="button"
        onClick={() => {
          onFields([...fields, newField]);
        }}
      >
        {text('designs.add')}
      </button>
    </section>
  );
}

interface FieldFormProps {
  readonly field: FieldDraft;
  readonly at: number;
  readonly isUnnamed: boolean;
  readonly onChange: (changed: Partial<FieldDraft>) => void;
}

function FieldForm({ field, at, isUnnamed, onChange }: FieldFormProps): VNode {
  const id = (part: string): string => `field-${at}-${part}`;
  return (
    <>
      <TextField
        id={id('label')}
        label={text('designs.label')}
        value={field.label}
        onText={(label) => {
          onChange({ label });
        }}
        required
      />
      <div class="field">
        <label for={id('type')}>{text('designs.type')}</label>
        <select
          id={id('type')}
          value={field.type}
          onChange={({ currentTarget }) => {
            onChange({ type: currentTarget.value as FieldType });
          }}
        >
          {fieldTypes.map((type) => (
            <option key={type} value={type}>
              {text(types[type])}
            </option>
          ))}
        </select>
      </div>
      {field.type === 'choice' && (
        <TextField
          id={id('choices')}
          label={text('designs.choices')}
          value={field.choices}
          onText={(choices) => {
            onChange({ choices });
          }}
          rows={4}
          required
        />
      )}
      <TextField
        id={id('example')}
        label={text('designs.example')}
        value={field.example}
        onText={(example) => {
          onChange({ example });
        }}
      />
      <Tick
        label={text('designs.required')}
        isOn={field.isRequired}
        onChange={(isRequired) => {
          onChange({ isRequired });
        }}
      />
      <details>
        <summary>{text('designs.more')}</summary>
        <TextField
          id={id('name')}
          label={text('designs.technicalName')}
          value={field.name}
          onText={(name) => {
            onChange({ name });
          }}
          hint={text('designs.technicalNameHint', { name: nameOf(field) })}
        />
        {Object.entries(languages).map(([language, ownName]) => (
          <TextField
            key={language}
            id={id(`label-${language}`)}
            label={text('designs.labelIn', { language: ownName })}
            value={field.labels[language] ?? ''}
            onText={(label) => {
              onChange({ labels: { ...field.labels, [language]: label } });
            }}
          />
        ))}
      </details>
      {isUnnamed && <p class="fault">{text('designs.nameTaken')}</p>}
    </>
  );
}
