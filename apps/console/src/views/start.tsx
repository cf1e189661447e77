import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Credential, Page, WeekOfCredentials } from '../api/resources';
import { useResource } from '../api/use-api';
import { CredentialTable } from '../parts/credential-table';
import { ReferenceSearch } from '../parts/reference-search';
import { ResourceView } from '../parts/resource-view';
import { addressOf } from '../place';
import { text } from '../texts';

/** Milliseconds: people wait longer than that for each other. */
const every = 15_000;
const dayMs = 24 * 60 * 60_000;

/** What a person who issues credentials begins the day with. */
export function StartView(): VNode {
  const weekAgo = useMemo(() => new Date(Date.now() - 7 * dayMs).toISOString(), []);
  return (
    <>
      <div class="title">
        <h1>{text('start.title')}</h1>
        <a class="button primary" href={addressOf('templates')}>
          {text('start.issue')}
        </a>
      </div>
      <ReferenceSearch />
      <Counts />
      <Found
        title={text('start.waiting')}
        path="credentials?status=Requested&limit=20"
        nothing={text('start.noneWaiting')}
      />
      <Found
        title={text('start.notTaken')}
        path={`credentials?status=Prepared&createdBefore=${encodeURIComponent(weekAgo)}&limit=20`}
        nothing={text('start.allTaken')}
      />
      <Found title={text('start.mine')} path="credentials?preparedBy=self&limit=20" nothing={text('start.noneMine')} />
    </>
  );
}

interface FoundProps {
  readonly title: string;
  readonly path: string;
  readonly nothing: string;
}

function Found({ title, path, nothing }: FoundProps): VNode {
  const found = useResource<Page<Credential>>(path, every);
  return (
    <section>
      <ResourceView resource={found}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 && <h2>{title}</h2>}
            <CredentialTable caption={title} items={items} nothing={nothing} />
            {nextCursor !== null && <p class="hint">{text('common.latest', { count: items.length })}</p>}
          </>
        )}
      </ResourceView>
    </section>
  );
}

/** What became of the credentials of the last two weeks. */
function Counts(): VNode {
  const from = useMemo(() => new Date(Date.now() - 14 * dayMs).toISOString(), []);
  const found = useResource<{ items: readonly WeekOfCredentials[] }>(`statistics?from=${encodeURIComponent(from)}`);
  const sum = (name: 'created' | 'taken' | 'notTaken' | 'revoked'): number =>
    (found.value?.items ?? []).reduce((total, week) => total + week[name], 0);
  return (
    <section aria-labelledby="counts">
      <h2 id="counts">{text('start.counts')}</h2>
      <ResourceView resource={found}>
        {() => (
          <ul class="counts">
            <li>{text('start.created', { count: sum('created') })}</li>
            <li>{text('start.taken', { count: sum('taken') })}</li>
            <li>{text('start.open', { count: sum('notTaken') })}</li>
            <li>{text('start.revoked', { count: sum('revoked') })}</li>
          </ul>
        )}
      </ResourceView>
    </section>
  );
}
