import { openStatusList, reserveEntries, statusListAggregate, type StatusList } from './status-list';

const terms = {
  listId: 'one',
  identifier: 'did',
  algorithm: 'ES256',
  size: 1024,
  salt: 's',
  history: 'now',
  openedAt: '2026-11-22T00:00:00.000Z',
} as const;

function reserving(list: StatusList, count: number) {
  const { events, block } = reserveEntries(list, count, 'now');
  const reserved = events.reduce<StatusList>((state, event) => statusListAggregate.evolve(state, event), list);
  return { block, list: reserved };
}
const opened = openStatusList(terms).reduce<StatusList | undefined>(
  (state, event) => statusListAggregate.evolve(state, event),
  undefined,
) as StatusList;

describe('a status list', () => {
  it('hands out blocks that follow one another', () => {
    const first = reserving(opened, 100);
    const second = reserving(first.list, 10);
    expect([first.block, second.block]).toEqual([
      { first: 0, count: 100 },
      { first: 100, count: 10 },
    ]);
  });

  it('hands out no more than half of its entries', () => {
    const { list, block } = reserving(opened, 512);
    expect(block).toEqual({ first: 0, count: 512 });
    expect(reserving(list, 1)).toEqual({ list, block: undefined });
  });

  it('hands out none when events may have been lost since it was opened', () => {
    expect(reserveEntries(opened, 1, 'restored')).toEqual({ events: [], block: undefined });
  });
});
