import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Credential } from '../api/resources';
import { useAction } from '../api/use-api';
import { ApprovalNotice } from '../parts/approval-notice';
import { Badge } from '../parts/badge';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { addressOf } from '../place';
import { RichText } from '../parts/rich-text';
import { text } from '../texts';

interface CredentialRowProps {
  readonly credential: Credential;
  readonly onChange: () => void;
}

/** A credential of an offer or an authorization, with what can be done to its validity. */
export function CredentialRow({ credential, onChange }: CredentialRowProps): VNode {
  const { credentialId, credentialConfigurationId, offerId, status, approval, validity, issuedAt, expiresAt } =
    credential;
  const action = useAction();
  const [asked, setAsked] = useState<unknown>();
  const change = (name: 'approve' | 'suspend' | 'reinstate' | 'revoke'): void => {
    if (name === 'revoke' && !confirm(text('credentials.revokeConfirm'))) return;
    void action.call('POST', `credentials/${encodeURIComponent(credentialId)}/${name}`).then((answer) => {
      setAsked(answer);
      if (answer !== undefined) onChange();
    });
  };
  return (
    <li class="row">
      <div class="row-main">
        <strong>{credentialConfigurationId}</strong>
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
        <ApprovalNotice answer={asked} />
      </div>
      {status === 'Prepared' && approval === 'awaited' && (
        <button
          type="button"
          onClick={() => {
            change('approve');
          }}
        >
          {text('credentials.approve')}
        </button>
      )}
      {status === 'Requested' && offerId !== undefined && (
        <a class="button" href={addressOf('issue', credentialConfigurationId, { offer: offerId })}>
          {text('offers.submitData')}
        </a>
      )}
      {validity !== undefined && validity !== 'Revoked' && (
        <div class="actions">
          <button
            type="button"
            onClick={() => {
              change(validity === 'Valid' ? 'suspend' : 'reinstate');
            }}
          >
            {validity === 'Valid' ? text('credentials.suspend') : text('credentials.reinstate')}
          </button>
          <button
            class="danger"
            type="button"
            onClick={() => {
              change('revoke');
            }}
          >
            {text('common.revoke')}
          </button>
        </div>
      )}
    </li>
  );
}
