import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { type MailRelay, startMailRelay } from '../support/counterparts/mail-relay';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import type { RunningService } from '../support/service/service';
import { type Mailing, startMailing } from './mailing';

const minutes = 60_000;
let service: RunningService;
let relay: MailRelay;
let pass: Mailing['pass'];
let template: string;

beforeAll(async () => {
  relay = await startMailRelay();
  ({ service, pass } = await startMailing(relay));
  template = await publishedTemplate(service.url, {
    title: 'Membership',
    display: [{ name: 'Membership card', locale: 'en' }],
  });
});
afterEach(async () => {
  relay.judgeBy(undefined);
  relay.judgeDataBy(undefined);
  (relay.mails as unknown[]).length = 0;
  await pass(2 * minutes);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service.stop();
  await relay.stop();
});

const erika = { email: 'erika@example.org', name: 'Erika Mustermann', locale: 'en' };
const offered = async (recipient: Json | undefined = erika, offer: Json = {}): Promise<string> =>
  (await prepareOffer(service.url, [template], { recipient, ...offer })).offerId;
const at = (offerId: string, below = ''): string => `${service.url}/v0/offers/${offerId}/deliveries${below}`;
const deliver = (offerId: string, body: Json = { channel: 'email' }) => postJson(at(offerId), body);
const latest = async (offerId: string): Promise<Json> =>
  (answered(200, await get(at(offerId)))['items'] as Json[])[0] ?? {};

describe('an offer that is sent by mail', () => {
  it('brings the link of its page to the recipient, and nothing else that a wallet could use', async () => {
    const { offerId, txCode } = await prepareOffer(service.url, [template], { recipient: erika, txCode: true });
    const queued = answered(201, await deliver(offerId));
    expect(queued).toMatchObject({ offerId, channel: 'email', status: 'Queued', attempts: 0 });
    await pass(0);
    expect(await latest(offerId)).toMatchObject({ deliveryId: queued['deliveryId'], status: 'Sent', attempts: 1 });
    const [{ envelope, raw, parsed } = never()] = relay.mails;
    const { links } = answered(200, await get(`${service.url}/v0/offers/${offerId}`)) as { links: { page: string } };
    expect(envelope).toEqual({ from: 'credentials@town.example', to: ['erika@example.org'] });
    expect(parsed.from?.value).toEqual([{ name: 'Town of Example', address: 'credentials@town.example' }]);
    expect(parsed.replyTo?.value).toEqual([{ name: '', address: 'office@town.example' }]);
    expect(parsed.subject).toBe('Membership card from Town of Example');
    expect(parsed.text).toContain('Hello Erika Mustermann,');
    for (const text of [parsed.text, parsed.html]) expect(text).toContain(links.page);
    expect(parsed.headers.get('auto-submitted')).toBe('auto-generated');
    expect(parsed.messageId).toBe(`<${String(queued['deliveryId'])}@town.example>`);
    const whole = [raw, parsed.text, String(parsed.html)].join();
    expect(whole).not.toContain(txCode);
    expect(whole).not.toMatch(/openid-credential-offer|<img|<script/);
    expect(relay.mails).toHaveLength(1);
  });

  it.each([
    ['de', 'Guten Tag Erika Mustermann,'],
    ['fr', 'Bonjour Erika Mustermann,'],
    ['it', 'Buongiorno Erika Mustermann,'],
    ['nl', 'Hallo Erika Mustermann,'],
    ['es', 'Buenos días, Erika Mustermann:'],
    ['ar', 'مرحبًا Erika Mustermann،'],
  ])('is written in %s when the person reads that', async (locale, greeting) => {
    await deliver(await offered({ ...erika, locale }));
    await pass(2 * minutes);
    const [{ parsed } = never()] = relay.mails;
    expect(parsed.text).toContain(greeting);
    expect(parsed.html).toContain(`lang="${locale}"`);
  });

  it('is still open after scanners of mails have opened its page', async () => {
    const offerId = await offered();
    await deliver(offerId);
    await pass(0);
    const [link = ''] = /http\S+\/o\/\S+/.exec(relay.mails[0]?.parsed.text ?? '') ?? [];
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) expect((await send(link, { method })).status).toBe(200);
    const offer = answered(200, await get(`${service.url}/v0/offers/${offerId}`));
    expect(offer).toMatchObject({ state: 'Open' });
    expect((offer['timeline'] as Json[]).map(({ step }) => step)).not.toContain('fetched');
    // What a wallet was shown could not change any more.
    answered(200, await postJson(`${service.url}/v0/offers`, { offerId, txCode: true }));
  });

  it('is sent once however often it is asked for', async () => {
    const offerId = await offered();
    relay.judgeBy(() => ({ code: 450 }));
    const asked = await Promise.all([1, 2, 3].map(() => deliver(offerId)));
    expect(asked.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    relay.judgeBy(undefined);
    await pass(2 * minutes);
    expect(relay.mails).toHaveLength(1);
  });

  it('is sent once for one Idempotency-Key', async () => {
    const offerId = await offered();
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const once = () => send(at(offerId), { method: 'POST', headers, body: '{"channel":"email"}' });
    const first = answered(201, await once());
    await pass(0);
    expect(answered(201, await once())['deliveryId']).toBe(first['deliveryId']);
    await pass(minutes);
    expect(relay.mails).toHaveLength(1);
  });

  it('goes to the address in ASCII where its domain has other letters', async () => {
    await deliver(await offered({ email: 'erika@bücher.example', name: 'Erika' }));
    await pass(0);
    expect(relay.mails[0]?.raw).toContain('Erika <erika@xn--bcher-kva.example>');
  });
});

describe('a mail server', () => {
  it('that is busy gets the mail again later', async () => {
    for (const code of [421, 450]) {
      const offerId = await offered();
      relay.judgeBy((_address, before) => (before === tried ? { code } : undefined));
      const { tried } = relay;
      await deliver(offerId);
      await pass(0);
      expect(await latest(offerId)).toMatchObject({ status: 'Queued', attempts: 1, reason: String(code) });
      await pass(2 * minutes);
      expect(await latest(offerId)).toMatchObject({ status: 'Sent', attempts: 2 });
    }
    expect(relay.mails).toHaveLength(2);
  });

  it('that refuses the address is not asked again', async () => {
    const offerId = await offered();
    relay.judgeBy((address) => ({ code: 550, text: `5.1.1 ${address} is unknown` }));
    await deliver(offerId);
    await pass(0);
    const failed = await latest(offerId);
    expect(failed).toMatchObject({ status: 'Failed', attempts: 1, reason: '550 5.1.1' });
    const { tried } = relay;
    await pass(60 * minutes);
    expect(relay.tried).toBe(tried);
    // Another address is another mail.
    relay.judgeBy(undefined);
    answered(200, await postJson(`${service.url}/v0/offers`, { offerId, recipient: { email: 'e.m@example.org' } }));
    await deliver(offerId);
    await pass(0);
    expect(relay.mails[0]?.envelope.to).toEqual(['e.m@example.org']);
  });

  it('that never answers at the end of a mail holds nobody up for good', async () => {
    const offerId = await offered();
    relay.judgeDataBy(() => 'hang');
    await deliver(offerId);
    await pass(0);
    expect(await latest(offerId)).toMatchObject({ status: 'Queued', attempts: 1, reason: 'no-answer' });
    relay.judgeDataBy(undefined);
    await pass(2 * minutes);
    expect(await latest(offerId)).toMatchObject({ status: 'Sent', attempts: 2 });
  });

  it('that is away for a day is given up', async () => {
    const offerId = await offered(erika, { expiresIn: 'P7D' });
    relay.judgeBy(() => ({ code: 451 }));
    await deliver(offerId);
    for (let hour = 0; hour <= 30; hour++) await pass(60 * minutes);
    expect(await latest(offerId)).toMatchObject({ status: 'Failed', reason: '451' });
    expect(Number((await latest(offerId))['attempts'])).toBeGreaterThan(5);
  });

  it('that accepts a mail and reports later that it came back is believed', async () => {
    const offerId = await offered();
    const { deliveryId } = answered(201, await deliver(offerId));
    const bounce = () => postJson(at(offerId, `/${String(deliveryId)}/bounce`), { reason: 'wrong-address' });
    await pass(0);
    expect(answered(200, await bounce())).toMatchObject({ status: 'Bounced', reason: 'wrong-address' });
    expect(answered(200, await bounce())).toMatchObject({ status: 'Bounced' });
    expect(await latest(offerId)).toMatchObject({ status: 'Bounced' });
    expect((await postJson(at(offerId, `/${randomUUID()}/bounce`), { reason: 'other' })).status).toBe(404);
  });

  it('gets no more mails in a minute than the settings say, and none that was stopped', async () => {
    await pass(2 * minutes);
    const offers = await Promise.all(Array.from({ length: 50 }, () => offered()));
    for (const offerId of offers) answered(201, await deliver(offerId));
    await pass(0);
    expect(relay.mails).toHaveLength(10);
    await pass(30_000);
    expect(relay.mails).toHaveLength(10);
    await pass(31_000);
    expect(relay.mails).toHaveLength(20);
    const [one = ''] = offers.slice(-1);
    const { deliveryId } = await latest(one);
    expect((await send(at(one, `/${String(deliveryId)}`), { method: 'DELETE' })).status).toBe(204);
    expect(answered(200, await postJson(`${service.url}/v0/offers/cancel_deliveries`, {}))).toEqual({ cancelled: 29 });
    for (let minute = 0; minute < 5; minute++) await pass(2 * minutes);
    expect(relay.mails).toHaveLength(20);
    expect(await latest(one)).toMatchObject({ status: 'Cancelled' });
  });
});

describe('a recipient', () => {
  it.each([
    ['erika@example.org\r\nBcc: all@example.org', 'email'],
    ['Erika <erika@example.org>', 'email'],
    ['erika@example.org, max@example.org', 'email'],
    ['erika@localhost', 'email'],
    ['érika@example.org', 'email'],
    ['erika@exam\u202eple.org', 'email'],
    [`${'a'.repeat(64)}@${'b'.repeat(200)}.example`, 'email'],
    ['Erika\r\nBcc: all@example.org', 'name'],
    ['Erika \u202egro.elpmaxe', 'name'],
    ['E'.repeat(300), 'name'],
  ])('%j is refused as %s, and nothing is stored', async (value, member) => {
    const offerId = randomUUID();
    const refused = await postJson(`${service.url}/v0/offers`, { offerId, recipient: { ...erika, [member]: value } });
    expect([refused.status, refused.json['violations']]).toEqual([
      400,
      [expect.objectContaining({ pointer: `/recipient/${member}` })],
    ]);
    expect(refused.text).not.toContain('Bcc');
    expect((await get(`${service.url}/v0/offers/${offerId}`)).status).toBe(404);
  });

  it.each(['<b>Erika</b>', '{name} {{link}} {issuer}', '"Erika" <x@example.org>, Max', 'E'.repeat(200), 'محمد علي'])(
    'whose name is %j is greeted by just that',
    async (name) => {
      await deliver(await offered({ email: 'erika@example.org', name }));
      await pass(0);
      const [{ envelope, parsed } = never()] = relay.mails;
      const shown = name.length > 120 ? `${name.slice(0, 119)}…` : name;
      expect(envelope.to).toEqual(['erika@example.org']);
      expect(parsed.to).toMatchObject({ value: [{ name: shown, address: 'erika@example.org' }] });
      expect(parsed.text).toContain(`Hello ${shown},`);
      expect(parsed.html).not.toContain('<b>');
    },
  );

  it('can be named with the data of the credential, also of a batch', async () => {
    const offerIds = [randomUUID(), randomUUID()];
    const credential = { credentialConfigurationId: template, credential: { credentialSubject: { given_name: 'E' } } };
    const [first, second] = offerIds.map((offerId, n) => ({
      ...credential,
      offerId,
      recipient: { email: `p${n}@example.org` },
    }));
    answered(201, await postJson(`${service.url}/v0/credentials`, first));
    answered(200, await postJson(`${service.url}/v0/credentials/batch`, { credentials: [second] }));
    for (const offerId of offerIds) answered(201, await deliver(offerId));
    await pass(0);
    expect(relay.mails.map(({ envelope }) => envelope.to[0]).sort()).toEqual(['p0@example.org', 'p1@example.org']);
  });

  it('is erased with the data of the credential, after which no mail is sent', async () => {
    const { offerId, credentialIds } = await prepareOffer(service.url, [template], { recipient: erika });
    expect(answered(200, await get(at(offerId)))['recipient']).toEqual(erika);
    relay.judgeBy(() => ({ code: 450 }));
    await deliver(offerId);
    await pass(0);
    relay.judgeBy(undefined);
    const erased = await send(`${service.url}/v0/credentials/${credentialIds[0] ?? ''}/personal_data`, {
      method: 'DELETE',
    });
    expect(erased.status).toBe(204);
    expect(answered(200, await get(at(offerId)))).not.toHaveProperty('recipient');
    await pass(2 * minutes);
    expect(relay.mails).toEqual([]);
    expect(await latest(offerId)).toMatchObject({ status: 'Failed', reason: 'no-address' });
  });

  it('is in no event, row of the audit or state', async () => {
    const offerId = await offered({ email: 'canary-mail@example.org', name: 'Canaryname' });
    await deliver(offerId);
    await pass(0);
    const driver = service.app.get<SqlDriver>(SQL_DRIVER);
    const tables = ['events', 'streams', 'audit', 'offer_deliveries', 'consumed'];
    for (const table of tables) {
      const text = `select count(*)::integer as count from ${table} t where t::text ~* 'canary'`;
      expect([table, await driver.query({ name: `test-canary-${table}`, text, values: [] })]).toEqual([
        table,
        [{ count: 0 }],
      ]);
    }
  });

  it('that is missing, or whose offer leads nowhere, gets no mail', async () => {
    const nobody = await offered({ name: 'Erika' });
    expect((await deliver(nobody)).json).toMatchObject({
      status: 409,
      detail: expect.stringContaining('recipient') as string,
    });
    const withdrawn = await offered();
    await send(`${service.url}/v0/offers/${withdrawn}`, { method: 'DELETE' });
    expect((await deliver(withdrawn)).status).toBe(409);
    expect((await deliver(randomUUID())).json['type']).toMatch(/missing-credential-offer/);
    const late = await offered();
    relay.judgeBy(() => ({ code: 450 }));
    await deliver(late);
    await pass(0);
    relay.judgeBy(undefined);
    await send(`${service.url}/v0/offers/${late}`, { method: 'DELETE' });
    await pass(2 * minutes);
    expect([relay.mails, await latest(late)]).toMatchObject([[], { status: 'Failed' }]);
  });
});

describe('a letter', () => {
  it('has a QR code and the address of the page, and no transaction code', async () => {
    const { offerId, txCode } = await prepareOffer(service.url, [template], {
      recipient: { ...erika, locale: 'de' },
      txCode: true,
    });
    const { links } = answered(200, await get(`${service.url}/v0/offers/${offerId}`)) as { links: { page: string } };
    const letter = await get(`${service.url}/v0/offers/${offerId}/letter`);
    expect([letter.status, letter.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(letter.headers.get('content-security-policy')).toMatch(/default-src 'none'; style-src 'sha256-/);
    for (const part of [links.page, '<svg', 'Guten Tag Erika Mustermann,']) expect(letter.text).toContain(part);
    expect(letter.text).not.toContain(txCode);
    const both = await postJson(`${service.url}/v0/offers/letters`, {
      offers: [{ offerId, txCode }, { offerId: await offered() }],
    });
    expect([both.status, both.text.match(/<main /g)?.length]).toEqual([200, 2]);
    expect(both.text).toContain(txCode);
    expect(await latest(offerId)).toMatchObject({ channel: 'letter', status: 'Sent' });
  });

  it.each([
    ['<script>alert(1)</script>', '&#60;script&#62;alert(1)&#60;/script&#62;'],
    ['{name} {{link}} {issuer}', '{name} {{link}} {issuer}'],
    ['E'.repeat(200), `${'E'.repeat(119)}…`],
  ])('has the name %j as it was given', async (name, shown) => {
    const letter = await get(`${service.url}/v0/offers/${await offered({ name })}/letter`);
    expect(letter.text).toContain(shown);
    expect(letter.text).not.toMatch(/<script|E{121}/);
  });
});

function never(): never {
  throw new Error('no mail came');
}
