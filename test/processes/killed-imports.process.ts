import { expectNothingDoubledOrLost, killedImport } from '../support/portal/killed-import';

it('An import of 10,000 rows whose process is killed three times offers each of them once', async () => {
  expectNothingDoubledOrLost(await killedImport(10_000), 10_000);
}, 1_800_000);
