import type { VNode } from 'preact';
import type { OfferSummary } from '../api/resources';
import { Kind } from '../parts/kind';
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
            title={
              credentials.length === 0 ? (
                text('offers.empty')
              ) : (
                <Kind ids={credentials.map(({ configurationId }) => configurationId)} />
              )
            }
            id={offerId}
            state={state}
            about={<Moment at={createdAt} />}
          />
        )}
      </Latest>
      <ReferenceSearch />
    </>
  );
}
