import { startWebhookReceiver, type WebhookReceiver } from '../support/counterparts/webhook-receiver';
import { sharedPostgres } from '../support/database/postgres';
import { answered, postJson } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { type Ran, sealwrightWith } from '../support/service/command-line';
import { type RunningService, startService } from '../support/service/service';
import { eventually } from '../event-store/accounts';

let receiver: WebhookReceiver;
let service: RunningService;
let settings: Record<string, string>;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  settings = {
    SERVICE__PROFILE: 'development',
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await sharedPostgres().createDatabase(),
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: receiver.host,
  };
  service = await startService(settings);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const webhooks = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings, ['webhooks', ...parameters]);

describe('sealwright webhooks', () => {
  it('lists webhooks and what they were sent, and has events sent again by the service', async () => {
    const made = { url: receiver.url, description: 'Back office' };
    const id = String(answered(201, await postJson(`${service.url}/v0/webhooks`, made))['webhookId']);
    const templateId = await publishedTemplate(service.url);
    await eventually(() => receiver.messages.length === 1);
    const [first] = receiver.messages;
    expect((await webhooks('list')).stdout).toMatch(new RegExp(`^ID .*\\n${id} +Enabled +0 +- +- +Back office\\n$`));
    const log = await webhooks('deliveries', id);
    expect(log.stdout).toMatch(
      new RegExp(`\\n${first?.id} +Delivered +1 +204 .* template.published +templates/${templateId}\\n$`),
    );
    const replayed = await webhooks('replay', id, '--from-event', first?.id ?? '');
    expect(replayed).toMatchObject({ code: 0, stderr: '' });
    await eventually(() => receiver.messages.length === 2);
    expect(receiver.messages[1]?.id).toBe(first?.id);
    answered(201, await postJson(`${service.url}/v0/tenants`, { tenantId: 'town', displayName: 'Town' }));
    const ofTown = { url: receiver.url, description: 'Town hall' };
    const town = answered(201, await postJson(`${service.url}/t/town/v0/webhooks`, ofTown))['webhookId'];
    await publishedTemplate(`${service.url}/t/town`);
    await eventually(() => receiver.messages.length === 3);
    const event = String(receiver.messages[2]?.id);
    expect(await webhooks('replay', String(town), '--from-event', event)).toMatchObject({ code: 0, stderr: '' });
    await eventually(() => receiver.messages.length === 4);
    expect(receiver.messages[3]?.id).toBe(event);
    const stranger = await webhooks('replay', id, '--from-event', event);
    expect([stranger.code, stranger.stderr]).toEqual([1, expect.stringContaining('There is no event with the id')]);
    const unknown = await webhooks('replay', 'unknown', '--from-event', '1');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'There is no webhook unknown; see "sealwright webhooks list".\n',
    ]);
    const beyond = await webhooks('replay', id, '--from', '2020-01-01T00:00:00Z');
    expect([beyond.code, beyond.stderr]).toEqual([1, expect.stringContaining('cannot be sent again')]);
  });
});
