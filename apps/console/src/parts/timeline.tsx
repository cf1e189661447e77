import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { TimelineEntry, WalletRefusal } from '../api/resources';
import { isObject } from '../json';
import { Badge } from './badge';
import { Moment } from './moment';
import { Tick } from './text-field';
import { Value } from './value';
import { RichText } from './rich-text';
import { text, textFor } from '../texts';

/** What happened, the latest last. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }): VNode {
  const [isDetailed, detail] = useState(false);
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">{text('common.timeline')}</h2>
      <ol class="timeline">
        {entries.map((entry, index) => (
          <li key={index} class={isFine(entry) ? undefined : 'trouble'}>
            <span class="dot" aria-hidden="true" />
            <div class="line">
              <strong>{textFor('steps', entry.step) ?? entry.step}</strong>
              {entry.outcome !== 'ok' && <Badge state={entry.outcome} />}
              <Moment at={entry.at} />
            </div>
            <Detail entry={entry} isDetailed={isDetailed} />
          </li>
        ))}
      </ol>
      <Tick label={text('common.technical')} isOn={isDetailed} onChange={detail} />
    </section>
  );
}

const isFine = ({ outcome }: TimelineEntry): boolean => outcome === 'ok' || outcome === 'verified';

interface DetailProps {
  readonly entry: TimelineEntry;
  readonly isDetailed: boolean;
}

/** The words for people; what systems say besides where that is wanted, or where it is all that is known of a trouble. */
function Detail({ entry, isDetailed }: DetailProps): VNode {
  const { detail, refusal } = entry;
  const hasWords = refusal
    ? textFor('reasons', refusal.reason) !== undefined
    : isFine(entry) || typeof detail !== 'string';
  const isChecked = isObject(detail) && Array.isArray(detail['checks']);
  return (
    <>
      {refusal && <p>{textFor('reasons', refusal.reason) ?? text('reasons.other')}</p>}
      {isDetailed && isChecked && <Checks detail={detail} />}
      {(isDetailed || !hasWords) && !isChecked && detail !== null && <Said detail={detail} />}
      {isDetailed && refusal && <RefusedWallet refusal={refusal} />}
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

/** What a developer of the wallet needs to know, in one line. */
function RefusedWallet({ refusal }: { readonly refusal: WalletRefusal }): VNode {
  const { endpoint, error, reason, generation, requestClass, configurationId, count, lastAt } = refusal;
  const words = [endpoint, error, reason, generation, requestClass, configurationId].filter(
    (word) => word !== undefined,
  );
  return (
    <p class="hint">
      {words.join(' · ')}
      {count > 1 && (
        <>
          {' · '}
          <RichText of="common.timesUntil" count={count} with={{ at: <Moment at={lastAt} /> }} />
        </>
      )}
    </p>
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
