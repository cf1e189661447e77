import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { WeekOfCredentials } from '../api/resources';
import { useResource } from '../api/use-api';
import { Kind } from '../parts/kind';
import { ResourceView } from '../parts/resource-view';
import { currentLocale, numberText, text } from '../texts';

const weekMs = 7 * 24 * 60 * 60_000;

/** What was created in each week of a quarter, and what has become of it. No person is in it. */
export function StatisticsView(): VNode {
  const from = useMemo(() => new Date(Date.now() - 13 * weekMs).toISOString(), []);
  const found = useResource<{ items: readonly WeekOfCredentials[] }>(`statistics?from=${encodeURIComponent(from)}`);
  return (
    <>
      <h1>{text('admin.statistics')}</h1>
      <p class="hint">{text('admin.statisticsHint')}</p>
      <ResourceView resource={found}>
        {({ items }) =>
          items.length === 0 ? <p class="nothing">{text('admin.noStatistics')}</p> : <Weeks items={items} />
        }
      </ResourceView>
    </>
  );
}

function Weeks({ items }: { readonly items: readonly WeekOfCredentials[] }): VNode {
  const most = Math.max(...items.map(({ created }) => created));
  const day = new Intl.DateTimeFormat(currentLocale(), { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <div class="wide" role="region" aria-labelledby="weeks" tabIndex={0}>
      <table>
        <caption id="weeks">{text('admin.weeks')}</caption>
        <thead>
          <tr>
            <th scope="col">{text('admin.week')}</th>
            <th scope="col">{text('credentials.kind')}</th>
            <th scope="col">{text('admin.created')}</th>
            <th scope="col">{text('admin.taken')}</th>
            <th scope="col">{text('admin.notTaken')}</th>
            <th scope="col">{text('admin.refused')}</th>
            <th scope="col">{text('admin.revoked')}</th>
          </tr>
        </thead>
        <tbody>
          {items.toReversed().map(({ week, credentialConfigurationId: kind, ...counts }) => (
            <tr key={`${week} ${kind}`}>
              <th scope="row">{day.format(new Date(week))}</th>
              <td data-label={text('credentials.kind')}>
                <Kind ids={kind} />
              </td>
              <td data-label={text('admin.created')}>
                {numberText(counts.created)}
                <meter aria-hidden="true" min={0} max={most} value={counts.created} />
              </td>
              <td data-label={text('admin.taken')}>{numberText(counts.taken)}</td>
              <td data-label={text('admin.notTaken')}>{numberText(counts.notTaken + counts.waitingForData)}</td>
              <td data-label={text('admin.refused')}>{numberText(counts.refused)}</td>
              <td data-label={text('admin.revoked')}>{numberText(counts.revoked)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
