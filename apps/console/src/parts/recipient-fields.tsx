import type { VNode } from 'preact';
import type { Recipient } from '../api/resources';
import { languages, text } from '../texts';
import { TextField } from './text-field';

interface RecipientFieldsProps {
  readonly recipient: Recipient;
  readonly onChange: (recipient: Recipient) => void;
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
}

/** Whom an offer is handed over to. */
export function RecipientFields({ recipient, onChange, faults }: RecipientFieldsProps): VNode {
  const faultOf = (member: string) => faults.find(({ pointer }) => pointer === `/recipient/${member}`)?.message;
  return (
    <fieldset>
      <legend>{text('delivery.recipient')}</legend>
      <p class="hint">{text('delivery.recipientHint')}</p>
      <TextField
        id="recipient-name"
        label={text('delivery.name')}
        value={recipient.name ?? ''}
        onText={(name) => {
          onChange({ ...recipient, name });
        }}
        fault={faultOf('name')}
      />
      <TextField
        id="recipient-email"
        label={text('delivery.email')}
        value={recipient.email ?? ''}
        onText={(email) => {
          onChange({ ...recipient, email });
        }}
        fault={faultOf('email')}
      />
      <div class="field">
        <label for="recipient-language">{text('delivery.language')}</label>
        <select
          id="recipient-language"
          value={recipient.locale ?? ''}
          onChange={({ currentTarget }) => {
            onChange({ ...recipient, locale: currentTarget.value });
          }}
        >
          <option value="">{text('delivery.languageOfService')}</option>
          {Object.entries(languages).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </fieldset>
  );
}

/** The member of a body, without what is empty; nothing when all is. */
export function recipientIn(recipient: Recipient): { readonly recipient?: Recipient } {
  const given = (['email', 'name', 'locale'] as const).flatMap((name) => {
    const trimmed = recipient[name]?.trim() ?? '';
    return trimmed === '' ? [] : [[name, trimmed] as const];
  });
  return given.length === 0 ? {} : { recipient: Object.fromEntries(given) };
}
