import type { EventStore } from '@app/event-store';
import { PendingOfferMarks } from './pending-marks';
import type { Offers } from '../offer/new-offer';
import { createOffer, type Offer, offerAggregate } from '../offer/offer';
import type { OfferSecrets } from '../offer/offer-secrets';

const [created] = createOffer({
  offerId: 'o1',
  handleSalt: 'first',
  expiresAt: '2030-01-01T00:00:00Z',
  extendableUntil: '2030-01-01T00:00:00Z',
  credentials: [{ configurationId: 'A', credentialId: 'c1' }],
});
if (!created) throw new Error('An event is needed.');
const offer: Offer = offerAggregate.evolve(undefined, created);
const handles = {
  hashOf: ({ handleSalt }: Pick<Offer, 'handleSalt'>) => Buffer.from(handleSalt),
  update: (_offers: unknown, hash: Buffer, decide: (found: { state: Offer }) => { events: unknown[] }) => {
    if (hash.toString() === stored.handleSalt) recorded.push(...decide({ state: stored }).events);
    return Promise.resolve();
  },
};
let stored = offer;
let recorded: unknown[] = [];

it('the fetch of a former link does not stand in the way of the one by the link that another replica has made', async () => {
  const marks = new PendingOfferMarks({} as Offers, { handles } as unknown as OfferSecrets, {} as EventStore);
  [stored, recorded] = [offer, []];
  await marks.fetched(offer, new Date('2026-01-01T00:00:00Z'));
  const withdrawn = offerAggregate.evolve(offer, { type: 'OfferWithdrawn' });
  const terms = { handleSalt: 'second', expiresAt: offer.expiresAt, extendableUntil: offer.expiresAt };
  stored = offerAggregate.evolve(withdrawn, { type: 'OfferReopened', ...terms });
  expect(marks.fetchedAt(stored)).toBeUndefined();
  const fetchedAt = new Date('2026-01-01T00:00:01Z');
  await marks.fetched(stored, fetchedAt);
  await marks.fetched(stored, new Date('2026-01-01T00:00:02Z'));
  expect(marks.fetchedAt(stored)).toEqual(fetchedAt);
  await marks.settle('o1');
  expect(recorded).toEqual([{ type: 'OfferFetched', fetchedAt: fetchedAt.toISOString() }]);
});
