import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiKey, CreatedApiKey } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { TextField, Tick } from '../parts/text-field';
import { text } from '../texts';

type Scope = ApiKey['scopes'][number];

const scopes: readonly Scope[] = [
  'credentials:read',
  'credentials:write',
  'offers:read',
  'offers:write',
  'offers:deliver',
  'templates:read',
  'templates:write',
  'authorizations:read',
  'authorizations:write',
  'verification:read',
  'verification:write',
  'verification:deliver',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'configuration:read',
  'configuration:write',
  'audit:read',
  'keys:read',
  'keys:write',
];

/** The keys with which portals call: made, and shown once; listed; revoked. */
export function ApiKeysView(): VNode {
  const keys = useResource<{ items: readonly ApiKey[] }>('api_keys');
  const [asked, ask] = useState<string>();
  const action = useAction();
  const revoke = async (id: string): Promise<void> => {
    if ((await action.call('DELETE', `api_keys/${encodeURIComponent(id)}`)) === undefined) return;
    ask(undefined);
    keys.reload();
  };
  return (
    <>
      <h1>{text('admin.apiKeys')}</h1>
      <NewKey onMade={keys.reload} />
      <ProblemNotice problem={action.problem} />
      <ResourceView resource={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="nothing">{text('admin.noKeys')}</p>
          ) : (
            <ul class="rows" aria-label={text('admin.apiKeys')}>
              {items.toReversed().map(({ keyId, name, state, scopes: allowed, createdAt, lastUsedAt }) => (
                <li class="row" key={keyId}>
                  <div class="row-main">
                    <strong>{name}</strong> <Badge state={state} />
                    <div class="hint">
                      <code>{keyId}</code> · <Moment at={createdAt} /> · {text('admin.lastUsed')}{' '}
                      <Moment at={lastUsedAt ?? 'never'} />
                    </div>
                    <div class="hint">{allowed.join(', ')}</div>
                  </div>
                  {state === 'active' && asked !== keyId && (
                    <button
                      class="danger"
                      type="button"
                      aria-label={text('admin.revokeKey', { name })}
                      onClick={() => {
                        ask(keyId);
                      }}
                    >
                      {text('common.revoke')}
                    </button>
                  )}
                  {asked === keyId && (
                    <div class="review" role="group" aria-label={text('credentials.review')}>
                      <p>{text('admin.revokeKeyWords', { name })}</p>
                      <div class="actions">
                        <button class="danger" type="button" onClick={() => void revoke(keyId)}>
                          {text('credentials.revokeYes')}
                        </button>
                        <button
                          type="button"
                          onClick={() => {
                            ask(undefined);
                          }}
                        >
                          {text('credentials.back')}
                        </button>
                      </div>
                    </div>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </ResourceView>
    </>
  );
}

function NewKey({ onMade }: { readonly onMade: () => void }): VNode {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>([]);
  const [made, setMade] = useState<CreatedApiKey>();
  const action = useAction();
  const create = async (): Promise<void> => {
    const answer = (await action.call('POST', 'api_keys', { name, scopes: chosen })) as CreatedApiKey | undefined;
    setMade(answer);
    if (!answer) return;
    setName('');
    setChosen([]);
    onMade();
  };
  return (
    <details>
      <summary>{text('admin.newKey')}</summary>
      <form
        noValidate
        class="narrow"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <ProblemNotice problem={action.problem} />
        <TextField
          id="key-name"
          label={text('admin.keyName')}
          value={name}
          onText={setName}
          hint={text('admin.keyNameHint')}
          required
        />
        <fieldset>
          <legend>{text('admin.allows')}</legend>
          {scopes.map((scope) => (
            <Tick
              key={scope}
              label={scope}
              isOn={chosen.includes(scope)}
              onChange={(isOn) => {
                setChosen(scopes.filter((one) => (one === scope ? isOn : chosen.includes(one))));
              }}
            />
          ))}
        </fieldset>
        <div class="actions">
          <button class="primary" disabled={action.isRunning}>
            {text('admin.createKey')}
          </button>
        </div>
      </form>
      <ShownKey words={text('admin.keyOnce')} apiKey={made?.apiKey} />
    </details>
  );
}

interface ShownKeyProps {
  readonly words: string;
  readonly apiKey: string | undefined;
}

/** A key that was made just now. */
export function ShownKey({ words, apiKey }: ShownKeyProps): VNode {
  return (
    <div aria-live="polite">
      {apiKey !== undefined && (
        <div class="review">
          <p>{words}</p>
          <code class="long">{apiKey}</code>
        </div>
      )}
    </div>
  );
}
