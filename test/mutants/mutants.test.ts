import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { allMutants } from './all';
import { faultOf } from './mutant';

const root = join(__dirname, '../..');

describe(`the ${allMutants.length} mutants of npm run test:mutants`, () => {
  it('are faults in text that is there, once', () => {
    expect(allMutants.flatMap((mutant) => faultOf(mutant, root) ?? [])).toEqual([]);
  });

  it('change something, each something else', () => {
    expect(allMutants.filter(({ original, replacement }) => original === replacement)).toEqual([]);
    const changes = allMutants.map(({ file, original, replacement }) => JSON.stringify([file, original, replacement]));
    expect(new Set(changes).size).toBe(changes.length);
  });

  it('name tests that are there, and can see the fault', () => {
    const tests = [...new Set(allMutants.flatMap((mutant) => mutant.tests))];
    expect(tests.filter((test) => !existsSync(join(root, test)))).toEqual([]);
    expect(allMutants.filter((mutant) => mutant.tests.length === 0)).toEqual([]);
  });
});
