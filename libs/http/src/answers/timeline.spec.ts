import type { StoredEvent } from '@app/event-store';
import { timelineOf } from './timeline';

const at = (second: number): string => `2026-11-20T10:00:0${second}.000Z`;

function recorded(type: string, second: number): StoredEvent {
  return {
    tenant: '',
    position: '1',
    category: 'offer',
    id: '1',
    version: 1,
    event: { type },
    recordedAt: new Date(at(second)),
    unit: 'u',
  };
}

describe('a timeline', () => {
  it('has what was recorded later at the time when it happened', () => {
    const history = [recorded('created', 1), recorded('withdrawn', 3), recorded('fetched', 4), recorded('sent', 5)];
    const row = (step: string) => ({ step, counted: null, published: null }) as const;
    const timeline = timelineOf(history, {
      created: row('created'),
      fetched: { ...row('fetched'), at: () => at(2) },
      withdrawn: row('withdrawn'),
      sent: row('sent'),
    });
    expect(timeline.map((entry) => [entry.step, entry.at])).toEqual([
      ['created', at(1)],
      ['fetched', at(2)],
      ['withdrawn', at(3)],
      ['sent', at(5)],
    ]);
  });
});
