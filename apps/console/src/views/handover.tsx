import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Offer, OfferDelivery, Recipient } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { Moment } from '../parts/moment';
import { ProblemNotice } from '../parts/problem-notice';
import { RecipientFields, recipientIn } from '../parts/recipient-fields';
import { Tick } from '../parts/text-field';
import { Facts } from '../parts/value';
import { transactionCodes } from '../shown-once';
import { languages, text, type TextKey } from '../texts';

/** Milliseconds, while a mail is on its way. */
const every = 2_000;

interface Deliveries {
  readonly recipient?: Recipient;
  readonly items: readonly OfferDelivery[];
}

/** How an offer comes to its person. Read once: each reading of the recipient is recorded. */
export function Handover({ offer }: { readonly offer: Offer }): VNode | null {
  const path = `offers/${encodeURIComponent(offer.offerId)}`;
  const deliveries = useResource<Deliveries>(`${path}/deliveries`);
  if (!deliveries.value)
    return deliveries.problem?.status === 403 ? null : <ProblemNotice problem={deliveries.problem} />;
  const { recipient, items } = deliveries.value;
  return (
    <section aria-labelledby="handover">
      <h2 id="handover">{text('delivery.title')}</h2>
      {recipient ? <Addressee recipient={recipient} /> : <p class="nothing">{text('delivery.noRecipient')}</p>}
      {offer.state === 'Open' && (
        <>
          <Ways path={path} offer={offer} recipient={recipient} onChange={deliveries.reload} />
          <RecipientForm offerId={offer.offerId} recipient={recipient} onChange={deliveries.reload} />
        </>
      )}
      {items.length > 0 && (
        <>
          <h3>{text('delivery.list')}</h3>
          <ul class="rows">
            {items.map((item) => (
              <DeliveryRow key={item.deliveryId} path={path} listed={item} onChange={deliveries.reload} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Addressee({ recipient: { email, name, locale } }: { readonly recipient: Recipient }): VNode {
  return (
    <Facts
      facts={[
        [text('delivery.name'), name],
        [text('delivery.email'), email],
        [text('delivery.language'), locale === undefined ? undefined : languages[locale as keyof typeof languages]],
      ]}
    />
  );
}

interface WaysProps {
  readonly path: string;
  readonly offer: Offer;
  readonly recipient: Recipient | undefined;
  readonly onChange: () => void;
}

function Ways({ path, offer, recipient, onChange }: WaysProps): VNode {
  const action = useAction();
  const code = transactionCodes.of(offer.offerId);
  const [hasCode, setHasCode] = useState(false);
  const [isBlocked, setBlocked] = useState(false);
  const send = async (): Promise<void> => {
    if ((await action.call('POST', `${path}/deliveries`, { channel: 'email' })) !== undefined) onChange();
  };
  const print = async (): Promise<void> => {
    const one = { offerId: offer.offerId, ...(hasCode && code !== undefined && { txCode: code }) };
    const address = await action.page('offers/letters', { offers: [one] });
    if (address === undefined) return;
    const shown = window.open(address);
    setBlocked(shown === null);
    shown?.addEventListener('load', () => {
      shown.print();
    });
    onChange();
  };
  const show = (): void => {
    const { page = '' } = offer.links ?? {};
    const address = recipient?.locale === undefined ? page : `${page}?language=${recipient.locale}`;
    const size = `popup,width=${screen.availWidth},height=${screen.availHeight}`;
    setBlocked(window.open(address, 'second-screen', size) === null);
  };
  return (
    <>
      <ProblemNotice problem={action.problem} />
      {isBlocked && <p role="alert">{text('delivery.blocked')}</p>}
      {code !== undefined && <Tick label={text('delivery.codeInLetter')} isOn={hasCode} onChange={setHasCode} />}
      <div class="actions">
        {recipient?.email !== undefined && (
          <button type="button" disabled={action.isRunning} onClick={() => void send()}>
            {text('delivery.send')}
          </button>
        )}
        <button type="button" disabled={action.isRunning} onClick={() => void print()}>
          {text('delivery.letter')}
        </button>
        {offer.links && (
          <button type="button" onClick={show}>
            {text('delivery.screen')}
          </button>
        )}
      </div>
    </>
  );
}

interface RecipientFormProps {
  readonly offerId: string;
  readonly recipient: Recipient | undefined;
  readonly onChange: () => void;
}

function RecipientForm({ offerId, recipient = {}, onChange }: RecipientFormProps): VNode {
  const [draft, setDraft] = useState<Recipient>(recipient);
  const action = useAction();
  const isInFields = action.problem?.violations?.every(({ pointer }) => pointer.startsWith('/recipient/'));
  const save = async (): Promise<void> => {
    const body = { offerId, ...recipientIn(draft) };
    if ((await action.call('POST', 'offers', body)) !== undefined) onChange();
  };
  return (
    <details>
      <summary>{text('delivery.change')}</summary>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <RecipientFields recipient={draft} onChange={setDraft} faults={action.problem?.violations ?? []} />
        <ProblemNotice problem={isInFields ? undefined : action.problem} />
        <button disabled={action.isRunning}>{text('delivery.save')}</button>
      </form>
    </details>
  );
}

interface DeliveryRowProps {
  readonly path: string;
  readonly listed: OfferDelivery;
  readonly onChange: () => void;
}

function DeliveryRow({ path, listed, onChange }: DeliveryRowProps): VNode {
  const own = `${path}/deliveries/${encodeURIComponent(listed.deliveryId)}`;
  const { value = listed } = useResource<OfferDelivery>(own, listed.status === 'Queued' ? every : undefined);
  const { status, channel, reason } = value;
  const action = useAction();
  const stop = async (): Promise<void> => {
    if ((await action.call('DELETE', own)) !== undefined) onChange();
  };
  const cameBack = async (): Promise<void> => {
    if ((await action.call('POST', `${own}/bounce`, { reason: 'wrong-address' })) !== undefined) onChange();
  };
  return (
    <li class="row">
      <div class="row-main">
        <strong>{text(channel === 'email' ? 'delivery.byEmail' : 'delivery.byLetter')}</strong>{' '}
        <span role="status">
          <DeliveryBadge status={status} />
          {reason !== undefined && reason !== null && status !== 'Sent' && <span> {wordsFor(reason)}</span>}
        </span>
        <div class="hint">
          <Moment at={value.createdAt} />
        </div>
        <ProblemNotice problem={action.problem} />
      </div>
      <div class="actions">
        {status === 'Queued' && (
          <button type="button" onClick={() => void stop()}>
            {text('delivery.stop')}
          </button>
        )}
        {status === 'Sent' && (
          <button type="button" onClick={() => void cameBack()}>
            {text('delivery.cameBack')}
          </button>
        )}
      </div>
    </li>
  );
}

export function DeliveryBadge({ status }: Pick<OfferDelivery, 'status'>): VNode {
  return <span class={`badge ${tones[status]}`}>{text(states[status])}</span>;
}

const states: Readonly<Record<OfferDelivery['status'], TextKey>> = {
  Queued: 'delivery.queued',
  Sent: 'delivery.sent',
  Failed: 'delivery.failed',
  Bounced: 'delivery.bounced',
  Cancelled: 'delivery.cancelled',
};
const tones: Readonly<Record<OfferDelivery['status'], string>> = {
  Queued: 'neutral',
  Sent: 'good',
  Failed: 'bad',
  Bounced: 'bad',
  Cancelled: 'neutral',
};

const words: Readonly<Record<string, TextKey>> = {
  'no-address': 'delivery.noAddress',
  'offer-not-open': 'delivery.notOpen',
  'wrong-address': 'delivery.wrongAddress',
  'mailbox-full': 'delivery.mailboxFull',
  refused: 'delivery.refused',
  other: 'delivery.returned',
};

function wordsFor(reason: string): string {
  if (/^\d/.test(reason)) return text('delivery.refusedByServer', { code: reason });
  return text(words[reason] ?? 'delivery.relayFails');
}
