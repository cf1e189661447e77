import type { VNode } from 'preact';
import type { Page } from '../api/resources';
import { useResource } from '../api/use-api';
import { ResourceView } from './resource-view';
import { Rows } from './rows';
import { text } from '../texts';

const every = 4_000;

interface LatestProps<T> {
  readonly title: string;
  /** Where one is made, and what the button says; absent where wallets make them. */
  readonly start?: { readonly address: string; readonly text: string };
  /** Below `/v0/`. */
  readonly path: string;
  readonly nothing: string;
  readonly children: (item: T) => VNode;
}

/** The latest resources of a kind, read again every four seconds. */
export function Latest<T>({ title, start, path, nothing, children }: LatestProps<T>): VNode {
  const resource = useResource<Page<T>>(path, every);
  return (
    <>
      <div class="title">
        <h1>{title}</h1>
        {start && (
          <a class="button primary" href={start.address}>
            {start.text}
          </a>
        )}
      </div>
      <ResourceView resource={resource}>
        {({ items, nextCursor }) => (
          <>
            <Rows items={items} nothing={nothing}>
              {children}
            </Rows>
            {nextCursor !== null && <p class="hint">{text('common.latest', { count: items.length })}</p>}
          </>
        )}
      </ResourceView>
    </>
  );
}
