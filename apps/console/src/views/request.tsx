import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Configuration, Page, PresentationRequest, PresentedCredential } from '../api/resources';
import { useKindNames } from '../api/kinds';
import { useResource } from '../api/use-api';
import { claimLabel, formOf } from '../form/field';
import { Badge } from '../parts/badge';
import { LinkBox } from '../parts/link-box';
import { Moment } from '../parts/moment';
import { ResourceView } from '../parts/resource-view';
import { Technical } from '../parts/technical';
import { Timeline } from '../parts/timeline';
import { Facts } from '../parts/value';
import { addressOf } from '../place';
import { createdRequests } from '../shown-once';
import { ResponseCodeForm } from './response-code-form';
import { RichText } from '../parts/rich-text';
import { text, textFor } from '../texts';

const every = 1_000;

/** What a wallet is asked for. */
export function askedText(responseType: PresentationRequest['responseType']): string {
  return text(responseType === 'id_token' ? 'requests.forIdToken' : 'requests.credentials');
}

/** A request with its result: what a wallet does is shown a second later. */
export function RequestView({ state }: { readonly state: string }): VNode {
  const request = useResource<PresentationRequest>(`authorization_requests/${encodeURIComponent(state)}`, every);
  return (
    <>
      <p class="back">
        <a href={addressOf('requests')}>{text('common.requests')}</a>
      </p>
      <div class="title">
        <h1 title={state}>{text('requests.theRequest')}</h1>
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
    <section aria-label={text('requests.theRequest')}>
      {isOpen && !shown && <p class="nothing">{text('requests.linksGone')}</p>}
      {isOpen && shown && (
        <>
          <div class="field">
            <label for="generation">{text('requests.walletsOf')}</label>
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
          <LinkBox link={shown.link} label={text('requests.qrCode', { generation: shown.name })} />
        </>
      )}
      <Facts
        facts={[
          [text('requests.asksFor'), askedText(responseType)],
          [text('common.created'), <Moment at={createdAt} />],
          [text('common.openUntil'), isOpen ? <Moment at={expiresAt} /> : undefined],
          [text('common.pageForPerson'), links && isOpen ? <a href={links.page}>{text('common.open')}</a> : undefined],
          [text('requests.warnings'), warnings],
          [text('requests.noLinkFor'), isOpen && Object.keys(unavailable).length > 0 ? unavailable : undefined],
        ]}
      />
      <Technical
        facts={[
          [text('credentials.id'), state],
          [text('requests.asksFor'), responseType],
          [text('requests.response'), responseMode],
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
  const issued = useResource<Page<Configuration>>('credential_configurations').value;
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
      <h2 id="result">{text('requests.result')}</h2>
      {failure && (
        <div class="problem">
          <strong>{textFor('checks', failure.check) ?? text('checks.other')}</strong>
          <Technical
            facts={[
              [text('requests.failedCheck'), failure.check],
              [text('approvals.reason'), failure.reason],
              [text('credentials.kind'), failure.credentialId],
            ]}
          />
        </div>
      )}
      {withheld !== null && <ResponseCodeForm state={state} reason={withheld} onRedeemed={onRedeemed} />}
      {status !== 'verified' && !failure && <p class="nothing">{text('requests.notPresented')}</p>}
      {subject !== null && <Facts facts={[[text('requests.subject'), subject]]} />}
      <Facts
        facts={[
          [
            text('requests.confirmed'),
            transactionData.map(({ type, confirmedBy }) =>
              text('requests.confirmedBy', { type, credential: confirmedBy }),
            ),
          ],
        ]}
      />
      {credentials.map((credential) => (
        <Presented
          key={`${credential.id} ${credential.issuer}`}
          credential={credential}
          kind={issued?.items.find((kind) => isOfKind(credential, kind))}
        />
      ))}
      {(vpToken !== null || idToken !== null) && (
        <details>
          <summary>{text('requests.asSent')}</summary>
          <pre role="region" aria-label={text('requests.tokens')} tabIndex={0}>
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

interface PresentedProps {
  readonly credential: PresentedCredential;
  /** The kind, where it is issued here as well. */
  readonly kind: Configuration | undefined;
}

function isOfKind({ type, acceptedAs }: PresentedCredential, { vct, doctype, type: own }: Configuration): boolean {
  return [vct, doctype, own?.at(-1)].some((one) => one !== undefined && [...type, acceptedAs?.type].includes(one));
}

function Presented({ credential, kind }: PresentedProps): VNode {
  const { id, format, issuer, type, acceptedAs, claims, holder, status, trust, trustAnchor, issuedAt, expiresAt } =
    credential;
  const nameOf = useKindNames(kind ? [kind.id] : []);
  const form = formOf(kind?.schema ?? {});
  const isOfPerson = ([name]: readonly [string, unknown]): boolean => !technical.has(name);
  const entries = Object.entries(claims);
  return (
    <article class="card">
      <h3 title={id}>{kind ? nameOf(kind.id) : id}</h3>
      <Facts facts={entries.filter(isOfPerson).map(([name, value]) => [claimLabel(form, [name]), value])} />
      <details>
        <summary>
          <RichText
            of="requests.issuerAndStatus"
            with={{ trust: <Badge state={trust} />, status: <Badge state={status} /> }}
          />
        </summary>
        <Facts
          facts={[
            [text('requests.issuer'), issuer],
            [text('requests.vouchedBy'), trustAnchor && `${trustAnchor.name} (${trustAnchor.subject})`],
            [text('requests.issued'), issuedAt === undefined ? undefined : <Moment at={issuedAt} />],
            [text('requests.expires'), expiresAt === undefined ? undefined : <Moment at={expiresAt} />],
          ]}
        />
        <Technical
          facts={[
            [text('credentials.id'), id],
            [text('requests.fingerprint'), trustAnchor?.fingerprint],
            [text('requests.type'), type],
            [text('requests.acceptedAs'), acceptedAs && `${acceptedAs.type} (${acceptedAs.by})`],
            [text('requests.format'), format],
            [text('requests.holder'), holder ? (holder.did ?? holder.thumbprint) : undefined],
            ...entries.filter((entry) => !isOfPerson(entry)),
          ]}
        />
      </details>
    </article>
  );
}
