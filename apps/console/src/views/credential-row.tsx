import type { VNode } from 'preact';
import type { Credential } from '../api/resources';
import { useAction } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Kind } from '../parts/kind';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { addressOf } from '../place';
import { RichText } from '../parts/rich-text';
import { text } from '../texts';

interface CredentialRowProps {
  readonly credential: Credential;
  readonly onChange: () => void;
}

/** A credential of an offer or an authorization, with the way to its page. */
export function CredentialRow({ credential, onChange }: CredentialRowProps): VNode {
  const { credentialId, credentialConfigurationId, offerId, status, approval, validity, issuedAt, expiresAt } =
    credential;
  const action = useAction();
  const approve = (): void => {
    void action.call('POST', `credentials/${encodeURIComponent(credentialId)}/approve`).then((answer) => {
      if (answer !== undefined) onChange();
    });
  };
  return (
    <li class="row">
      <div class="row-main">
        <a href={addressOf('credentials', credentialId)}>
          <Kind ids={credentialConfigurationId} />
        </a>
        <span role="status">
          <Badge state={status} /> {validity !== undefined && <Badge state={validity} />}
        </span>
        <div class="hint">
          {status === 'Requested' && text('credentials.waitsForData')}
          {status === 'Prepared' && approval === 'awaited' && `${text('credentials.waitsForApproval')} `}
          {issuedAt !== undefined && <RichText of="credentials.issued" with={{ at: <Moment at={issuedAt} /> }} />}
          {expiresAt !== undefined && (
            <>
              {issuedAt !== undefined && ', '}
              <RichText of="credentials.expires" with={{ at: <Moment at={expiresAt} /> }} />
            </>
          )}
        </div>
        <ProblemNotice problem={action.problem} />
      </div>
      {status === 'Prepared' && approval === 'awaited' && (
        <button type="button" onClick={approve}>
          {text('credentials.approve')}
        </button>
      )}
      {status === 'Requested' && offerId !== undefined && (
        <a class="button" href={addressOf('issue', credentialConfigurationId, { offer: offerId })}>
          {text('offers.submitData')}
        </a>
      )}
    </li>
  );
}
