import type { VNode } from 'preact';
import type { OfferSummary } from '../api/resources';
import { Latest } from '../parts/latest';
import { Moment } from '../parts/moment';
import { ReferenceSearch } from '../parts/reference-search';
import { Row } from '../parts/rows';
import { addressOf } from '../place';
import { text } from '../texts';

const start = () => ({ address: addressOf('templates'), text: text('offers.new') });

export function OffersView(): VNode {
  return (
    <>
      <Latest<OfferSummary>
        title={text('common.offers')}
        start={start()}
        path="offers"
        nothing={text('offers.nothing')}
      >
        {({ offerId, state, credentials, createdAt }) => (
          <Row
            key={offerId}
            address={addressOf('offers', offerId)}
            title={offerId}
            state={state}
            about={
              <>
                {credentials.map(({ configurationId }) => configurationId).join(', ') || text('offers.empty')} ·{' '}
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
