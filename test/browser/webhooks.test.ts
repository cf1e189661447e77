import { startWebhookReceiver, verifiedEvent, type WebhookReceiver } from '../support/counterparts/webhook-receiver';
import { describeInBrowser } from '../support/browser/chromium';
import { faultsInEveryLook, visit, type Visit } from '../support/browser/visit';
import { serviceOfFile } from '../support/service/service-of-file';

let receiver: WebhookReceiver;
const service = serviceOfFile(async () => {
  receiver = await startWebhookReceiver();
  return { SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: receiver.host };
});
afterAll(() => receiver.stop());

describeInBrowser('webhooks in the console', (browser) => {
  let visited: Visit;
  beforeAll(async () => {
    visited = await visit(browser(), `${service.url}/console#/webhooks`);
  });
  afterAll(() => visited.close());

  const click = (role: 'button' | 'link', name: string) => visited.page.getByRole(role, { name, exact: true }).click();
  const see = (text: string) => visited.page.getByText(text, { exact: true }).first().waitFor();

  it('are made, tried, changed, paused, given another secret, and deleted', async () => {
    const { page } = visited;
    await click('link', 'New webhook');
    await page.getByLabel('Address').fill('portal');
    await click('button', 'Make the webhook');
    await page.getByText(/must be an absolute URL/).waitFor();
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByLabel('credential.accepted').check();
    await click('button', 'Make the webhook');
    await see('This is the secret. It is shown this once: keep it where the receiver checks signatures.');
    const secret = await page.getByText(/^whsec_/).innerText();
    await click('button', 'Send a test');
    await see('The test has arrived: 204.');
    const [message] = receiver.messages;
    expect(message && verifiedEvent(secret, message)).toMatchObject({ type: 'webhook.test' });
    expect(await faultsInEveryLook(visited, 'webhook-made', 'staff')).toEqual({});

    receiver.answerBy((_message, response) => {
      response.writeHead(500).end();
    });
    await click('button', 'Send a test');
    await page.getByText(/^The test has not arrived: .*500/).waitFor();
    await click('link', 'Change');
    expect(await page.getByLabel('credential.accepted').isChecked()).toBe(true);
    await page.getByLabel('credential.accepted').uncheck();
    await page.getByLabel('Description').fill('Student portal');
    await click('button', 'Save the changes');
    await see('Student portal');
    await see('all events');
    await click('button', 'Pause');
    await see('Somebody has paused it.');
    await click('button', 'Go on');
    await see('in use');
    await click('button', 'New secret');
    await click('button', 'Yes, a new secret');
    await see('former secret until');
    expect(await page.getByText(/^whsec_/).innerText()).not.toBe(secret);
    await click('button', 'Delete');
    expect(await faultsInEveryLook(visited, 'webhook-delete', 'staff')).toEqual({});
    await click('button', 'Yes, delete');
    await see('Nobody is told of events.');
  });
});
