import { judgeStatusLists } from './status-list-check';

describe('the status lists', () => {
  it.each([
    ['ok', 0, 0],
    ['ok', 0, 1_000],
    ['ok', 3, 10],
    ['warn', 3, 11],
    ['fail', 3, 61],
  ])('are %s when %d of them are %d s behind the events', (outcome, lists, lag) => {
    expect(judgeStatusLists(lists, lag)).toMatchObject({ check: 'status lists', outcome });
  });
});
