import type { StoredEvent } from '@app/event-store';
import type { WalletRefusal } from '@app/openid4vc';
import { counterOf, type EventTable, publicationOf, timelineSteps } from './event-table';
import { refusedWallet, timelineOf } from './timeline';

type Event =
  | { readonly type: 'Opened' | 'Counted' }
  | { readonly type: 'Expired'; readonly expiresAt: string }
  | ({ readonly type: 'WalletRefused' } & WalletRefusal);

const table: EventTable<Event> = {
  Opened: { step: 'opened', counted: 'opened', published: null },
  Counted: { step: null, counted: 'opened', published: null },
  Expired: {
    step: 'expired',
    detail: ({ expiresAt }) => `on ${expiresAt.slice(0, 10)}`,
    at: ({ expiresAt }) => expiresAt,
    counted: null,
    published: 'door.expired',
    data: () => ({ state: 'Expired' }),
  },
  WalletRefused: { ...refusedWallet, counted: 'refused', published: 'door.refused' },
};
const counter = counterOf(table, { category: 'door', name: 'doors_total', help: 'Doors' });
const publication = publicationOf(table, { category: 'door', resources: 'doors' }, ({ id }) => ({ doorId: id }));

const [earlier, later] = ['2026-11-20T10:00:01.000Z', '2026-11-20T10:00:09.000Z'];
const refusal = {
  endpoint: 'token',
  error: 'invalid_grant',
  reason: 'code-used',
  description: 'No.',
  count: 1,
  lastAt: earlier,
} as const;
const refused: Event = { type: 'WalletRefused', ...refusal, firstAt: earlier };
const recorded = (event: Event): StoredEvent<Event> => {
  return {
    tenant: '',
    position: '1',
    category: 'door',
    id: '7',
    version: 1,
    event,
    recordedAt: new Date(later),
    unit: 'u',
  };
};

describe('a table of events', () => {
  it('says what a timeline shows, without what has no step', () => {
    const events: Event[] = [{ type: 'Opened' }, { type: 'Counted' }, { type: 'Expired', expiresAt: earlier }, refused];
    expect(timelineOf(events.map(recorded), table)).toEqual([
      { at: earlier, step: 'expired', outcome: 'ok', detail: 'on 2026-11-20' },
      {
        at: earlier,
        step: 'wallet refused',
        outcome: 'refused',
        detail: 'No.',
        refusal: {
          endpoint: 'token',
          error: 'invalid_grant',
          reason: 'code-used',
          count: 1,
          firstAt: earlier,
          lastAt: earlier,
        },
      },
      { at: later, step: 'opened', outcome: 'ok', detail: null },
    ]);
    expect(timelineSteps(table)).toEqual(['opened', 'expired', 'wallet refused']);
  });

  it('says what is counted, with each series once', () => {
    expect(counter.series).toEqual([{ outcome: 'opened' }, { outcome: 'refused' }]);
    const types = ['Opened', 'Counted', 'Expired', 'OfALaterVersion'];
    expect(types.map((type) => counter.seriesOf(type, {})?.['outcome'])).toEqual([
      'opened',
      'opened',
      undefined,
      undefined,
    ]);
  });

  it('says what others learn, and when it happened; refusals, which are counted together, at the time of their record', () => {
    const expired: Event = { type: 'Expired', expiresAt: earlier };
    expect(publication.types).toMatchObject({ Opened: null, Expired: 'door.expired' });
    expect(publication.data(recorded(expired))).toEqual({ doorId: '7', state: 'Expired' });
    expect([publication.time?.(expired), publication.time?.(refused)]).toEqual([earlier, undefined]);
  });
});
