import type { VNode } from 'preact';
import type { Credential, Offer, OpenedOffer, Page } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { Kind } from '../parts/kind';
import { LinkBox } from '../parts/link-box';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { Technical } from '../parts/technical';
import { Timeline } from '../parts/timeline';
import { Facts } from '../parts/value';
import { addressOf } from '../place';
import { transactionCodes } from '../shown-once';
import { CredentialRow } from './credential-row';
import { Handover } from './handover';
import { text } from '../texts';

const every = 1_000;

/** An offer as it is now: what a wallet does is shown a second later. */
export function OfferView({ offerId }: { readonly offerId: string }): VNode {
  const path = `offers/${encodeURIComponent(offerId)}`;
  const offer = useResource<Offer>(path, every);
  const credentials = useResource<Page<Credential>>(`credentials?offerId=${encodeURIComponent(offerId)}`, every);
  return (
    <>
      <p class="back">
        <a href={addressOf('offers')}>{text('common.offers')}</a>
      </p>
      <div class="title">
        <h1 title={offerId}>
          {offer.value && offer.value.credentials.length > 0 ? (
            <Kind ids={offer.value.credentials.map(({ configurationId }) => configurationId)} />
          ) : (
            text('offers.theOffer')
          )}
        </h1>
        <span role="status">{offer.value && <Badge state={offer.value.state} />}</span>
      </div>
      <ResourceView resource={offer}>
        {(value) => (
          <div class="columns">
            <OfferLink offer={value} />
            <div>
              <Credentials offer={value} found={credentials.value?.items ?? []} onChange={credentials.reload} />
              {!value.public && <Handover offer={value} />}
              <Timeline entries={value.timeline} />
              <OfferActions path={path} offer={value} found={credentials.value?.items ?? []} onChange={offer.reload} />
            </div>
          </div>
        )}
      </ResourceView>
    </>
  );
}

function OfferLink({ offer }: { readonly offer: Offer }): VNode {
  const { offerId, state, credentialOffer, links, txCodeRequired, wrongTxCodes } = offer;
  const code = transactionCodes.of(offerId);
  const isOpen = state === 'Open' || state === 'Online';
  return (
    <section aria-label={text('offers.theOffer')}>
      {credentialOffer !== undefined && isOpen && <LinkBox link={credentialOffer} label={text('offers.qrCode')} />}
      {credentialOffer === undefined && isOpen && <p class="nothing">{text('offers.linkHidden')}</p>}
      <Facts
        facts={[
          [text('common.created'), <Moment at={offer.createdAt} />],
          [text('common.openUntil'), isOpen ? <Moment at={offer.expiresAt} /> : undefined],
          [text('offers.transactionCode'), txCodeRequired ? (code ?? text('offers.codeShownOnce')) : undefined],
          [text('offers.wrongCodes'), wrongTxCodes > 0 ? wrongTxCodes : undefined],
          [text('offers.for'), offer.public ? text('offers.anyNumber') : undefined],
          [text('common.pageForPerson'), links && isOpen ? <a href={links.page}>{text('common.open')}</a> : undefined],
        ]}
      />
      <Technical
        facts={[
          [text('issue.offerId'), offerId],
          [text('offers.acceptedBy'), offer.claims],
        ]}
      />
    </section>
  );
}

interface CredentialsProps {
  readonly offer: Offer;
  readonly found: readonly Credential[];
  readonly onChange: () => void;
}

function Credentials({ offer: { offerId, credentials, public: isPublic }, found, onChange }: CredentialsProps): VNode {
  const missing = credentials.filter(({ credentialId }) => credentialId === undefined);
  return (
    <section aria-labelledby="credentials">
      <h2 id="credentials">{text('offers.credentials')}</h2>
      {credentials.length === 0 && <p class="nothing">{text('offers.isEmpty')}</p>}
      <ul class="rows">
        {found.map((credential) => (
          <CredentialRow key={credential.credentialId} credential={credential} onChange={onChange} />
        ))}
        {missing.map(({ configurationId }) => (
          <li class="row" key={configurationId}>
            <div class="row-main">
              <strong>
                <Kind ids={configurationId} />
              </strong>
              <div class="hint">{isPublic ? text('offers.ownForEach') : text('offers.dataMissing')}</div>
            </div>
            {!isPublic && (
              <a class="button" href={addressOf('issue', configurationId, { offer: offerId })}>
                {text('offers.submitData')}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface OfferActionsProps {
  readonly path: string;
  readonly offer: Offer;
  readonly found: readonly Credential[];
  readonly onChange: () => void;
}

function OfferActions({ path, offer, found, onChange }: OfferActionsProps): VNode | null {
  const { offerId, state, txCodeRequired } = offer;
  const isLost = state === 'Redeemed' && found.every(({ status }) => status === 'Prepared');
  const action = useAction();
  const withdraw = async (): Promise<void> => {
    if (!confirm(text('offers.withdrawConfirm'))) return;
    if ((await action.call('DELETE', path)) !== undefined) onChange();
  };
  const turn = async (way: 'offline' | 'online'): Promise<void> => {
    if ((await action.call('POST', `${path}/take_${way}`)) !== undefined) onChange();
  };
  const reopen = async (): Promise<void> => {
    const body = txCodeRequired ? { txCode: true } : {};
    const opened = (await action.call('POST', `${path}/reopen`, body)) as OpenedOffer | undefined;
    transactionCodes.remember(offerId, opened?.txCode);
    if (opened) onChange();
  };
  return (
    <>
      <ProblemNotice problem={action.problem} />
      <div class="actions">
        {(state === 'Locked' || state === 'Expired' || isLost) && (
          <button type="button" onClick={() => void reopen()}>
            {text('offers.reopen')}
          </button>
        )}
        {state === 'Online' && (
          <button type="button" onClick={() => void turn('offline')}>
            {text('offers.takeOffline')}
          </button>
        )}
        {state === 'Offline' && (
          <button type="button" onClick={() => void turn('online')}>
            {text('offers.takeOnline')}
          </button>
        )}
        {(state === 'Open' || state === 'Online' || state === 'Offline') && (
          <button class="danger" type="button" onClick={() => void withdraw()}>
            {text('offers.withdraw')}
          </button>
        )}
      </div>
    </>
  );
}
