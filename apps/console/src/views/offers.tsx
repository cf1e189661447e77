import type { VNode } from 'preact';
import type { OfferSummary } from '../api/resources';
import { Latest } from '../parts/latest';
import { Moment } from '../parts/moment';
import { ReferenceSearch } from '../parts/reference-search';
import { Row } from '../parts/rows';
import { addressOf } from '../place';

const start = { address: addressOf('templates'), text: 'New offer' };

export function OffersView(): VNode {
  return (
    <>
      <Latest<OfferSummary>
        title="Offers"
        start={start}
        path="offers"
        nothing="There is no offer yet. Choose a template and issue a credential of it."
      >
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
      </Latest>
      <ReferenceSearch />
    </>
  );
}
