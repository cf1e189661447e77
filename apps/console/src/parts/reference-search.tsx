import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Credential } from '../api/resources';
import { useAction } from '../api/use-api';
import { text } from '../texts';
import { CredentialTable } from './credential-table';
import { ProblemNotice } from './problem-notice';
import { TextField } from './text-field';

/** Finds credentials by the file number under which they were submitted. */
export function ReferenceSearch(): VNode {
  const [reference, setReference] = useState('');
  const [found, setFound] = useState<readonly Credential[]>();
  const action = useAction();
  const search = async (): Promise<void> => {
    const answer = (await action.call('POST', 'searches', { reference })) as { items: Credential[] } | undefined;
    setFound(answer?.items);
  };
  return (
    <section aria-label={text('offers.findByReference')}>
      <form
        noValidate
        role="search"
        class="narrow"
        onSubmit={(event) => {
          event.preventDefault();
          void search();
        }}
      >
        <ProblemNotice problem={action.problem} />
        <TextField
          id="find-reference"
          label={text('offers.findByReference')}
          value={reference}
          onText={setReference}
          required
        />
        <div class="actions">
          <button class="primary" disabled={action.isRunning}>
            {text('offers.find')}
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {found && (
          <CredentialTable
            caption={text('credentials.found', { count: found.length })}
            items={found}
            nothing={text('offers.referenceUnknown')}
            onChange={() => void search()}
          />
        )}
      </div>
    </section>
  );
}
