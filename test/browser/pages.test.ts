import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit } from '../support/browser/visit';
import { type RunningService, startService } from '../support/service/service';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

describeInBrowser('in a browser', (browser) => {
  it('everyone can read the page of a problem', async () => {
    const url = `${service.url}/problems/not-found`;
    const visited = await visit(browser(), url);
    expect(await faultsInEveryLook(visited, 'problem')).toEqual({});
    expect(visited).toMatchObject({ requested: [url], complaints: [] });
    await visited.close();
  });
});
