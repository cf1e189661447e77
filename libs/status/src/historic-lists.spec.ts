import { HistoricLists } from './historic-lists';
import type { ListSigners } from './list-signers';
import type { StatusChanges } from './status-changes';
import type { ListTerms } from './status-list';

const terms = { listId: 'l', size: 2 ** 17, openedAt: '2026-01-01T00:00:00.000Z' } as ListTerms;
const form = 'application/statuslist+jwt';
const signers = {
  signatory: () => ({ ttl: 300, now: () => new Date('2026-11-20T10:00:00Z') }),
  tokenSigner: () => ({ keyId: 'k' }),
} as unknown as ListSigners;

it('a flood of requests for past states is rejected, and the next request is answered again', async () => {
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => (answer = resolve));
  const changes = { since: () => asked.then(() => Promise.reject(new Error('no database'))) };
  const lists = new HistoricLists(changes as unknown as StatusChanges, signers);
  const at = (second: number): Promise<unknown> => lists.at(terms, new Date(Date.UTC(2026, 5, 1, 0, 0, second)), form);
  const flood = Array.from({ length: 100 }, (_, second) => at(second));
  const outcomes = Promise.allSettled(flood);
  await expect(flood[99]).rejects.toMatchObject({ slug: 'unavailable', headers: { 'Retry-After': '1' } });
  answer();
  const reasons = (await outcomes).map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : ''));
  expect(reasons.filter((reason) => reason.includes('no database'))).toHaveLength(32);
  await expect(at(0)).rejects.toThrow('no database');
});
