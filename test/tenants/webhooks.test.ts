import { eventually } from '../event-store/accounts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/counterparts/webhook-receiver';
import { listen } from '../support/http/event-stream';
import { answered, postJson } from '../support/http/requests';
import { startEventLoad } from '../support/portal/event-load';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
const at = (tenant: string): string => `${service.url}/t/${tenant}`;
const receivers: WebhookReceiver[] = [];
const receiver = async (): Promise<WebhookReceiver> => {
  const started = await startWebhookReceiver();
  receivers.push(started);
  return started;
};
beforeAll(async () => {
  for (const tenantId of ['slow', 'other'])
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }));
});
afterAll(() => Promise.all(receivers.map((one) => one.stop())));

describe('receivers of a tenant that do not answer', () => {
  it('hold up to sixteen of its deliveries and none of another one', async () => {
    const hanging = await Promise.all([1, 2, 3, 4, 5, 6].map(() => receiver()));
    const open = (): number => hanging.reduce((sum, { messages }) => sum + messages.length, 0);
    for (const one of hanging) {
      one.answerBy(() => undefined);
      answered(201, await postJson(`${at('slow')}/v0/webhooks`, { url: one.url }));
    }
    const answering = await receiver();
    answered(201, await postJson(`${at('other')}/v0/webhooks`, { url: answering.url }));
    await startEventLoad(at('slow'), 5);
    await eventually(() => open() >= 16, 20_000);
    for (let each = 1; each <= 3; each++) {
      await startEventLoad(at('other'), 1);
      await eventually(() => answering.messages.length >= each, 20_000);
    }
    expect(open()).toBe(16);
    // The others go out as those are answered.
    for (const one of hanging) one.answerBy((_, response) => void response.writeHead(204).end());
    await Promise.all(hanging.slice(0, 4).map((one) => one.stop()));
    await eventually(() => hanging.slice(4).every(({ messages }) => messages.length >= 5), 30_000);
  });
});

it('a stream goes on behind its heartbeat, whoever had the event with that id', async () => {
  await startEventLoad(at('slow'), 1);
  await startEventLoad(at('other'), 1);
  const events = `${at('slow')}/v0/events`;
  const stream = await listen(events);
  const id = (await stream.next())?.id ?? '';
  stream.cut();
  await startEventLoad(at('slow'), 1);
  const again = await listen(events, { 'last-event-id': id });
  const [next] = await again.take(1);
  again.cut();
  expect(next).toMatchObject({ source: at('slow'), type: 'template.published' });
});
