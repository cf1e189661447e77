import { expectNothingDoubledOrLost, killedImport } from '../support/portal/killed-import';

it('An import whose process is killed three times, at any row, offers each row once', async () => {
  // 10,000 in `npm run test:processes`.
  expectNothingDoubledOrLost(await killedImport(400), 400);
}, 600_000);
