import type { VNode } from 'preact';
import type { TimelineEntry } from '../api/resources';
import { isObject, type Json } from '../json';
import { Badge } from './badge';
import { Moment } from './moment';
import { Facts, Value } from './value';

/** What happened, the latest last. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }): VNode {
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <ol class="timeline">
        {entries.map((entry, index) => (
          <li key={index} class={entry.outcome === 'ok' || entry.outcome === 'verified' ? undefined : 'trouble'}>
            <span class="dot" aria-hidden="true" />
            <div class="line">
              <strong>{entry.step}</strong>
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
      {isChecked ? <Checks detail={detail} /> : detail !== null && <Value value={detail} />}
      {refusal && <Facts facts={Object.entries(refusal).map(([name, value]) => [name, shown(value)])} />}
    </>
  );
}

/** Times as the person's device writes them. */
function shown(value: Json): Json | VNode {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? <Moment at={value} /> : value;
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
