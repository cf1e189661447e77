import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Configuration, CreatedRequest, Page } from '../api/resources';
import { useKindNames } from '../api/kinds';
import { useAction, useResource } from '../api/use-api';
import { claimLabel, formOf } from '../form/field';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { TextField, Tick } from '../parts/text-field';
import { addressOf, goTo } from '../place';
import { createdRequests } from '../shown-once';
import { type ClaimPath, claimPaths, dcqlQuery } from '../query/dcql';
import { text } from '../texts';

/** A request is put together from what the service can issue; the query can then be changed by hand. */
export function NewRequestView({ asked }: { readonly asked: string | undefined }): VNode {
  const configurations = useResource<Page<Configuration>>('credential_configurations');
  return (
    <>
      <p class="back">
        <a href={addressOf('requests')}>{text('common.requests')}</a>
      </p>
      <h1>{text('requests.new')}</h1>
      <ResourceView resource={configurations}>
        {({ items }) => <RequestForm configurations={items} asked={asked} />}
      </ResourceView>
    </>
  );
}

/** The claims chosen of each configuration, as the texts of their paths. */
type Choice = ReadonlyMap<string, ReadonlySet<string>>;

const textOf = (path: ClaimPath): string => path.map((part) => part ?? '*').join('.');
const pathsOf = ({ schema }: Configuration): readonly ClaimPath[] => (schema ? claimPaths(formOf(schema)) : []);

interface RequestFormProps {
  readonly configurations: readonly Configuration[];
  readonly asked: string | undefined;
}

function RequestForm({ configurations, asked }: RequestFormProps): VNode {
  const [choice, setChoice] = useState<Choice>(() => {
    const first = configurations.find(({ id }) => id === asked);
    return new Map(first ? [[first.id, new Set(pathsOf(first).map(textOf))]] : []);
  });
  const [edited, setEdited] = useState<string>();
  const [isEncrypted, setEncrypted] = useState(false);
  const [purpose, setPurpose] = useState('');
  const [redirectUri, setRedirectUri] = useState('');
  const [queryFault, setQueryFault] = useState<string>();
  const action = useAction();

  const chosen = configurations.filter(({ id }) => choice.has(id));
  const credentials = chosen.map((configuration) => ({
    configuration,
    claims: pathsOf(configuration).filter((path) => choice.get(configuration.id)?.has(textOf(path))),
  }));
  const made = credentials.length === 0 ? '' : JSON.stringify(dcqlQuery(credentials), null, 2);
  const query = edited ?? made;
  const choose = (changed: Choice): void => {
    setChoice(changed);
    setEdited(undefined);
  };

  const ask = async (): Promise<void> => {
    let parsed: unknown;
    try {
      parsed = query.trim() === '' ? undefined : JSON.parse(query);
    } catch {
      setQueryFault(text('common.notJson'));
      return;
    }
    setQueryFault(undefined);
    const created = (await action.call('POST', 'authorization_requests', {
      ...(parsed !== undefined && { dcql_query: parsed }),
      ...(isEncrypted && { responseMode: 'direct_post.jwt' }),
      ...(purpose !== '' && { purpose }),
      ...(redirectUri !== '' && { redirectUri }),
    })) as CreatedRequest | undefined;
    if (!created) return;
    createdRequests.remember(created.state, created);
    goTo(addressOf('requests', created.state));
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <ProblemNotice problem={action.problem} />
      <div class="columns">
        <div>
          <fieldset>
            <legend>{text('requests.credentials')}</legend>
            <p class="hint">{text('requests.credentialsHint')}</p>
            {configurations.map((configuration) => (
              <ConfigurationChoice
                key={configuration.id}
                configuration={configuration}
                claims={choice.get(configuration.id)}
                onChange={(claims) => {
                  choose(withEntry(choice, configuration.id, claims));
                }}
              />
            ))}
          </fieldset>
          <TextField
            id="purpose"
            label={text('requests.purpose')}
            value={purpose}
            onText={setPurpose}
            hint={text('requests.purposeHint')}
          />
          <TextField
            id="redirect-uri"
            label={text('requests.returnAddress')}
            value={redirectUri}
            onText={setRedirectUri}
            hint={text('requests.returnHint')}
          />
          <Tick label={text('requests.encrypts')} isOn={isEncrypted} onChange={setEncrypted} />
        </div>
        <details open={queryFault !== undefined}>
          <summary>{text('common.technical')}</summary>
          <TextField
            id="query"
            label={text('requests.query')}
            value={query}
            onText={setEdited}
            fault={queryFault}
            rows={18}
            hint={text(edited === undefined ? 'requests.queryMade' : 'requests.queryChanged')}
          />
        </details>
      </div>
      <div class="actions">
        <button class="primary" disabled={action.isRunning}>
          {text(query.trim() === '' ? 'requests.askIdToken' : 'requests.create')}
        </button>
      </div>
    </form>
  );
}

interface ConfigurationChoiceProps {
  readonly configuration: Configuration;
  /** Undefined when it is not asked for. */
  readonly claims: ReadonlySet<string> | undefined;
  readonly onChange: (claims: ReadonlySet<string> | undefined) => void;
}

function ConfigurationChoice({ configuration, claims, onChange }: ConfigurationChoiceProps): VNode {
  const { id, schema } = configuration;
  const credential = useKindNames([id])(id);
  const form = formOf(schema ?? {});
  const labels = new Map(pathsOf(configuration).map((path) => [textOf(path), claimLabel(form, path)]));
  const paths = [...labels.keys()];
  return (
    <div class="choice">
      <Tick
        label={credential}
        isOn={claims !== undefined}
        onChange={(isOn) => {
          onChange(isOn ? new Set(paths) : undefined);
        }}
      />
      {claims !== undefined && paths.length > 0 && (
        <div class="claims" role="group" aria-label={text('requests.claimsOf', { credential })}>
          {[...labels].map(([path, label]) => (
            <Tick
              key={path}
              label={label}
              isOn={claims.has(path)}
              onChange={(isOn) => {
                onChange(new Set(paths.filter((one) => (one === path ? isOn : claims.has(one)))));
              }}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function withEntry(choice: Choice, id: string, claims: ReadonlySet<string> | undefined): Choice {
  const others = [...choice].filter(([other]) => other !== id);
  return new Map(claims ? [...others, [id, claims]] : others);
}
