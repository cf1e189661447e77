import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Credential } from '../api/resources';
import { useAction } from '../api/use-api';
import { addressOf } from '../place';
import { Moment } from './moment';
import { ProblemNotice } from './problem-notice';
import { Row, Rows } from './rows';
import { TextField } from './text-field';
import { text } from '../texts';

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
        <button disabled={action.isRunning}>{text('offers.find')}</button>
      </div>
      <div aria-live="polite">
        {found && (
          <Rows items={found} nothing={text('offers.referenceUnknown')}>
            {({ credentialId, credentialConfigurationId, offerId, authorizationId = '', status, createdAt }) => (
              <Row
                key={credentialId}
                address={
                  offerId === undefined ? addressOf('authorizations', authorizationId) : addressOf('offers', offerId)
                }
                title={credentialConfigurationId}
                state={status}
                about={<Moment at={createdAt} />}
              />
            )}
          </Rows>
        )}
      </div>
    </form>
  );
}
