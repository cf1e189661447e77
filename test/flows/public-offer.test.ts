import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { expectRefusal } from '../support/http/refusals';
import { type RunningService, startService } from '../support/service/service';
import { offerUri, openSession, readOffer, receive, redeem, requestCredential } from '../support/wallets/wallet';

let service: RunningService;
let target: Server;
const seen: string[] = [];

beforeAll(async () => {
  target = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(request.url?.startsWith('/refuse') ? 500 : 204).end();
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  service = await startService({ SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: `127.0.0.1:${port()}` });
});
afterAll(async () => {
  target.close();
  await service.stop();
});

const port = (): number => (target.address() as AddressInfo).port;
const constant = { type: 'object', properties: { event: { const: 'Open day' }, year: { const: 2026 } } };
const post = (path: string, body: Json = {}) => postJson(`${service.url}/v0/offers${path}`, body);

async function publicOffer(schema: Json = constant): Promise<{ offerId: string; link: string }> {
  const templateId = await publishedTemplate(service.url, { schema });
  const opened = answered(201, await post('', { templateIds: [templateId], public: true }));
  return { offerId: String(opened['offerId']), link: String(opened['credentialOffer']) };
}

async function read(offerId: string): Promise<Json> {
  return answered(200, await get(`${service.url}/v0/offers/${offerId}`));
}

describe('a public offer', () => {
  it('issues the same claims to every wallet, any number of times, and counts them', async () => {
    const { offerId, link } = await publicOffer();
    const received = await Promise.all([receive(link), receive(link), receive(link, 'L13')]);
    for (const [credential] of received) {
      const disclosed = (credential ?? '').split('~').slice(1, -1);
      const values = disclosed.map((one) => JSON.parse(Buffer.from(one, 'base64url').toString()) as unknown[]);
      expect(Object.fromEntries(values.map(([, name, value]) => [name, value]))).toEqual({
        event: 'Open day',
        year: 2026,
      });
    }
    expect(await read(offerId)).toMatchObject({ state: 'Online', public: true, claims: 3 });
  });

  it('cannot be redeemed while it is offline, not even with a code from before, until it is online again', async () => {
    const { offerId, link } = await publicOffer();
    const offer = await readOffer(link);
    expect((await post(`/${offerId}/take_offline`)).status).toBe(204);
    expect((await get(offerUri(link))).status).toBe(404);
    expect((await redeem(offer)).json).toMatchObject({ error: 'invalid_grant' });
    expect(await read(offerId)).toMatchObject({ state: 'Offline', claims: 0 });
    expect((await post(`/${offerId}/take_online`)).status).toBe(204);
    expect(await receive(link)).toHaveLength(1);
  });

  it('returns a code with each fetch that redeems once, however many wallets use it at once', async () => {
    const { offerId, link } = await publicOffer();
    const [first, second] = [await readOffer(link), await readOffer(link)];
    expect(first.code).not.toBe(second.code);
    const tried = await Promise.all(Array.from({ length: 20 }, () => redeem(first)));
    expect(tried.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const reply of tried.filter(({ status }) => status !== 200)) expectRefusal(reply, 400, 'invalid_grant');
    expectRefusal(await redeem(first), 400, 'invalid_grant');
    answered(200, await redeem(second));
    expect(await read(offerId)).toMatchObject({ state: 'Online', claims: 2 });
  });

  it('keeps a code valid that was rejected for another fault', async () => {
    const offer = await readOffer((await publicOffer()).link);
    expectRefusal(await redeem(offer, { tx_code: '123456' }), 400, 'invalid_request');
    answered(200, await redeem(offer));
  });

  it('answers a repeated request with the same token from the same claim', async () => {
    const { offerId, link } = await publicOffer();
    const session = await openSession(link);
    const holders = [newHolder()];
    expect((await requestCredential(session, { holders })).status).toBe(200);
    expect((await requestCredential(session, { holders })).status).toBe(200);
    expect(await read(offerId)).toMatchObject({ claims: 1 });
  });

  it('requires templates without open claims, and no transaction code', async () => {
    const open = await publishedTemplate(service.url);
    expect((await post('', { templateIds: [open], public: true })).json).toMatchObject({
      status: 422,
      title: 'Template Not Eligible For Public Offer',
    });
    const closed = await publishedTemplate(service.url, { schema: constant });
    const withCode = await post('', { templateIds: [closed], public: true, txCode: true });
    expect(withCode.json).toMatchObject({ status: 400, violations: [{ pointer: '/txCode' }] });
  });

  it('accepts no data of a person', async () => {
    const { offerId } = await publicOffer();
    const handIn = await postJson(`${service.url}/v0/credentials`, {
      offerId,
      credentialConfigurationId: 'w3c_vc_credential',
      credential: { credentialSubject: { given_name: 'Ada' } },
    });
    expect(handIn.json).toMatchObject({ status: 409, title: 'Conflict' });
  });
});

describe('sending an offer', () => {
  it('sends the URL of the offer to the wallet', async () => {
    const { offerId, link } = await prepareOffer(service.url);
    const sent = await post(`/${offerId}/send`, { targetUrl: `http://127.0.0.1:${port()}/wallet?session=7` });
    expect(sent.status).toBe(204);
    const asked = new URL(seen.at(-1) ?? '', 'http://wallet.example');
    expect(asked.searchParams.get('session')).toBe('7');
    expect(asked.searchParams.get('credential_offer_uri')).toBe(offerUri(link));
    expect(await sendings(offerId)).toEqual([['ok', `To http://127.0.0.1:${port()}.`]]);
  });

  it('is recorded at most twenty times, with host and reason', async () => {
    const { offerId } = await prepareOffer(service.url);
    const target = `http://127.0.0.1:${port()}/refuse?person=erika`;
    for (let times = 0; times < 22; times++) {
      expect((await post(`/${offerId}/send`, { targetUrl: target })).status).toBe(502);
    }
    const shown = await sendings(offerId);
    expect(shown).toHaveLength(20);
    expect(new Set(shown.map((one) => one.join()))).toEqual(
      new Set([`failed,To http://127.0.0.1:${port()}: unexpected-status.`]),
    );
  });

  async function sendings(offerId: string): Promise<string[][]> {
    const timeline = (await read(offerId))['timeline'] as Record<string, string>[];
    return timeline
      .filter(({ step }) => step === 'sent')
      .map(({ outcome, detail }) => [String(outcome), String(detail)]);
  }

  it('fails with the reason at a server that answers with an error', async () => {
    const { offerId } = await prepareOffer(service.url);
    const sent = await post(`/${offerId}/send`, { targetUrl: `http://127.0.0.1:${port()}/refuse` });
    expect(sent.json).toMatchObject({ status: 502, title: 'Send Credential Offer Error' });
    expect(sent.json['detail']).toContain('unexpected-status');
  });

  it('needs an offer and a URL', async () => {
    const { offerId } = await prepareOffer(service.url);
    expect((await post(`/${offerId}/send`, { targetUrl: 'nowhere' })).status).toBe(400);
    expect((await post('/unknown/send', { targetUrl: 'https://wallet.example/' })).json).toMatchObject({
      title: 'Missing Credential Offer',
    });
  });
});
