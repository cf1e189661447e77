import type { VNode } from 'preact';
import type { Authorization, Credential, Page } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Kind } from '../parts/kind';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { Technical } from '../parts/technical';
import { Timeline } from '../parts/timeline';
import { Facts } from '../parts/value';
import { addressOf } from '../place';
import { CredentialRow } from './credential-row';
import { text } from '../texts';

const every = 1_000;

/** An authorization as it is now: what the person and the wallet do is shown a second later. */
export function AuthorizationView({ authorizationId }: { readonly authorizationId: string }): VNode {
  const path = `authorizations/${encodeURIComponent(authorizationId)}`;
  const authorization = useResource<Authorization>(path, every);
  const ofAuthorization = `credentials?authorizationId=${encodeURIComponent(authorizationId)}`;
  const credentials = useResource<Page<Credential>>(ofAuthorization, every);
  return (
    <>
      <p class="back">
        <a href={addressOf('authorizations')}>{text('common.authorizations')}</a>
      </p>
      <div class="title">
        <h1>{authorization.value?.clientName ?? authorization.value?.clientId ?? authorizationId}</h1>
        <span role="status">{authorization.value && <Badge state={authorization.value.status} />}</span>
      </div>
      <ResourceView resource={authorization}>
        {(value) => (
          <div class="columns">
            <section aria-label={text('authorizations.theAuthorization')}>
              <Facts
                facts={[
                  [text('authorizations.asksFor'), <Kind ids={value.credentialConfigurationIds} />],
                  [
                    text('authorizations.offer'),
                    value.offerId === undefined ? undefined : (
                      <a href={addressOf('offers', value.offerId)}>{text('offers.theOffer')}</a>
                    ),
                  ],
                  [text('common.created'), <Moment at={value.createdAt} />],
                  [
                    text('authorizations.redeemed'),
                    value.redeemedAt === undefined ? undefined : <Moment at={value.redeemedAt} />,
                  ],
                ]}
              />
              <Technical
                facts={[
                  [text('authorizations.id'), authorizationId],
                  [text('authorizations.wallet'), value.clientId],
                ]}
              />
            </section>
            <div>
              {value.offerId === undefined && credentials.value && (
                <Credentials found={credentials.value.items} onChange={credentials.reload} />
              )}
              <Timeline entries={value.timeline} />
              <Revocation path={path} status={value.status} onChange={authorization.reload} />
            </div>
          </div>
        )}
      </ResourceView>
    </>
  );
}

interface CredentialsProps {
  readonly found: readonly Credential[];
  readonly onChange: () => void;
}

/** What the wallet has asked for by itself; the page of an offer shows what the offer gives. */
function Credentials({ found, onChange }: CredentialsProps): VNode {
  return (
    <section aria-labelledby="credentials">
      <h2 id="credentials">{text('authorizations.credentials')}</h2>
      {found.length === 0 && <p class="nothing">{text('authorizations.noCredentials')}</p>}
      <ul class="rows">
        {found.map((credential) => (
          <CredentialRow key={credential.credentialId} credential={credential} onChange={onChange} />
        ))}
      </ul>
    </section>
  );
}

const ended = ['refused', 'revoked', 'expired'];

interface RevocationProps {
  readonly path: string;
  readonly status: string;
  readonly onChange: () => void;
}

function Revocation({ path, status, onChange }: RevocationProps): VNode {
  const action = useAction();
  const revoke = async (): Promise<void> => {
    if (!confirm(text('authorizations.revokeConfirm'))) return;
    if ((await action.call('POST', `${path}/revoke`)) !== undefined) onChange();
  };
  return (
    <>
      <ProblemNotice problem={action.problem} />
      {!ended.includes(status) && (
        <div class="actions">
          <button class="danger" type="button" onClick={() => void revoke()}>
            {text('common.revoke')}
          </button>
        </div>
      )}
    </>
  );
}
