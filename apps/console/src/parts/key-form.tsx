import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

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
      <h1>API key</h1>
      <p>The service asks for an API key. It stays in the memory of this page until you close or reload it.</p>
      {isRefused && (
        <p class="problem" role="alert">
          The service did not accept this key. It may have been revoked, or have expired.
        </p>
      )}
      <div class="field">
        <label for="api-key">API key or access token</label>
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
          <code>sealwright api-keys create</code> makes one.
        </p>
      </div>
      <div class="actions">
        <button class="primary">Use this key</button>
      </div>
    </form>
  );
}
