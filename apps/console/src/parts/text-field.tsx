import type { VNode } from 'preact';
import { text } from '../texts';

interface TextFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly hint?: string;
  readonly fault?: string | undefined;
  readonly rows?: number;
  readonly required?: boolean;
}

/** A text of one line, or of several. */
export function TextField({ id, label, value, onText, hint, fault, rows, required = false }: TextFieldProps): VNode {
  const shared = {
    id,
    value,
    'aria-required': required,
    'aria-describedby': `${id}-notes`,
    ...(fault !== undefined && { 'aria-invalid': true }),
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!required && <span class="hint"> {text('common.optional')}</span>}
      </label>
      {rows === undefined ? (
        <input
          {...shared}
          type="text"
          onInput={({ currentTarget }) => {
            onText(currentTarget.value);
          }}
        />
      ) : (
        <textarea
          {...shared}
          rows={rows}
          spellcheck={false}
          onInput={({ currentTarget }) => {
            onText(currentTarget.value);
          }}
        />
      )}
      <div id={`${id}-notes`}>
        {hint !== undefined && <p class="hint">{hint}</p>}
        {fault !== undefined && <p class="fault">{fault}</p>}
      </div>
    </div>
  );
}

interface TickProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Tick({ label, isOn, onChange }: TickProps): VNode {
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.checked);
        }}
      />
      <span>{label}</span>
    </label>
  );
}
