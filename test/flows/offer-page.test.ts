import { loadSettings } from '@app/config';
import { IssuerAppearance } from '@app/pages';
import { QueryBus } from '@nestjs/cqrs';
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventConnection, listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { png, sendPicture } from '../support/portal/pictures';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { freePort, type RunningService, startService } from '../support/service/service';
import { deferredOffer, submit } from '../support/wallets/deferred';
import { offerUri, openSession, receive, redeem, readOffer, requestCredential } from '../support/wallets/wallet';

let service: RunningService;
let management: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pages-'));
  const logo = join(folder, 'logo.svg');
  await writeFile(
    logo,
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
  );
  const port = await freePort();
  management = `http://127.0.0.1:${port}`;
  service = await startService({
    SERVICE__MANAGEMENT__PORT: String(port),
    SERVICE__ISSUER__DISPLAY_NAME: 'Registrar <of> Example',
    SERVICE__ISSUER__LOCALISED_NAMES: 'de=Standesamt, fr-CH=État civil',
    SERVICE__ISSUER__LOGO: logo,
    SERVICE__PAGES__CONTACT: 'help+cards@registrar.example',
    SERVICE__PAGES__WALLET_HELP: 'https://wallets.example/?a=1&b',
    SERVICE__RATE_LIMITS__ENABLED: 'true',
    SERVICE__ISSUER__COLOUR: '#ffee00',
  });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

async function linksOf(offerId: string): Promise<Record<'page' | 'qrSvg' | 'qrPng', string>> {
  return answered(200, await get(`${management}/v0/offers/${offerId}`))['links'] as never;
}
const pageOf = async (offerId: string): Promise<string> => (await linksOf(offerId)).page;
const inLanguage = (url: string, language = 'en'): Promise<Reply> => get(url, { 'accept-language': language });
const headingOf = ({ text }: Reply): string | undefined => /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
const stateOf = ({ text }: Reply): string | undefined => /<main data-state="(\w+)"/.exec(text)?.[1];

/** The states that an open page is sent, until one of them. */
async function statesUntil(stream: EventConnection, last: string): Promise<string[]> {
  const states: string[] = [];
  while (states.at(-1) !== last) {
    const event = await stream.next();
    if (!event) throw new Error(`the events end after ${states.join(', ')}`);
    if (event.data !== '') states.push(event.data);
  }
  return states;
}

describe('the page of an offer', () => {
  it('is on the public listener, needs no key, and shows who offers what and how to get it', async () => {
    const membership = {
      name: 'Membership & more',
      locale: 'en',
      description: 'Shows that you are a member.',
      background_color: '#12107c',
      text_color: '#111111',
      logo: { uri: 'https://elsewhere.example/logo.png' },
    };
    const german = { name: 'Mitgliedschaft', locale: 'de', logo: { uri: 'data:image/png;base64,AA==', alt_text: 'M' } };
    const { uri } = answered(201, await sendPicture(management, png(9, 9)));
    const dutch = { name: 'Lidmaatschap', locale: 'nl', logo: { uri } };
    const templateId = await publishedTemplate(management, { display: [membership, german, dutch] });
    const { offerId, txCode } = await prepareOffer(management, [templateId], { txCode: true });
    const { page, qrSvg, qrPng } = await linksOf(offerId);
    expect(page).toMatch(new RegExp(`^${service.url}/o/[\\w-]{43}$`));
    expect([qrSvg, qrPng]).toEqual([`${page}/qr.svg`, `${page}/qr.png`]);

    const english = await inLanguage(page);
    expect(english.status).toBe(200);
    expect(headingOf(english)).toBe('Your credential is ready');
    for (const shown of [
      'Do you have no wallet app yet?',
      'Ask Registrar &#60;of&#62; Example which one you can use.',
      '<a href="https://wallets.example/?a=1&#38;b">How to get a wallet app</a>',
      '<a href="mailto:help%2Bcards@registrar.example">Contact Registrar &#60;of&#62; Example: <bdi dir="ltr">help+cards@registrar.example</bdi></a>',
      'For European identity wallets',
      'Registrar &#60;of&#62; Example',
      'Membership &#38; more',
      'Shows that you are a member.',
      'a transaction code of 6 digits',
      'href="openid-credential-offer://?credential_offer_uri=',
      '<img src="/pages/logo?v=',
    ]) {
      expect(english.text).toContain(shown);
    }
    for (const hidden of [String(txCode), offerId, 'Erika', 'elsewhere.example', 'HAIP'])
      expect(english.text).not.toContain(hidden);

    const translated = await inLanguage(page, 'de-AT, en;q=0.5');
    expect(translated.headers.get('content-language')).toBe('de');
    expect(translated.text).toContain('<html lang="de" dir="ltr">');
    expect(headingOf(translated)).toBe('Ihr Nachweis ist bereit');
    expect(translated.text).toContain('<img src="data:image/png;base64,AA==" alt="M">');
    expect(translated.text).toContain('<p><bdi>Standesamt</bdi></p>');
    expect((await inLanguage(page, 'nl')).text).toContain(`<img src="${String(uri)}" alt="">`);
    expect((await get(String(uri))).status).toBe(200);
    expect(headingOf(await inLanguage(`${page}?language=it`, 'de'))).toBe('La tua credenziale è pronta');
    const arabic = await inLanguage(page, 'ar-EG, en;q=0.5');
    expect(arabic.text).toContain('<html lang="ar" dir="rtl">');
    expect(headingOf(arabic)).toBe('وثيقتك الرقمية جاهزة');
    const { display } = answered(200, await get(`${service.url}/.well-known/openid-credential-issuer/openid4vci`));
    const logo = { uri: `${service.url}/pages/logo` };
    expect(display).toEqual([
      { name: 'Registrar <of> Example', logo },
      { name: 'Standesamt', locale: 'de', logo },
      { name: 'État civil', locale: 'fr-CH', logo },
    ]);
  });

  it('says that the transaction code is asked in the browser where a wallet can come by authorization code', async () => {
    const offer = { grants: ['authorization_code'], identification: 'portal', txCode: true };
    const { offerId } = await prepareOffer(management, [await publishedTemplate(management)], offer);
    const { text } = await inLanguage(await pageOf(offerId));
    expect(text).toContain('in your wallet or on the page that it opens');
    expect(text).not.toContain('only in your wallet');
  });

  it('may load its own files only, is not kept, not framed, and passes no address on', async () => {
    const { offerId } = await prepareOffer(management);
    const page = await inLanguage(await pageOf(offerId));
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
    const files = [...page.text.matchAll(/(?:src|href)="(\/[^"?]*)/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThan(4);
    for (const path of files) expect([path, (await get(service.url + path)).status]).toEqual([path, 200]);
    const style = await get(`${service.url}/pages/style.css`);
    // The yellow of the settings, as dark as the light page needs it, and as it is on the dark page.
    expect(style.text).toMatch(/--accent: #(?!ffee00)[0-9a-f]{6};[^]*--accent: #ffee00;/);
    const card = await get(`${service.url}/pages/colours/card-12107c-111111.css`);
    expect(card.text).toContain('background: #12107c; color: #ffffff;');
    for (const name of ['card-12107c-zz.css', 'card-12107c%7D*%7B.css', 'x']) {
      expect((await get(`${service.url}/pages/colours/${name}`)).status).toBe(404);
    }
  });

  it('shows each step of the wallet while it is open, and then ends', async () => {
    const { offerId, link } = await prepareOffer(management);
    const page = await pageOf(offerId);
    const stream = await listen(`${page}/events`);
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(await statesUntil(stream, 'ready')).toEqual(['ready']);
    // Neither the page nor its pictures are the fetch of a wallet.
    for (const url of Object.values(await linksOf(offerId))) expect((await get(url)).status).toBe(200);
    expect(answered(200, await get(`${management}/v0/offers/${offerId}`))['timeline']).toHaveLength(2);

    await get(offerUri(link));
    expect(await statesUntil(stream, 'fetched')).toEqual(['fetched']);
    const session = await openSession(link);
    const answer = answered(200, await requestCredential(session));
    await statesUntil(stream, 'issued');
    expect(headingOf(await inLanguage(page))).toBe('Your wallet has received the credential');
    const report = { notification_id: answer['notification_id'], event: 'credential_accepted' };
    const headers = { authorization: `Bearer ${session.accessToken}` };
    const sent = await postJson(String(session.metadata['notification_endpoint']), report, headers);
    expect(sent.status).toBe(204);
    expect(await statesUntil(stream, 'accepted')).toEqual(['accepted']);
    expect(await stream.next()).toBeUndefined();
    expect(headingOf(await inLanguage(page))).toBe('The credential is in your wallet');
  });

  it('says that the wallet did not keep the credential', async () => {
    const { offerId, link } = await prepareOffer(management);
    const session = await openSession(link);
    expect(stateOf(await inLanguage(await pageOf(offerId)))).toBe('redeemed');
    const { notification_id } = answered(200, await requestCredential(session));
    const headers = { authorization: `Bearer ${session.accessToken}` };
    const report = { notification_id, event: 'credential_failure' };
    await postJson(String(session.metadata['notification_endpoint']), report, headers);
    expect(headingOf(await inLanguage(await pageOf(offerId)))).toBe('Your wallet did not keep the credential');
  });

  it('waits for data without a code to scan, and shows it when the data is there', async () => {
    const offerId = randomUUID();
    answered(201, await postJson(`${management}/v0/offers`, { offerId }));
    const page = await pageOf(offerId);
    const stream = await listen(`${page}/events`);
    await statesUntil(stream, 'waiting');
    const before = await inLanguage(page);
    expect(headingOf(before)).toBe('Your credential is being prepared');
    expect(before.text).not.toMatch(/<img src="[^"]*qr\.svg|openid-credential-offer/);
    const credential = { credentialSubject: { first_name: 'Ada' } };
    answered(201, await submit(management, { offerId, credentialConfigurationId: 'w3c_vc_credential', credential }));
    await statesUntil(stream, 'ready');
    stream.cut();
    expect((await inLanguage(page)).text).toContain('/qr.svg"');
  });

  it('says that a credential follows later, or cannot be issued', async () => {
    const templateId = await publishedTemplate(management);
    const { offerId, link } = await deferredOffer(management, [templateId]);
    expect(stateOf(await inLanguage(await pageOf(offerId)))).toBe('ready');
    answered(202, await requestCredential(await openSession(link)));
    expect(headingOf(await inLanguage(await pageOf(offerId)))).toBe('Your credential will follow');
    const [held] = answered(200, await get(`${management}/v0/credentials?offerId=${offerId}`))['items'] as Json[];
    const denied = await postJson(`${management}/v0/credentials/${String(held?.['credentialId'])}/deny`, {
      reason: 'No',
    });
    expect(denied.status).toBeLessThan(300);
    expect(headingOf(await inLanguage(await pageOf(offerId)))).toBe('The credential cannot be issued');
  });

  it('says what stands in the way, and what to do', async () => {
    const withdrawn = await prepareOffer(management);
    const former = await pageOf(withdrawn.offerId);
    const stream = await listen(`${former}/events`);
    await statesUntil(stream, 'ready');
    await send(`${management}/v0/offers/${withdrawn.offerId}`, { method: 'DELETE' });
    await statesUntil(stream, 'withdrawn');
    expect(headingOf(await inLanguage(former))).toBe('The offer was withdrawn');

    const guarded = await prepareOffer(management, undefined, { txCode: true });
    const offer = await readOffer(guarded.link);
    for (let attempt = 0; attempt < 5; attempt++) await redeem(offer, { tx_code: 'wrong' });
    const locked = await inLanguage(await pageOf(guarded.offerId));
    expect(headingOf(locked)).toBe('The offer is locked');
    expect(locked.text).not.toContain('openid-credential-offer');

    const schema = { type: 'object', properties: { event: { const: 'Open day' } } };
    const templateId = await publishedTemplate(management, { schema });
    const opened = answered(
      201,
      await postJson(`${management}/v0/offers`, { templateIds: [templateId], public: true }),
    );
    const offerId = String(opened['offerId']);
    await receive(String(opened['credentialOffer']));
    expect(stateOf(await inLanguage(await pageOf(offerId)))).toBe('ready');
    await postJson(`${management}/v0/offers/${offerId}/take_offline`, '');
    expect(headingOf(await inLanguage(await pageOf(offerId)))).toBe('The offer is paused');
  });

  it('says that a wrong transaction code was entered in the wallet, which hears how many tries are left, too', async () => {
    const { offerId, link } = await prepareOffer(management, undefined, { txCode: true });
    const page = await pageOf(offerId);
    const stream = await listen(`${page}/events`);
    const offer = await readOffer(link);
    expect(await statesUntil(stream, 'fetched')).toContain('fetched');
    const said: unknown[] = [];
    for (const left of [4, 3, 2, 1]) {
      said.push(answered(400, await redeem(offer, { tx_code: 'wrong' }))['error_description']);
      // The open page reads each of them.
      await statesUntil(stream, `fetched_${left}`);
      expect((await inLanguage(page)).text).toContain(`A wrong transaction code was entered. Tries left: ${left}.`);
    }
    said.push(answered(400, await redeem(offer, { tx_code: 'wrong' }))['error_description']);
    expect(said).toEqual(
      [
        '4 tries are left.',
        '3 tries are left.',
        '2 tries are left.',
        'One try is left.',
        'The offer is locked; ask the issuer for a new one.',
      ].map((left) => `The transaction code is wrong. ${left}`),
    );
    await statesUntil(stream, 'locked');
    stream.cut();
  });

  it('no longer says that all is well when the credential was suspended or revoked', async () => {
    const { offerId, link } = await prepareOffer(management, [
      await publishedTemplate(management, { revocable: true }),
    ]);
    const session = await openSession(link);
    const { notification_id } = answered(200, await requestCredential(session));
    const headers = { authorization: `Bearer ${session.accessToken}` };
    const page = await pageOf(offerId);
    const stream = await listen(`${page}/events`);
    await statesUntil(stream, 'issued');
    const [held] = answered(200, await get(`${management}/v0/credentials?offerId=${offerId}`))['items'] as Json[];
    const change = async (what: string) =>
      answered(204, await postJson(`${management}/v0/credentials/${String(held?.['credentialId'])}/${what}`, {}));
    await change('suspend');
    await statesUntil(stream, 'suspended');
    expect(headingOf(await inLanguage(page))).toBe('The credential is suspended');
    await change('reinstate');
    await statesUntil(stream, 'issued');
    const report = { notification_id, event: 'credential_accepted' };
    await postJson(String(session.metadata['notification_endpoint']), report, headers);
    await statesUntil(stream, 'accepted');
    await change('revoke');
    expect(headingOf(await inLanguage(page))).toBe('The credential was revoked');
  });

  it('says that the offer has expired, which nobody learns who does not have its link', async () => {
    const { offerId } = await prepareOffer(management, undefined, { expiresIn: 'PT2S' });
    const page = await pageOf(offerId);
    const stream = await listen(`${page}/events`);
    // It ends by itself: nothing is stored at that moment.
    expect((await statesUntil(stream, 'expired')).at(-1)).toBe('expired');
    const expired = await inLanguage(page);
    const unknown = await inLanguage(`${service.url}/o/${'A'.repeat(43)}`);
    expect([expired.status, headingOf(expired)]).toEqual([200, 'This offer has expired']);
    expect(expired.text).not.toMatch(/qr\.svg|openid-credential-offer/);
    expect([unknown.status, headingOf(unknown)]).toEqual([404, 'This link is no longer valid']);
    for (const path of ['/qr.svg', '/qr.png']) expect((await get(`${page}${path}`)).status).toBe(404);
    const never = await listen(`${service.url}/o/unknown/events`);
    expect(await statesUntil(never, 'invalid')).toEqual(['invalid']);
  });

  it('offers the link in the form of other wallets, also as a picture', async () => {
    const { offerId } = await prepareOffer(management);
    const { page, qrSvg } = await linksOf(offerId);
    const usual = await inLanguage(page);
    const [, other = ''] = /href="([^"]*form=haip[^"]*)"/.exec(usual.text) ?? [];
    const chosen = await inLanguage(service.url + other.replaceAll('&#38;', '&'));
    expect(chosen.text).toContain('href="haip-vci://?credential_offer_uri=');
    expect(chosen.text).toContain('/qr.svg?form=haip"');
    const [picture, another] = [await get(qrSvg), await get(`${qrSvg}?form=haip`)];
    expect(picture.headers.get('content-type')).toBe('image/svg+xml');
    expect(picture.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(another.text).not.toBe(picture.text);
    expect(headingOf(await inLanguage(`${page}?form=__proto__&language=xx`))).toBe('Your credential is ready');
  });

  it('is where the management API leads', async () => {
    const { offerId } = await prepareOffer(management);
    const { page, qrSvg, qrPng } = await linksOf(offerId);
    for (const [path, location] of [
      ['page', page],
      ['qr.svg', qrSvg],
      ['qr.png', qrPng],
    ]) {
      const reply = await get(`${management}/v0/offers/${offerId}/${path ?? ''}`);
      expect([reply.status, reply.headers.get('location')]).toEqual([302, location]);
    }
    expect((await get(`${management}${new URL(page).pathname}`)).status).toBe(404);
  });

  it('says that it is not available when the service fails, and nothing about why', async () => {
    const failing = jest.spyOn(service.app.get(QueryBus), 'execute').mockRejectedValueOnce(new Error('secret cause'));
    const page = await inLanguage(`${service.url}/o/${'A'.repeat(43)}`, 'es');
    failing.mockRestore();
    expect([page.status, headingOf(page)]).toEqual([500, 'Esta página no está disponible en este momento']);
    expect(page.text).not.toContain('secret');
  });

  it('makes a client that tries many addresses wait, whatever it opens', async () => {
    const { offerId } = await prepareOffer(management);
    const page = await pageOf(offerId);
    const guess = () => inLanguage(`${service.url}/o/${randomBytes(32).toString('base64url')}`);
    let reply = await guess();
    for (let attempt = 0; attempt < 200 && reply.status === 404; attempt++) reply = await guess();
    expect([reply.status, headingOf(reply)]).toEqual([429, 'Too many attempts']);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const path of ['', '/qr.svg', '/events']) expect((await get(page + path)).status).toBe(429);
  });
});

describe('the logo of the issuer', () => {
  it.each([
    ['logo.gif', 'a file of another kind'],
    ['missing.png', 'a path that cannot be read'],
    ['large.png', 'a file of 200001 bytes'],
  ])('%s stops the start', async (name, found) => {
    await writeFile(join(folder, 'large.png'), Buffer.alloc(200_001));
    const environment = { SERVICE__PROFILE: 'development', SERVICE__ISSUER__LOGO: join(folder, name) };
    await expect(new IssuerAppearance(loadSettings(environment)).onModuleInit()).rejects.toThrow(
      `SERVICE__ISSUER__LOGO: found ${found}; give`,
    );
  });
});
