import type { VNode } from 'preact';
import type { TimelineEntry, WalletRefusal } from '../api/resources';
import { isObject } from '../json';
import { Badge } from './badge';
import { Moment } from './moment';
import { Value } from './value';
import { RichText } from './rich-text';
import { text, textFor } from '../texts';

/** What happened, the latest last. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }): VNode {
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">{text('common.timeline')}</h2>
      <ol class="timeline">
        {entries.map((entry, index) => (
          <li key={index} class={entry.outcome === 'ok' || entry.outcome === 'verified' ? undefined : 'trouble'}>
            <span class="dot" aria-hidden="true" />
            <div class="line">
              <strong>{textFor('steps', entry.step) ?? entry.step}</strong>
              {entry.outcome !== 'ok' && <Badge state={entry.outcome} />}
              <Moment at={entry.at} />
            </div>
            <Detail entry={entry} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Detail({ entry: { detail, refusal } }: { readonly entry: TimelineEntry }): VNode {
  const isChecked = isObject(detail) && Array.isArray(detail['checks']);
  return (
    <>
      {isChecked ? (
        <Checks detail={detail} />
      ) : (
        detail !== null && !(refusal && textFor('reasons', refusal.reason)) && <Said detail={detail} />
      )}
      {refusal && <RefusedWallet refusal={refusal} />}
    </>
  );
}

/** Times in it are written as the language does. */
function Said({ detail }: { readonly detail: unknown }): VNode {
  if (typeof detail !== 'string') return <Value value={detail} />;
  const parts = detail.split(/(\d{4}-\d\d-\d\dT[\d:.]+Z)/);
  return (
    <span class="value">{parts.map((part, index) => (index % 2 === 0 ? part : <Moment key={part} at={part} />))}</span>
  );
}

/** What the person can do, and what a developer of the wallet needs to know, in one line. */
function RefusedWallet({ refusal }: { readonly refusal: WalletRefusal }): VNode {
  const { endpoint, error, reason, generation, requestClass, configurationId, count, lastAt } = refusal;
  const words = [endpoint, error, reason, generation, requestClass, configurationId].filter(
    (word) => word !== undefined,
  );
  return (
    <>
      <p>{textFor('reasons', reason) ?? text('reasons.other')}</p>
      <p class="hint">
        {words.join(' · ')}
        {count > 1 && (
          <>
            {' · '}
            <RichText of="common.timesUntil" count={count} with={{ at: <Moment at={lastAt} /> }} />
          </>
        )}
      </p>
    </>
  );
}

/** The checks of a presentation, in the order in which they were made. */
function Checks({ detail }: { readonly detail: object }): VNode {
  const { checks, ...rest } = detail as { readonly checks: readonly Check[] };
  return (
    <>
      <Value value={rest} />
      <ul class="checks">
        {checks.map(({ name, outcome, reason }, index) => (
          <li key={index}>
            <Badge state={outcome} /> <span>{name}</span>
            {reason !== undefined && <span class="hint"> {reason}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

interface Check {
  readonly name: string;
  readonly outcome: string;
  readonly reason?: string;
}
