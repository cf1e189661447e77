import { EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { OfferDeliveryTable } from '@app/mail/src/offer-delivery-table';
import { Mailers } from '@app/mail/src/mailers';
import { eventually } from '../event-store/accounts';
import { type MailRelay, startMailRelay } from '../support/counterparts/mail-relay';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { importOf, startedImport, until, uploaded } from '../support/portal/imports';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { receive } from '../support/wallets/wallet';

const minutes = 60_000;
let service: RunningService;
let url: string;
let relay: MailRelay;
let templateId: string;
let ahead = 0;

beforeAll(async () => {
  relay = await startMailRelay();
  service = await startService({
    SERVICE__MAIL__HOST: '127.0.0.1',
    SERVICE__MAIL__PORT: String(relay.port),
    SERVICE__MAIL__SECURITY: 'none',
    SERVICE__MAIL__FROM: 'credentials@town.example',
    SERVICE__MAIL__RATE_PER_MINUTE: '10',
  });
  ({ url } = service);
  const store = service.app.get(EventStore);
  const clock = store.clock.bind(store);
  jest.spyOn(store, 'clock').mockImplementation(() => new Date(clock().getTime() + ahead));
  const schema = { type: 'object', properties: { given_name: { type: 'string' } }, required: ['given_name'] };
  templateId = await publishedTemplate(url, { schema });
});
afterEach(async () => {
  relay.judgeBy(undefined);
  answered(200, await postJson(`${url}/v0/offers/cancel_deliveries`, {}));
  await pass(2 * minutes);
  (relay.mails as unknown[]).length = 0;
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service.stop();
  await relay.stop();
});

/** Lets time pass, and everything be tried that is due then. */
async function pass(milliseconds: number): Promise<void> {
  ahead += milliseconds;
  const table = new OfferDeliveryTable(service.app.get<SqlDriver>(SQL_DRIVER));
  const mailers = service.app.get(Mailers);
  await eventually(async () => {
    mailers.wake();
    const now = service.app.get(EventStore).clock();
    return !(await table.hasDue(now)) || (await table.attemptsSince(new Date(now.getTime() - minutes))) >= 10;
  });
  await (mailers as unknown as { looking?: Promise<void> }).looking;
}

/** Rows with a name, a file number and an address; the last one has no address. */
async function offeredRows(count: number): Promise<string> {
  const rows = Array.from(
    { length: count },
    (_, at) => `Person ${at},${at < count - 1 ? `p${at}@people.example` : ''}`,
  );
  const importId = await startedImport(url, templateId, ['given_name,E-mail', ...rows].join('\n'));
  await until(url, importId, 'Done');
  return importId;
}

const mail = (importId: string, body: Json = { channel: 'email' }) =>
  postJson(`${url}/v0/imports/${importId}/deliveries`, body);
const stop = async (importId: string): Promise<unknown> =>
  answered(200, await postJson(`${url}/v0/imports/${importId}/cancel_deliveries`, ''))['cancelled'];

async function queued(importId: string): Promise<Json> {
  let found: Json = {};
  await eventually(async () => {
    found = await importOf(url, importId);
    return (found['mailing'] as Json | undefined)?.['state'] !== 'Queueing';
  });
  return found;
}

async function rowsOf(importId: string, filter = ''): Promise<Json[]> {
  return answered(200, await get(`${url}/v0/imports/${importId}/rows?limit=200${filter}`))['items'] as Json[];
}

describe('the mails of an import', () => {
  it('go out at the rate of the settings, each once, and tell what became of them', async () => {
    const importId = await offeredRows(25);
    const [taken = {}, withdrawn = {}] = await rowsOf(importId);
    const offer = (row: Json) => `${url}/v0/offers/${String(row['credentialId'])}`;
    await receive(String(answered(200, await get(offer(taken)))['credentialOffer']));
    answered(204, await send(offer(withdrawn), { method: 'DELETE' }));

    await pass(2 * minutes);
    const asked = await Promise.all([1, 2, 3].map(() => mail(importId)));
    expect(asked.map(({ status }) => status)).toEqual([202, 202, 202]);
    const { mailing, offers } = await queued(importId);
    expect(mailing).toMatchObject({
      state: 'Queued',
      queued: 22,
      skipped: { mailed: 0, taken: 1, 'not-open': 1, 'no-address': 1 },
    });
    expect(offers).toEqual({ Open: 23, Redeemed: 1, Expired: 0, Withdrawn: 1, Locked: 0 });
    await pass(0);
    expect(relay.mails).toHaveLength(10);
    expect((await importOf(url, importId))['mails']).toMatchObject({ Queued: 12, Sent: 10 });
    for (let minute = 0; minute < 3; minute++) await pass(61_000);
    expect(new Set(relay.mails.map(({ envelope }) => envelope.to[0])).size).toBe(22);
    expect(relay.mails).toHaveLength(22);

    answered(202, await mail(importId));
    expect((await queued(importId))['mailing']).toMatchObject({ queued: 0, skipped: { mailed: 22, taken: 1 } });
    await pass(2 * minutes);
    expect(relay.mails).toHaveLength(22);
  });

  it('are stopped, and sent when they are asked for again', async () => {
    const importId = await offeredRows(25);
    await pass(2 * minutes);
    answered(202, await mail(importId));
    await queued(importId);
    await pass(0);
    expect(await stop(importId)).toBe(14);
    await pass(2 * minutes);
    expect(relay.mails).toHaveLength(10);
    expect((await importOf(url, importId))['mails']).toMatchObject({ Queued: 0, Sent: 10, Cancelled: 14 });
    answered(202, await mail(importId, { channel: 'email', locale: 'de' }));
    expect((await queued(importId))['mailing']).toMatchObject({ queued: 14, skipped: { mailed: 10 } });
    for (let minute = 0; minute < 3; minute++) await pass(61_000);
    expect(new Set(relay.mails.map(({ envelope }) => envelope.to[0])).size).toBe(24);
    expect(relay.mails.at(-1)?.parsed.text).toContain('Guten Tag');
  });

  it('come after one that somebody waits for', async () => {
    const importId = await offeredRows(25);
    await pass(2 * minutes);
    answered(202, await mail(importId));
    await queued(importId);
    await pass(0);
    const { offerId } = await prepareOffer(url, [templateId], {
      recipient: { email: 'at-the-counter@people.example' },
    });
    const one = answered(201, await postJson(`${url}/v0/offers/${offerId}/deliveries`, { channel: 'email' }));
    expect(String(one['nextAttemptAt']) >= String(one['createdAt'])).toBe(true);
    await pass(61_000);
    expect(relay.mails[10]?.envelope.to).toEqual(['at-the-counter@people.example']);
  });

  it('that came back or failed are seen by row', async () => {
    const importId = await offeredRows(4);
    await pass(2 * minutes);
    relay.judgeBy((address) => (address.startsWith('p1@') ? { code: 550, text: '5.1.1 unknown' } : undefined));
    answered(202, await mail(importId));
    await queued(importId);
    await pass(0);
    const [first = {}] = await rowsOf(importId);
    const { deliveryId } = first['mail'] as Json;
    const at = `${url}/v0/offers/${String(first['credentialId'])}/deliveries/${String(deliveryId)}/bounce`;
    answered(200, await postJson(at, { reason: 'wrong-address' }));
    expect((await rowsOf(importId)).map((row) => row['mail'] && { ...(row['mail'] as Json), deliveryId: '' })).toEqual([
      { deliveryId: '', status: 'Bounced', reason: 'wrong-address' },
      { deliveryId: '', status: 'Failed', reason: '550 5.1.1' },
      { deliveryId: '', status: 'Sent' },
      undefined,
    ]);
    const { text } = await get(`${url}/v0/imports/${importId}/result.csv`);
    expect(text.split('\r\n').map((line) => line.replace(/http.*/, 'link'))).toEqual([
      '\ufeffRow,Reference,State,Reason,Offer,Mail,Link',
      '2,,created,,Open,Bounced wrong-address,link',
      '3,,created,,Open,Failed 550 5.1.1,link',
      '4,,created,,Open,Sent,link',
      '5,,created,,Open,,link',
      '',
    ]);
    // Another try is worth it where nothing came through.
    relay.judgeBy(undefined);
    answered(202, await mail(importId));
    expect((await queued(importId))['mailing']).toMatchObject({ queued: 1, skipped: { mailed: 2, 'no-address': 1 } });
  });

  it('need an import that was started, and words that are known', async () => {
    const importId = await uploaded(url, templateId, 'given_name\nErika\n');
    await until(url, importId, 'Checked');
    const early = await mail(importId);
    expect([early.status, early.json['detail']]).toEqual([409, expect.stringContaining('start it first')]);
    expect((await mail(importId, { channel: 'letter' })).json['violations']).toMatchObject([{ pointer: '/channel' }]);
    expect((await mail('b7ad7f0a-1c4f-4f6c-9f0e-3a1b2c4d5e6f')).status).toBe(404);
    expect(await importOf(url, importId)).not.toHaveProperty('offers');
  });
});

describe('the rows of an import', () => {
  it('say at once who cannot be mailed so', async () => {
    const names = ['Erika\u202egro', 'E'.repeat(300), '"Erika\r\nBcc: all@people.example"'];
    const rows = [...names.map((name) => `A,${name},a@people.example`), 'A,Erika,"a@people.example, b@people.example"'];
    const importId = await uploaded(url, templateId, ['given_name,Recipient,E-mail', ...rows].join('\n'));
    await until(url, importId, 'Checked');
    expect((await rowsOf(importId)).map(({ state }) => state)).toEqual(['faulty', 'faulty', 'faulty', 'faulty']);
  });

  it('are mailed and printed with just the names that they have', async () => {
    const names = ['<b>Erika</b>', '{{link}} {name} {issuer}', 'E'.repeat(200), 'محمد علي'];
    const rows = names.map((name, at) => `<i>{{link}}</i> ${at},${name},n${at}@people.example`);
    const importId = await startedImport(url, templateId, ['given_name,Recipient,E-mail', ...rows].join('\n'));
    await until(url, importId, 'Done');
    await pass(2 * minutes);
    answered(202, await mail(importId));
    await queued(importId);
    await pass(0);
    const mails = relay.mails.toSorted((a, b) => String(a.envelope.to[0]).localeCompare(String(b.envelope.to[0])));
    const shown = names.map((name) => (name.length > 120 ? `${name.slice(0, 119)}…` : name));
    expect(mails.map(({ parsed }) => parsed.text?.split('\n')[0])).toEqual(shown.map((name) => `Hello ${name},`));
    expect(mails.map(({ parsed }) => String(parsed.html)).join('')).not.toMatch(/<b>|<i>/);
    const offers = (await rowsOf(importId)).map(({ credentialId }) => ({ offerId: credentialId }));
    const letters = await postJson(`${url}/v0/offers/letters`, { offers });
    for (const name of shown) expect(letters.text).toContain(`Hello ${name.replace(/[<>]/g, escaped)},`);
    expect(letters.text).not.toMatch(/<b>|<i>|E{121}/);
  });

  it('tell who has taken theirs', async () => {
    const importId = await offeredRows(3);
    const [{ credentialId } = {}] = await rowsOf(importId);
    const { credentialOffer } = answered(200, await get(`${url}/v0/offers/${String(credentialId)}`));
    await receive(String(credentialOffer));
    const shown = async (filter: string) =>
      (await rowsOf(importId, filter)).map(({ row, offerState }) => [row, offerState]);
    expect(await shown('')).toEqual([
      [2, 'Redeemed'],
      [3, 'Open'],
      [4, 'Open'],
    ]);
    expect(await shown('&taken=true')).toEqual([[2, 'Redeemed']]);
    expect(await shown('&taken=false')).toEqual([
      [3, 'Open'],
      [4, 'Open'],
    ]);
    expect(await shown('&taken=false&state=faulty')).toEqual([]);
    const page = answered(200, await get(`${url}/v0/imports/${importId}/rows?taken=false&limit=1`));
    const next = `&taken=false&cursor=${String(page['nextCursor'])}`;
    expect([page['nextCursor'], await shown(next)]).toEqual(['3', [[4, 'Open']]]);
    expect((await get(`${url}/v0/imports/${importId}/rows?taken=maybe`)).status).toBe(400);
  });
});

function escaped(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
