import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Credential, StatusChangeResult } from '../api/resources';
import { useKindNames } from '../api/kinds';
import { useAction } from '../api/use-api';
import { addressOf } from '../place';
import { text } from '../texts';
import { Badge } from './badge';
import { Moment, momentText } from './moment';
import { ProblemNotice } from './problem-notice';
import { Review } from './review';

interface CredentialTableProps {
  readonly caption: string;
  readonly items: readonly Credential[];
  readonly nothing: string;
  /** Several can be chosen and revoked at once where this is given. */
  readonly onChange?: () => void;
}

const isRevocable = ({ validity }: Credential): boolean => validity === 'Valid' || validity === 'Suspended';

/** Credentials, each with the way to its page. */
export function CredentialTable({ caption, items, nothing, onChange }: CredentialTableProps): VNode {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const nameOf = useKindNames(items.map(({ credentialConfigurationId }) => credentialConfigurationId));
  const hasChoice = onChange !== undefined && items.some(isRevocable);
  const choose = (id: string, isOn: boolean): void => {
    setChosen(new Set([...chosen].filter((one) => one !== id).concat(isOn ? [id] : [])));
  };
  if (items.length === 0) return <p class="nothing">{nothing}</p>;
  return (
    <>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {hasChoice && <th scope="col">{text('credentials.choose')}</th>}
            <th scope="col">{text('credentials.kind')}</th>
            <th scope="col">{text('credentials.state')}</th>
            <th scope="col">{text('credentials.createdAt')}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((credential) => {
            const { credentialId, credentialConfigurationId: kind, status, validity, createdAt } = credential;
            return (
              <tr key={credentialId}>
                {hasChoice && (
                  <td>
                    {isRevocable(credential) && (
                      <input
                        type="checkbox"
                        aria-label={text('credentials.chooseOne', {
                          credential: `${nameOf(kind)}, ${momentText(createdAt)}`,
                        })}
                        checked={chosen.has(credentialId)}
                        onChange={({ currentTarget }) => {
                          choose(credentialId, currentTarget.checked);
                        }}
                      />
                    )}
                  </td>
                )}
                <td>
                  <a href={addressOf('credentials', credentialId)} title={credentialId}>
                    {nameOf(kind)}
                  </a>
                </td>
                <td>
                  <Badge state={status} />{' '}
                  {validity !== undefined && validity !== 'Valid' && <Badge state={validity} />}
                </td>
                <td>
                  <Moment at={createdAt} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {onChange && hasChoice && (
        <RevokeChosen
          ids={[...chosen]}
          onDone={() => {
            setChosen(new Set());
            onChange();
          }}
        />
      )}
    </>
  );
}

function RevokeChosen({ ids, onDone }: { readonly ids: readonly string[]; readonly onDone: () => void }): VNode {
  const [isAsked, ask] = useState(false);
  const [results, setResults] = useState<readonly StatusChangeResult[]>();
  const action = useAction();
  const revoke = async (reason: string): Promise<void> => {
    const body = { change: 'revoke', credentialIds: ids, ...(reason !== '' && { reason }) };
    const answer = (await action.call('POST', 'credentials/status_changes', body)) as
      { readonly items: readonly StatusChangeResult[] } | undefined;
    if (!answer) return;
    ask(false);
    setResults(answer.items);
    onDone();
  };
  const waiting = results?.filter(({ approvalId }) => approvalId !== undefined).length ?? 0;
  const failed = results?.filter(({ problem }) => problem !== undefined) ?? [];
  return (
    <>
      <ProblemNotice problem={action.problem} />
      <div aria-live="polite">
        {results && <p>{text('credentials.revokedSeveral', { count: results.length - failed.length - waiting })}</p>}
        {waiting > 0 && <p>{text('credentials.awaitsApproval')}</p>}
        {failed.map(({ credentialId, problem }) => (
          <p class="fault" key={credentialId}>
            {credentialId}: {problem?.title}
          </p>
        ))}
      </div>
      {isAsked && ids.length > 0 ? (
        <Review
          act="revoke"
          words={text('credentials.revokeSeveralWords', { count: ids.length })}
          isRunning={action.isRunning}
          onConfirm={(reason) => void revoke(reason)}
          onBack={() => {
            ask(false);
          }}
        />
      ) : (
        <div class="actions">
          <button
            class="danger"
            type="button"
            disabled={ids.length === 0}
            onClick={() => {
              ask(true);
            }}
          >
            {text('credentials.revokeChosen', { count: ids.length })}
          </button>
        </div>
      )}
    </>
  );
}
