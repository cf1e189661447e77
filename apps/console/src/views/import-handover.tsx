import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Import, ImportRow, OfferDelivery, Page } from '../api/resources';
import { useAction, useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { addressOf } from '../place';
import { numberText, text } from '../texts';
import { DeliveryBadge } from './handover';

const shownRows = 100;
const filters = { '': 'imports.all', 'taken=false': 'imports.notTaken', 'taken=true': 'imports.isTaken' } as const;
type Filter = keyof typeof filters;

interface ImportHandoverProps {
  readonly path: string;
  readonly found: Import;
  readonly onChange: () => void;
}

/** How the offers of an import come to their persons, and who has taken theirs. */
export function ImportHandover({ path, found, onChange }: ImportHandoverProps): VNode | null {
  const { offers, mails, mailing, totals } = found;
  if (!offers || !mails || totals.created === 0) return null;
  const isQueueing = mailing?.state === 'Queueing';
  const withoutAddress = mailing?.skipped['no-address'] ?? 0;
  return (
    <section aria-labelledby="handover">
      <h2 id="handover">{text('delivery.title')}</h2>
      <p role="status" aria-live="polite">
        {mailing &&
          text('imports.mailProgress', {
            queued: mails.Queued,
            sent: mails.Sent,
            failed: mails.Failed + mails.Bounced,
          })}
      </p>
      {withoutAddress > 0 && <p class="hint">{text('imports.noAddress', { rows: withoutAddress })}</p>}
      <Mails
        path={path}
        canSend={offers.Open > 0 && !isQueueing}
        canStop={isQueueing || mails.Queued > 0}
        onChange={onChange}
      />
      <Counts
        title={text('imports.taken')}
        counts={Object.entries(offers).map(([state, count]) => [state, <Badge key={state} state={state} />, count])}
      />
      <Counts
        title={text('imports.mails')}
        counts={Object.entries(mails).map(([state, count]) => [
          state,
          <DeliveryBadge key={state} status={state as OfferDelivery['status']} />,
          count,
        ])}
      />
      {/* Read when something is over: each reading of the rows is recorded. */}
      <OfferedRows path={path} version={JSON.stringify([totals.created, offers, mails.Queued === 0])} />
    </section>
  );
}

interface MailsProps {
  readonly path: string;
  readonly canSend: boolean;
  readonly canStop: boolean;
  readonly onChange: () => void;
}

function Mails({ path, canSend, canStop, onChange }: MailsProps): VNode {
  const action = useAction();
  const send = async (): Promise<void> => {
    if (!confirm(text('imports.mailConfirm'))) return;
    if ((await action.call('POST', `${path}/deliveries`, { channel: 'email' })) !== undefined) onChange();
  };
  const stop = async (): Promise<void> => {
    if ((await action.call('POST', `${path}/cancel_deliveries`)) !== undefined) onChange();
  };
  return (
    <>
      <ProblemNotice problem={action.problem} />
      <div class="actions">
        {canSend && (
          <button class="button" type="button" disabled={action.isRunning} onClick={() => void send()}>
            {text('imports.mailAll')}
          </button>
        )}
        {canStop && (
          <button class="button" type="button" disabled={action.isRunning} onClick={() => void stop()}>
            {text('imports.mailStop')}
          </button>
        )}
      </div>
    </>
  );
}

interface CountsProps {
  readonly title: string;
  readonly counts: readonly (readonly [string, VNode, number])[];
}

function Counts({ title, counts }: CountsProps): VNode | null {
  return counts.some(([, , count]) => count > 0) ? <CountTable title={title} counts={counts} /> : null;
}

/** How many rows are in each state, without those that none is in. */
export function CountTable({ title, counts }: CountsProps): VNode {
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{text('imports.state')}</th>
          <th scope="col">{text('imports.rows')}</th>
        </tr>
      </thead>
      <tbody>
        {counts
          .filter(([, , count]) => count > 0)
          .map(([state, badge, count]) => (
            <tr key={state}>
              <th scope="row">{badge}</th>
              <td>{numberText(count)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function OfferedRows({ path, version }: { readonly path: string; readonly version: string }): VNode {
  const [filter, choose] = useState<Filter>('');
  const rows = useResource<Page<ImportRow>>(`${path}/rows?state=created&limit=${shownRows}&${filter}`);
  const { reload } = rows;
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    reload();
  }, [reload, version]);
  return (
    <>
      <div class="field">
        <label for="shown">{text('imports.show')}</label>
        <select
          id="shown"
          value={filter}
          onChange={({ currentTarget }) => {
            choose(currentTarget.value as Filter);
          }}
        >
          {Object.entries(filters).map(([value, label]) => (
            <option key={value} value={value}>
              {text(label)}
            </option>
          ))}
        </select>
      </div>
      <ResourceView resource={rows}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 ? <p class="nothing">{text('imports.none')}</p> : <RowTable items={items} />}
            {nextCursor !== null && <p class="hint">{text('imports.more')}</p>}
          </>
        )}
      </ResourceView>
    </>
  );
}

function RowTable({ items }: { readonly items: readonly ImportRow[] }): VNode {
  return (
    <table>
      <caption class="hint">{text('imports.taken')}</caption>
      <thead>
        <tr>
          <th scope="col">{text('issue.reference')}</th>
          <th scope="col">{text('imports.offer')}</th>
          <th scope="col">{text('delivery.byEmail')}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ row, reference, credentialId = '', offerState, mail }) => (
          <tr key={row}>
            <th scope="row">
              <a href={addressOf('credentials', credentialId)}>
                {reference ?? text('imports.row', { row: String(row) })}
              </a>
            </th>
            <td>{offerState !== undefined && <Badge state={offerState} />}</td>
            <td>{mail && <DeliveryBadge status={mail.status} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
