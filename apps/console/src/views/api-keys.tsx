import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiKey, CreatedApiKey } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Form } from '../parts/form';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { Confirm } from '../parts/review';
import { TextField, Tick } from '../parts/text-field';
import { text, type TextKey } from '../texts';

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

const words: Readonly<Record<string, TextKey>> = {
  approvals: 'approvals.title',
  audit: 'admin.audit',
  authorizations: 'common.authorizations',
  configuration: 'common.configuration',
  credentials: 'offers.credentials',
  events: 'webhooks.types',
  keys: 'admin.apiKeys',
  offers: 'common.offers',
  templates: 'common.templates',
  verification: 'common.requests',
  webhooks: 'admin.webhooks',
  read: 'admin.toRead',
  write: 'admin.toChange',
  deliver: 'credentials.handOver',
};

/** `offers:read` is `Offers: see`. */
function scopeText(scope: Scope): string {
  const [area, act] = scope.split(':').map((part) => words[part]);
  return area && act ? `${text(area)}: ${text(act)}` : scope;
}

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
                    <div class="hint" title={allowed.join(', ')}>
                      {allowed.map(scopeText).join(' · ')}
                    </div>
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
                    <Confirm
                      yes="credentials.revokeYes"
                      isRunning={action.isRunning}
                      onConfirm={() => void revoke(keyId)}
                      onBack={() => {
                        ask(undefined);
                      }}
                    >
                      <p>{text('admin.revokeKeyWords', { name })}</p>
                    </Confirm>
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
      <Form action={action} submit={text('admin.createKey')} onSubmit={create}>
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
              label={`${scopeText(scope)} (${scope})`}
              isOn={chosen.includes(scope)}
              onChange={(isOn) => {
                setChosen(scopes.filter((one) => (one === scope ? isOn : chosen.includes(one))));
              }}
            />
          ))}
        </fieldset>
      </Form>
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
