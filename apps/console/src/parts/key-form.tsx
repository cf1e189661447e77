import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { text } from '../texts';
import { RichText } from './rich-text';

interface KeyFormProps {
  /** Whether a key was given, and the service did not accept it. */
  readonly isRefused: boolean;
  readonly onKey: (key: string) => void;
}

/** Where the service needs a key: it is kept in the memory of the page, and gone when the page is closed or reloaded. */
export function KeyForm({ isRefused, onKey }: KeyFormProps): VNode {
  const [key, setKey] = useState('');
  return (
    <form
      class="narrow"
      onSubmit={(event) => {
        event.preventDefault();
        onKey(key);
      }}
    >
      <h1>{text('session.apiKey')}</h1>
      <p>{text('session.keyAsked')}</p>
      {isRefused && (
        <p class="problem" role="alert">
          {text('session.keyRefused')}
        </p>
      )}
      <div class="field">
        <label for="api-key">{text('session.keyLabel')}</label>
        <input
          id="api-key"
          type="password"
          autocomplete="off"
          required
          value={key}
          onInput={({ currentTarget }) => {
            setKey(currentTarget.value);
          }}
        />
        <p class="hint">
          <RichText of="session.keyHint" with={{ command: <code>sealwright api-keys create</code> }} />
        </p>
      </div>
      <div class="actions">
        <button class="primary">{text('session.useKey')}</button>
      </div>
    </form>
  );
}
