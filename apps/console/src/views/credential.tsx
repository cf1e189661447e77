import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Configuration, CredentialWithContent, Offer, OpenedOffer } from '../api/resources';
import { type Action, useAction, useResource } from '../api/use-api';
import { formOf } from '../form/field';
import { isObject } from '../json';
import { ApprovalNotice } from '../parts/approval-notice';
import { Badge } from '../parts/badge';
import { Kind } from '../parts/kind';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { type Act, Review } from '../parts/review';
import { RichText } from '../parts/rich-text';
import { Technical } from '../parts/technical';
import { Timeline } from '../parts/timeline';
import { Facts } from '../parts/value';
import { addressOf, goTo } from '../place';
import { transactionCodes } from '../shown-once';
import { text, type TextKey } from '../texts';

/** Milliseconds. The credential itself is read once, as each reading of its claims is recorded. */
const every = 2_000;

/** A credential with its whole life: what it is now, what happened to it, and what can be done. */
export function CredentialView({ credentialId }: { readonly credentialId: string }): VNode {
  const credential = useResource<CredentialWithContent>(`credentials/${encodeURIComponent(credentialId)}`);
  return (
    <>
      <p class="back">
        <a href={addressOf('start')}>{text('start.title')}</a>
      </p>
      <ResourceView resource={credential}>
        {(value) =>
          value.offerId === undefined ? (
            <Life credential={value} offer={undefined} onChange={credential.reload} />
          ) : (
            <OfferedLife credential={value} offerId={value.offerId} onChange={credential.reload} />
          )
        }
      </ResourceView>
    </>
  );
}

interface OfferedLifeProps {
  readonly credential: CredentialWithContent;
  readonly offerId: string;
  readonly onChange: () => void;
}

function OfferedLife({ credential, offerId, onChange }: OfferedLifeProps): VNode {
  const offer = useResource<Offer>(`offers/${encodeURIComponent(offerId)}`, every);
  const reload = (): void => {
    offer.reload();
    onChange();
  };
  return (
    <>
      <ProblemNotice problem={offer.problem} />
      <Life credential={credential} offer={offer.value} onChange={reload} />
    </>
  );
}

interface LifeProps {
  readonly credential: CredentialWithContent;
  readonly offer: Offer | undefined;
  readonly onChange: () => void;
}

function Life({ credential, offer, onChange }: LifeProps): VNode {
  const { credentialId, credentialConfigurationId, reference, status, validity, reason } = credential;
  const { createdAt, issuedAt, expiresAt, eraseAt, erasedAt, credential: content } = credential;
  const claims = isObject(content) ? content['credentialSubject'] : undefined;
  const kindPath = `credential_configurations/${encodeURIComponent(credentialConfigurationId)}`;
  const labels = labelsIn(useResource<Configuration>(kindPath).value?.schema);
  // What the offer says of its credentials, the credential says in more detail.
  const ofOffer = offer?.timeline.filter(({ step }) => !step.startsWith('credential ')) ?? [];
  const entries = [...ofOffer, ...credential.timeline].sort((one, other) => one.at.localeCompare(other.at));
  return (
    <>
      <div class="title">
        <h1>{reference ?? <Kind ids={credentialConfigurationId} />}</h1>
        <span role="status">
          <Badge state={status} /> {validity !== undefined && <Badge state={validity} />}
        </span>
      </div>
      <p class="lead">
        <RichText of={meaningOf(credential, offer)} with={{ until: <Moment at={offer?.expiresAt ?? ''} /> }} />
      </p>
      <Acts credential={credential} offer={offer} onChange={onChange} />
      <div class="columns">
        <section aria-labelledby="data">
          <h2 id="data">{text('credentials.data')}</h2>
          {isObject(claims) && (
            <Facts facts={Object.entries(claims).map(([name, value]) => [labels.get(name) ?? name, value])} />
          )}
          <Facts
            facts={[
              [text('credentials.kind'), <Kind ids={credentialConfigurationId} />],
              [text('issue.reference'), reference],
              [text('credentials.createdAt'), <Moment at={createdAt} />],
              [text('credentials.issuedAt'), issuedAt === undefined ? undefined : <Moment at={issuedAt} />],
              [text('credentials.validUntil'), expiresAt === undefined ? undefined : <Moment at={expiresAt} />],
              [text('credentials.deniedBecause'), reason],
              [text('credentials.eraseAt'), eraseAt === undefined ? undefined : <Moment at={eraseAt} />],
              [text('credentials.erasedAt'), erasedAt === undefined ? undefined : <Moment at={erasedAt} />],
            ]}
          />
          <Technical
            facts={[
              [text('credentials.id'), credentialId],
              [text('issue.offerId'), credential.offerId],
              [text('approvals.template'), credentialConfigurationId],
            ]}
          />
        </section>
        <Timeline entries={entries} />
      </div>
    </>
  );
}

/** As the form calls the claims; none where the template is not read or not there any more. */
function labelsIn(schema: object | undefined): ReadonlyMap<string, string> {
  const form = formOf(schema ?? {});
  return new Map(form.kind === 'group' ? form.members.map(({ name, field }) => [name, field.label]) : []);
}

/** The state in a sentence, with what it means for the person. */
function meaningOf({ status, validity, erasedAt }: CredentialWithContent, offer: Offer | undefined): TextKey {
  if (validity === 'Revoked') return 'credentials.isRevoked';
  if (validity === 'Suspended') return 'credentials.isSuspended';
  if (erasedAt !== undefined) return 'credentials.isErased';
  switch (status) {
    case 'Requested':
      return 'credentials.isRequested';
    case 'Denied':
      return 'credentials.isDenied';
    case 'Issued':
    case 'Accepted':
      return 'credentials.isTaken';
    case 'Refused':
      return 'credentials.isRefused';
    case 'Deleted':
      return 'credentials.isDeleted';
    case 'Prepared':
      switch (offer?.state) {
        case 'Expired':
          return 'credentials.isExpired';
        case 'Locked':
          return 'credentials.isLocked';
        case 'Withdrawn':
          return 'credentials.isWithdrawn';
        case 'Open':
          return 'credentials.isReady';
        default:
          return 'credentials.isPrepared';
      }
  }
}

const words: Readonly<Record<Act, TextKey>> = {
  withdraw: 'credentials.withdrawWords',
  suspend: 'credentials.suspendWords',
  reinstate: 'credentials.reinstateWords',
  revoke: 'credentials.revokeWords',
  erase: 'credentials.eraseWords',
  reopen: 'credentials.reopenWords',
};

const labels: Readonly<Record<Act, TextKey>> = {
  withdraw: 'credentials.withdraw',
  suspend: 'credentials.suspend',
  reinstate: 'credentials.reinstate',
  revoke: 'common.revoke',
  erase: 'credentials.erase',
  reopen: 'offers.reopen',
};

/** What is possible now. */
function actsOn({ status, validity, erasedAt }: CredentialWithContent, offer: Offer | undefined): readonly Act[] {
  const isLost = offer?.state === 'Expired' || offer?.state === 'Locked';
  return [
    ...(status === 'Prepared' && isLost && erasedAt === undefined ? (['reopen'] as const) : []),
    ...(status === 'Prepared' && offer?.state === 'Open' ? (['withdraw'] as const) : []),
    ...(validity === 'Valid' ? (['suspend'] as const) : []),
    ...(validity === 'Suspended' ? (['reinstate'] as const) : []),
    ...(validity === 'Valid' || validity === 'Suspended' ? (['revoke'] as const) : []),
    ...(erasedAt === undefined ? (['erase'] as const) : []),
  ];
}

function Acts({ credential, offer, onChange }: LifeProps): VNode {
  const { credentialId, credentialConfigurationId, offerId, status, approval } = credential;
  const [asked, ask] = useState<Act>();
  const [answered, setAnswered] = useState<unknown>();
  const action = useAction();
  const path = `credentials/${encodeURIComponent(credentialId)}`;
  const approve = async (): Promise<void> => {
    if ((await action.call('POST', `${path}/approve`)) !== undefined) onChange();
  };
  const carryOut = async (act: Act, reason: string): Promise<void> => {
    const answer = await send(action, act, path, offer, reason);
    if (answer === undefined) return;
    ask(undefined);
    setAnswered(answer);
    onChange();
    if (act === 'reopen' && offer) goTo(addressOf('offers', offer.offerId));
  };
  return (
    <>
      <ProblemNotice problem={action.problem} />
      <ApprovalNotice answer={answered} />
      {asked ? (
        <Review
          key={asked}
          act={asked}
          words={text(words[asked])}
          isRunning={action.isRunning}
          onConfirm={(reason) => void carryOut(asked, reason)}
          onBack={() => {
            ask(undefined);
          }}
        />
      ) : (
        <div class="actions">
          {status === 'Requested' && offerId !== undefined && (
            <a class="button primary" href={addressOf('issue', credentialConfigurationId, { offer: offerId })}>
              {text('offers.submitData')}
            </a>
          )}
          {status === 'Prepared' && approval === 'awaited' && (
            <button class="primary" type="button" onClick={() => void approve()}>
              {text('credentials.approve')}
            </button>
          )}
          {status === 'Prepared' && offer?.state === 'Open' && (
            <a class="button primary" href={addressOf('offers', offer.offerId)}>
              {text('credentials.handOver')}
            </a>
          )}
          {actsOn(credential, offer).map((act) => (
            <button
              key={act}
              type="button"
              class={act === 'revoke' || act === 'erase' ? 'danger' : undefined}
              onClick={() => {
                ask(act);
              }}
            >
              {text(labels[act])}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

async function send(
  action: Action,
  act: Act,
  path: string,
  offer: Offer | undefined,
  reason: string,
): Promise<unknown> {
  const offerPath = `offers/${encodeURIComponent(offer?.offerId ?? '')}`;
  switch (act) {
    case 'withdraw':
      return action.call('DELETE', offerPath);
    case 'reopen': {
      const body = offer?.txCodeRequired ? { txCode: true } : {};
      const opened = (await action.call('POST', `${offerPath}/reopen`, body)) as OpenedOffer | undefined;
      if (offer) transactionCodes.remember(offer.offerId, opened?.txCode);
      return opened;
    }
    case 'erase':
      return action.call('DELETE', `${path}/personal_data`);
    case 'suspend':
    case 'reinstate':
    case 'revoke':
      return action.call('POST', `${path}/${act}`, reason === '' ? {} : { reason });
  }
}
