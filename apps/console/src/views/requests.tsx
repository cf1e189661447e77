import type { VNode } from 'preact';
import type { Page, RequestSummary } from '../api/resources';
import { useResource } from '../api/use-api';
import { Moment } from '../parts/moment';
import { ResourceView } from '../parts/resource-view';
import { Row, Rows } from '../parts/rows';
import { addressOf } from '../place';

const every = 4_000;

export function RequestsView(): VNode {
  const requests = useResource<Page<RequestSummary>>('authorization_requests', every);
  return (
    <>
      <div class="title">
        <h1>Requests</h1>
        <a class="button primary" href={addressOf('new-request')}>
          New request
        </a>
      </div>
      <ResourceView resource={requests}>
        {({ items, nextCursor }) => (
          <>
            <Rows items={items} nothing="Nobody has been asked to present a credential yet.">
              {({ state, status, responseType, createdAt }) => (
                <Row
                  key={state}
                  address={addressOf('requests', state)}
                  title={state}
                  state={status}
                  about={
                    <>
                      {responseType} · <Moment at={createdAt} />
                    </>
                  }
                />
              )}
            </Rows>
            {nextCursor !== null && <p class="hint">These are the latest {items.length}.</p>}
          </>
        )}
      </ResourceView>
    </>
  );
}
