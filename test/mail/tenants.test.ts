import { type MailRelay, startMailRelay } from '../support/counterparts/mail-relay';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import type { RunningService } from '../support/service/service';
import { type Mailing, startMailing } from './mailing';

const minutes = 60_000;
const erika = { email: 'erika@example.org', name: 'Erika Mustermann', locale: 'en' };
let service: RunningService;
let relay: MailRelay;
let pass: Mailing['pass'];
let template: string;
/** A sender that the relay does not take. */
let refused = '';

beforeAll(async () => {
  relay = await startMailRelay({
    onMailFrom: ({ address }, _session, done) => {
      if (address === refused) done(Object.assign(new Error('5.7.1 not yours'), { responseCode: 550 }));
      else done();
    },
  });
  ({ service, pass } = await startMailing(relay));
  template = await publishedTemplate(service.url);
});
afterEach(async () => {
  (relay.mails as unknown[]).length = 0;
  await pass(2 * minutes);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service.stop();
  await relay.stop();
});

const offered = async (): Promise<string> =>
  (await prepareOffer(service.url, [template], { recipient: erika })).offerId;
const at = (offerId: string, below = ''): string => `${service.url}/v0/offers/${offerId}/deliveries${below}`;
const deliver = (offerId: string) => postJson(at(offerId), { channel: 'email' });
const latest = async (offerId: string): Promise<Json> =>
  (answered(200, await get(at(offerId)))['items'] as Json[])[0] ?? {};

describe('the mails of a tenant', () => {
  it('sends in its own name, and another one sees nothing of it', async () => {
    const settings = { mail: { from: 'office@village.example', replyTo: '' }, issuer: { displayName: 'Village' } };
    answered(
      201,
      await postJson(`${service.url}/v0/tenants`, { tenantId: 'village', displayName: 'Village', settings }),
    );
    const own = `${service.url}/t/village`;
    const { offerId } = await prepareOffer(own, [await publishedTemplate(own)], { recipient: erika });
    const queued = answered(201, await postJson(`${own}/v0/offers/${offerId}/deliveries`, { channel: 'email' }));
    await pass(0);
    const [{ envelope, parsed } = never()] = relay.mails;
    expect(envelope).toEqual({ from: 'office@village.example', to: ['erika@example.org'] });
    expect(parsed.from?.value).toEqual([{ name: 'Village', address: 'office@village.example' }]);
    expect(parsed.text).toContain(`${own}/o/`);
    const { deliveryId } = queued;
    expect(answered(200, await get(`${own}/v0/offers/${offerId}/deliveries/${String(deliveryId)}`))['status']).toBe(
      'Sent',
    );
    await offered();
    expect((await get(at(offerId, `/${String(deliveryId)}`))).status).toBe(404);
  });

  it('sends nothing while it is suspended, and holds nobody else up', async () => {
    const own = `${service.url}/t/village`;
    const templateId = await publishedTemplate(own);
    const [waiting, late] = [
      await prepareOffer(own, [templateId], { recipient: erika }),
      await prepareOffer(own, [templateId], { recipient: erika }),
    ];
    const to = ({ offerId }: { readonly offerId: string }) => `${own}/v0/offers/${offerId}/deliveries`;
    const standing = async (offer: { readonly offerId: string }) =>
      (answered(200, await get(to(offer)))['items'] as Json[])[0] ?? {};
    const move = (name: string, body: unknown) => postJson(`${service.url}/v0/tenants/village/${name}`, body);
    answered(200, await move('suspend', { scope: 'issuing' }));
    answered(201, await postJson(to(late), { channel: 'email' }));
    const other = await offered();
    answered(201, await deliver(other));
    await pass(0);
    expect(await latest(other)).toMatchObject({ status: 'Sent' });
    expect(await standing(late)).toMatchObject({ status: 'Queued', reason: 'tenant-suspended', attempts: 0 });
    await pass(25 * 60 * minutes);
    expect(await standing(late)).toMatchObject({ status: 'Failed', reason: 'tenant-suspended' });
    answered(201, await postJson(to(waiting), { channel: 'email' }));
    await pass(0);
    expect(await standing(waiting)).toMatchObject({ status: 'Queued' });
    expect(relay.mails).toHaveLength(1);
    answered(200, await move('resume', ''));
    await pass(10 * minutes);
    expect(await standing(waiting)).toMatchObject({ status: 'Sent', attempts: 1 });
  });

  it('whose sender the relay refuses holds nobody else up', async () => {
    const own = `${service.url}/t/village`;
    const templateId = await publishedTemplate(own);
    const { offerId } = await prepareOffer(own, [templateId], { recipient: erika });
    const to = `${own}/v0/offers/${offerId}/deliveries`;
    const standing = async () => (answered(200, await get(to))['items'] as Json[])[0] ?? {};
    refused = 'office@village.example';
    answered(201, await postJson(to, { channel: 'email' }));
    await pass(0);
    expect(await standing()).toMatchObject({ status: 'Queued', reason: '550 5.7.1', attempts: 1 });
    // More than the rate allows, so that some wait beside it.
    const others = await Promise.all(Array.from({ length: 16 }, () => offered()));
    for (const other of others) answered(201, await deliver(other));
    await pass(0);
    await pass(2 * minutes);
    for (const other of others) expect(await latest(other)).toMatchObject({ status: 'Sent' });
    refused = '';
    await pass(30 * minutes);
    expect(await standing()).toMatchObject({ status: 'Sent' });
  });

  it('chooses no relay', async () => {
    const tenant = { tenantId: 'hamlet', displayName: 'Hamlet', settings: { mail: { host: 'relay.example' } } };
    expect((await postJson(`${service.url}/v0/tenants`, tenant)).status).toBe(400);
  });
});

function never(): never {
  throw new Error('no mail came');
}
