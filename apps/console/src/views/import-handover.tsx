import type { VNode } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Import, ImportRow, OfferDelivery, Page } from '../api/resources';
import type { ManagementApi } from '../api/management-api';
import { ApiContext, useAction, useResource } from '../api/use-api';
import { Badge } from '../parts/badge';
import { ProblemNotice } from '../parts/problem-notice';
import { ResourceView } from '../parts/resource-view';
import { addressOf } from '../place';
import { numberText, text } from '../texts';
import { DeliveryBadge } from './handover';

const shownRows = 100;
/** As many as the service makes one page of. */
const mostLetters = 200;
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
  const [printed, setPrinted] = useState(0);
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
      <Handing
        path={path}
        canSend={offers.Open > 0 && !isQueueing}
        canStop={isQueueing || mails.Queued > 0}
        onChange={onChange}
        onPrint={() => {
          setPrinted(printed + 1);
        }}
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
      <OfferedRows path={path} version={JSON.stringify([totals.created, offers, mails.Queued === 0, printed])} />
    </section>
  );
}

interface HandingProps {
  readonly path: string;
  readonly canSend: boolean;
  readonly canStop: boolean;
  readonly onChange: () => void;
  readonly onPrint: () => void;
}

/** Of which nothing is on its way to the person. */
function isToPrint({ offerState, mail, letter }: ImportRow): boolean {
  const isMailed = mail?.status === 'Queued' || mail?.status === 'Sent';
  return offerState === 'Open' && !isMailed && letter === undefined;
}

/** The offers of the next letters; an offer has the id of its credential. */
async function toPrint(api: ManagementApi, path: string): Promise<{ readonly offerId: string }[]> {
  const offers: { readonly offerId: string }[] = [];
  for (let cursor: string | null = ''; cursor !== null && offers.length < mostLetters;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await api.call('GET', `${path}/rows?state=created&limit=${mostLetters}${query}`)) as Page<ImportRow>;
    for (const row of page.items.filter(isToPrint)) offers.push({ offerId: row.credentialId ?? '' });
    cursor = page.nextCursor;
  }
  return offers.slice(0, mostLetters);
}

function Handing({ path, canSend, canStop, onChange, onPrint }: HandingProps): VNode {
  const api = useContext(ApiContext);
  const action = useAction();
  const [hasNone, setNone] = useState(false);
  const [blocked, setBlocked] = useState<string>();
  const print = async (): Promise<void> => {
    const found = await action.run(() => toPrint(api, path));
    setNone(found?.length === 0);
    if (!found || found.length === 0) return;
    const address = await action.page('offers/letters', { offers: found });
    if (address === undefined) return;
    const shown = window.open(address);
    // They count as printed, so they must not be lost.
    setBlocked(shown === null ? address : undefined);
    shown?.addEventListener('load', () => {
      shown.print();
    });
    onPrint();
  };
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
      {blocked !== undefined && (
        <p role="alert">
          {text('delivery.blocked')}{' '}
          <a href={blocked} target="_blank" rel="noopener">
            {text('imports.openLetters')}
          </a>
        </p>
      )}
      {canSend && <p class="hint">{text('imports.lettersHint')}</p>}
      <p role="status">{hasNone && text('imports.noLetters')}</p>
      <div class="actions">
        {canSend && (
          <button class="button" type="button" disabled={action.isRunning} onClick={() => void send()}>
            {text('imports.mailAll')}
          </button>
        )}
        {canSend && (
          <button class="button" type="button" disabled={action.isRunning} onClick={() => void print()}>
            {text('imports.printLetters', { most: mostLetters })}
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
  // Where the pages begin that were passed, and the present one.
  const [cursors, go] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const rows = useResource<Page<ImportRow>>(`${path}/rows?state=created&limit=${shownRows}&${filter}${from}`);
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
            go([]);
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
            <div class="actions">
              {cursor !== undefined && (
                <button
                  type="button"
                  onClick={() => {
                    go(cursors.slice(0, -1));
                  }}
                >
                  {text('imports.former')}
                </button>
              )}
              {nextCursor !== null && (
                <button
                  type="button"
                  onClick={() => {
                    go([...cursors, nextCursor]);
                  }}
                >
                  {text('imports.next')}
                </button>
              )}
            </div>
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
          <th scope="col">{text('delivery.byLetter')}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ row, reference, credentialId = '', offerState, mail, letter }) => (
          <tr key={row}>
            <th scope="row">
              <a href={addressOf('credentials', credentialId)}>
                {reference ?? text('imports.row', { row: String(row) })}
              </a>
            </th>
            <td>{offerState !== undefined && <Badge state={offerState} />}</td>
            <td>{mail && <DeliveryBadge status={mail.status} />}</td>
            <td>{letter && <DeliveryBadge status={letter.status} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
