import { catalogue } from '@app/primitives/problems';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { storedRows } from '../support/database/stored-rows';
import { expectProblem } from '../support/http/refusals';
import type { Json, Reply } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';
import type { Mistake } from './mistake';
import { mistakes } from './mistakes';
import { answersOf, mistakesPage } from './page';
import { openPortal } from './portal';

const all = mistakes.flatMap(({ title, mistakes: made }) =>
  made.map((mistake) => ({ chapter: title, ...mistake, mistake })),
);

describe('a mistake of a portal', () => {
  let service: RunningService;
  let answers: ReadonlyMap<Mistake, Reply>;
  let stored: readonly unknown[];
  beforeAll(async () => {
    service = await startService();
    const portal = await openPortal(service);
    const before = await storedRows(service);
    answers = await answersOf(service, portal);
    stored = [before, await storedRows(service)];
  }, 60_000);
  afterAll(() => service.stop());

  it.each(all)('is answered with what is wrong and what to send: $chapter: $what', ({ mistake }) => {
    const reply = answers.get(mistake);
    if (!reply) throw new Error('nobody made it');
    expectProblem(reply, mistake.status, mistake.problem);
    const { detail, remedy, violations = [] } = reply.json;
    expect(remedy).toBe(catalogue[mistake.problem].remedy);
    const said = [
      detail,
      remedy,
      ...(violations as Json[]).map(({ pointer, message }) => `${String(pointer)}: ${String(message)}`),
    ];
    for (const part of mistake.says) expect(said.join('\n')).toContain(part);
    // Neither a value that nobody wrote nor a sentence that ends twice.
    expect(String(detail)).not.toMatch(/undefined|\[object|\.\.$|\?\.$/);
  });

  it('stores nothing', () => {
    expect(stored[1]).toEqual(stored[0]);
  });

  it('is in docs/mistakes.md with its answer', () => {
    // Stale? `npm run generate` writes it anew.
    expect(readFileSync(join(__dirname, '../../docs/mistakes.md'), 'utf8')).toBe(mistakesPage(answers));
  });
});
