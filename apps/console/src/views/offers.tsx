import type { VNode } from 'preact';
import type { OfferSummary, Page } from '../api/resources';
import { useResource } from '../api/use-api';
import { Moment } from '../parts/moment';
import { ResourceView } from '../parts/resource-view';
import { Row, Rows } from '../parts/rows';
import { addressOf } from '../place';

const every = 4_000;

export function OffersView(): VNode {
  const offers = useResource<Page<OfferSummary>>('offers', every);
  return (
    <>
      <div class="title">
        <h1>Offers</h1>
        <a class="button primary" href={addressOf('templates')}>
          New offer
        </a>
      </div>
      <ResourceView resource={offers}>
        {({ items, nextCursor }) => (
          <>
            <Rows items={items} nothing="There is no offer yet. Choose a template and issue a credential of it.">
              {({ offerId, state, credentials, createdAt }) => (
                <Row
                  key={offerId}
                  address={addressOf('offers', offerId)}
                  title={offerId}
                  state={state}
                  about={
                    <>
                      {credentials.map(({ configurationId }) => configurationId).join(', ') || 'empty'} ·{' '}
                      <Moment at={createdAt} />
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
