import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PresentationRequest, PresentedCredential } from '../api/resources';
import { useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { LinkBox } from '../parts/link-box';
import { Moment } from '../parts/moment';
import { ResourceView } from '../parts/resource-view';
import { Timeline } from '../parts/timeline';
import { Facts, Value } from '../parts/value';
import { addressOf } from '../place';
import { createdRequests } from '../shown-once';
import { ResponseCodeForm } from './response-code-form';

const every = 1_000;

/** A request with its result: what a wallet does is shown a second later. */
export function RequestView({ state }: { readonly state: string }): VNode {
  const request = useResource<PresentationRequest>(`authorization_requests/${encodeURIComponent(state)}`, every);
  return (
    <>
      <p class="back">
        <a href={addressOf('requests')}>Requests</a>
      </p>
      <div class="title">
        <h1>{state}</h1>
        <span role="status">{request.value && <Badge state={request.value.status} />}</span>
      </div>
      <ResourceView resource={request}>
        {(value) => (
          <div class="columns">
            <RequestLink request={value} />
            <div>
              <Result request={value} onRedeemed={request.reload} />
              <Timeline entries={value.timeline} />
            </div>
          </div>
        )}
      </ResourceView>
    </>
  );
}

function RequestLink({ request }: { readonly request: PresentationRequest }): VNode {
  const { state, status, failure, responseType, responseMode, createdAt, expiresAt } = request;
  const [generation, setGeneration] = useState('1.0');
  const { variants, links, warnings } = createdRequests.of(state) ?? {};
  const { unavailable = {}, ...generations } = variants ?? {};
  const offered = Object.entries(generations).flatMap(([name, link]) =>
    typeof link === 'string' ? [{ name, link }] : [],
  );
  const shown = offered.find(({ name }) => name === generation) ?? offered[0];
  const isOpen = status !== 'verified' && status !== 'expired' && failure?.check !== 'session';
  return (
    <section aria-label="The request">
      {isOpen && !shown && (
        <p class="nothing">
          The links for wallets were returned when the request was created, and this page has them no more: create
          another request.
        </p>
      )}
      {isOpen && shown && (
        <>
          <div class="field">
            <label for="generation">Wallets of</label>
            <select
              id="generation"
              value={shown.name}
              onChange={({ currentTarget }) => {
                setGeneration(currentTarget.value);
              }}
            >
              {offered.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <LinkBox link={shown.link} label={`QR code of the request, for wallets of ${shown.name}`} />
        </>
      )}
      <Facts
        facts={[
          ['asks for', responseType],
          ['response', responseMode],
          ['created', <Moment at={createdAt} />],
          ['open until', isOpen ? <Moment at={expiresAt} /> : undefined],
          ['page for the person', links && isOpen ? <a href={links.page}>open</a> : undefined],
          ['warnings', warnings],
          ['no link for', isOpen && Object.keys(unavailable).length > 0 ? unavailable : undefined],
        ]}
      />
    </section>
  );
}

interface ResultProps {
  readonly request: PresentationRequest;
  readonly onRedeemed: () => void;
}

function Result({ request, onRedeemed }: ResultProps): VNode {
  const {
    state,
    status,
    withheld,
    failure,
    credentials,
    subject,
    transactionData,
    vp_token: vpToken,
    id_token: idToken,
  } = request;
  return (
    <section aria-labelledby="result">
      <h2 id="result">Result</h2>
      {failure && (
        <div class="problem">
          <strong>The check “{failure.check}” failed</strong>
          <p>{failure.reason}</p>
          {failure.credentialId !== undefined && <p>It concerns the credential {failure.credentialId} of the query.</p>}
        </div>
      )}
      {withheld !== null && <ResponseCodeForm state={state} reason={withheld} onRedeemed={onRedeemed} />}
      {status !== 'verified' && !failure && <p class="nothing">No wallet has presented yet.</p>}
      {subject !== null && <Facts facts={[['subject', subject]]} />}
      <Facts facts={[['confirmed', transactionData.map(({ type, confirmedBy }) => `${type}, by ${confirmedBy}`)]]} />
      {credentials.map((credential) => (
        <Presented key={`${credential.id} ${credential.issuer}`} credential={credential} />
      ))}
      {(vpToken !== null || idToken !== null) && (
        <details>
          <summary>As the wallet sent it</summary>
          <pre role="region" aria-label="Tokens" tabIndex={0}>
            {JSON.stringify({ vp_token: vpToken, id_token: idToken }, null, 2)}
          </pre>
        </details>
      )}
    </section>
  );
}

/** Claims that say how a credential is made; the rest is about the person. */
const technical = new Set([
  'iss',
  'vct',
  'iat',
  'nbf',
  'exp',
  'cnf',
  'status',
  '_sd',
  '_sd_alg',
  'vct#integrity',
  'aka_vcts',
]);

function Presented({ credential }: { readonly credential: PresentedCredential }): VNode {
  const { id, format, issuer, type, acceptedAs, claims, holder, status, trust, trustAnchor, issuedAt, expiresAt } =
    credential;
  const entries = Object.entries(claims);
  return (
    <article class="card">
      <h3>{id}</h3>
      <Facts facts={entries.filter(([name]) => !technical.has(name))} />
      <details>
        <summary>
          Issuer <Badge state={trust} /> · status <Badge state={status} />
        </summary>
        <Facts
          facts={[
            ['issuer', issuer],
            ['vouched for by', trustAnchor && `${trustAnchor.name} (${trustAnchor.subject})`],
            ['SHA-256 of its certificate', trustAnchor?.fingerprint],
            ['type', type],
            ['accepted as', acceptedAs && `${acceptedAs.type} (${acceptedAs.by})`],
            ['format', format],
            ['holder', holder ? (holder.did ?? holder.thumbprint) : undefined],
            ['issued', issuedAt === undefined ? undefined : <Moment at={issuedAt} />],
            ['expires', expiresAt === undefined ? undefined : <Moment at={expiresAt} />],
          ]}
        />
        <h4>Other members</h4>
        <Value value={Object.fromEntries(entries.filter(([name]) => technical.has(name)))} />
      </details>
    </article>
  );
}
