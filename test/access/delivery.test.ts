import { ApiKeys } from '@app/access';
import { type Scope } from '@app/http';
import { answered, get, type Json, postJson, type Reply, send } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

/** What any link, QR code or handle of an offer or a request looks like on the wire. */
const anyLink = /openid4vci|openid4vp|siopv2|openid-credential-offer|qrSvg|"links"|credentialOffer|<svg|\bPNG\b/;

describe('the links of offers and of authorization requests', () => {
  let service: RunningService;
  let keyWith: (...scopes: Scope[]) => Promise<Record<string, string>>;
  beforeAll(async () => {
    service = await startService({ SERVICE__MANAGEMENT__API_KEYS: 'key-of-the-settings-0f3c91b7' });
    const keys = service.app.get(ApiKeys);
    keyWith = async (...scopes) => ({ 'x-api-key': (await keys.create({ name: 'portal', scopes })).text });
  });
  afterAll(() => service.stop());

  const offers = (): string => `${service.url}/v0/offers`;
  const requests = (): string => `${service.url}/v0/authorization_requests`;
  const dcql = { credentials: [{ id: 'a', format: 'jwt_vc_json', meta: { type_values: [['A']] } }] };
  const kinds = [
    ['offer', offers, (id: string) => ({ offerId: id }), 'offers'],
    ['authorization request', requests, (id: string) => ({ state: id, dcql_query: dcql }), 'verification'],
  ] as const;

  function expectRefused(reply: Reply, scope: Scope): void {
    expect([reply.status, reply.json['detail']]).toEqual([403, `Your key or token lacks the scope ${scope}.`]);
    expect(reply.headers.get('www-authenticate')).toContain(`scope="${scope}"`);
    expect(reply.text).not.toMatch(anyLink);
  }

  /** Each answer is signed anew. */
  const unsigned = (answer: Json): Json =>
    JSON.parse(JSON.stringify(answer), (name, value: unknown) =>
      name === 'request' ? String(value).split('.').slice(0, 2) : value,
    ) as Json;

  it.each(kinds)('of an %s are not shown to a caller that may only read', async (_kind, address, body, area) => {
    const all = await keyWith(`${area}:write`, `${area}:deliver`);
    expect((await postJson(address(), body('read-only'), all)).text).toMatch(anyLink);
    const reader = await keyWith(`${area}:read`);
    for (const path of ['', '/read-only']) {
      const reply = await get(`${address()}${path}`, reader);
      expect(reply.status).toBe(200);
      expect(reply.text).toContain('read-only');
      expect(reply.text).not.toMatch(anyLink);
    }
    for (const path of ['qr.svg', 'qr.png', 'page']) {
      expectRefused(await get(`${address()}/read-only/${path}`, reader), `${area}:deliver`);
    }
  });

  it.each(kinds)('of an %s make another representation, with another tag', async (_kind, address, body, area) => {
    const all = await keyWith(`${area}:write`, `${area}:read`, `${area}:deliver`);
    const reader = await keyWith(`${area}:read`);
    answered(201, await postJson(address(), body('tagged'), all));
    const tagOf = async (headers: Record<string, string>) =>
      (await get(`${address()}/tagged`, headers)).headers.get('etag') ?? '';
    const [whole, bare] = [await tagOf(all), await tagOf(reader)];
    expect((await get(`${address()}/tagged`, { ...all, 'if-none-match': whole })).status).toBe(304);
    expect((await get(`${address()}/tagged`, { ...reader, 'if-none-match': bare })).status).toBe(304);
    expect((await get(`${address()}/tagged`, { ...all, 'if-none-match': bare })).status).toBe(200);
  });

  it.each(kinds)('of an %s are not shown to a caller that may only create', async (_kind, address, body, area) => {
    const writer = await keyWith(`${area}:write`);
    const once = { ...writer, 'idempotency-key': `create-${area}` };
    for (const headers of [writer, once, once]) {
      const id = 'idempotency-key' in headers ? 'created-once' : 'created';
      const made = await postJson(address(), body(id), headers);
      expect(made.status).toBe(201);
      expect(made.headers.get('location')).toBe(`${address().slice(service.url.length)}/${id}`);
      expect(answered(201, made)).toMatchObject({ expiresAt: expect.any(String) });
      expect(made.text).not.toMatch(anyLink);
    }
  });

  it.each(kinds)('are rejected before an %s is created for them', async (_kind, address, body, area) => {
    const writer = await keyWith(`${area}:read`, `${area}:write`);
    for (const accept of ['text/plain', 'image/svg+xml', 'image/png']) {
      expectRefused(await postJson(address(), body('bare'), { ...writer, accept }), `${area}:deliver`);
    }
    expect((await get(`${address()}/bare`, writer)).status).toBe(404);
  });

  it.each(kinds)(
    'of an %s depend on the key of the request, not on the first answer',
    async (_kind, address, body, area) => {
      const once = { 'idempotency-key': `shared-${area}` };
      const writer = { ...(await keyWith(`${area}:write`)), ...once };
      const deliverer = { ...(await keyWith(`${area}:write`, `${area}:deliver`)), ...once };
      const ask = (headers: Record<string, string>) => postJson(address(), body('shared'), headers);
      expect((await ask(writer)).text).not.toMatch(anyLink);
      const replayed = await ask(deliverer);
      expect(replayed.headers.get('idempotent-replayed')).toBe('true');
      expect(replayed.text).toMatch(anyLink);
      expect((await ask(writer)).text).not.toMatch(anyLink);
    },
  );

  it('of an open offer are not returned when it is requested again', async () => {
    await postJson(offers(), { offerId: 'again' }, await keyWith('offers:write', 'offers:deliver'));
    const again = await postJson(offers(), { offerId: 'again' }, await keyWith('offers:write'));
    expect(answered(200, again)).toMatchObject({ offerId: 'again', state: 'Open' });
    expect(again.text).not.toMatch(anyLink);
  });

  it('of an offer are not returned when it is reopened', async () => {
    const writer = await keyWith('offers:read', 'offers:write');
    await postJson(offers(), { offerId: 'anew', expiresIn: 'PT1S' }, writer);
    let reopened = await postJson(`${offers()}/anew/reopen`, {}, writer);
    while (reopened.status === 409) reopened = await postJson(`${offers()}/anew/reopen`, {}, writer);
    expect(answered(200, reopened)).toMatchObject({ offerId: 'anew', state: 'Open' });
    expect(reopened.text).not.toMatch(anyLink);
  });

  it('of an offer are in the answer to submitted data for a caller that may deliver them, and only there', async () => {
    const deliverer = await keyWith('credentials:write', 'credentials:read', 'offers:deliver');
    const writer = await keyWith('credentials:write');
    const data = (offerId: string) => {
      const credential = { credentialSubject: { given_name: 'Ada' } };
      return { offerId, credentialId: `of-${offerId}`, credentialConfigurationId: 'w3c_vc_credential', credential };
    };
    const address = `${service.url}/v0/credentials`;
    const submit = (offerId: string, headers: Record<string, string>, once = offerId) =>
      postJson(address, data(offerId), { ...headers, 'idempotency-key': once });
    const made = answered(201, await submit('submitted', deliverer));
    const offer = await get(`${offers()}/submitted`, await keyWith('offers:read', 'offers:deliver'));
    const { credentialOffer, credentialOfferUri, links } = answered(200, offer);
    expect(made).toMatchObject({ credentialOffer, credentialOfferUri, links });
    expect((await get(`${address}/of-submitted`, deliverer)).text).not.toMatch(anyLink);
    expect((await get(address, deliverer)).text).not.toMatch(anyLink);

    for (const _time of ['first', 'repeated']) {
      const reply = await submit('unseen', writer);
      expect([reply.status, reply.text]).toEqual([201, expect.not.stringMatching(anyLink)]);
    }
    // The key belongs to the client, and both keys are of one.
    expect((await submit('unseen', deliverer)).text).toMatch(anyLink);
    const batch = (headers: Record<string, string>) =>
      postJson(`${address}/batch`, { credentials: [data('in-batch')] }, { ...headers, 'idempotency-key': 'batch' });
    for (const _time of ['first', 'repeated']) {
      const reply = await batch(writer);
      expect([reply.status, reply.text]).toEqual([200, expect.not.stringMatching(anyLink)]);
    }
    expect((await batch(deliverer)).json['items']).toMatchObject([
      {
        status: 201,
        credential: { offerId: 'in-batch', credentialOffer: expect.stringContaining('openid-credential-offer') },
      },
    ]);
  });

  it('of an offer are not sent to an address chosen by a caller that may only change it', async () => {
    const writer = await keyWith('offers:read', 'offers:write');
    const body = { targetUrl: 'https://wallet.example/offers' };
    expectRefused(await postJson(`${offers()}/read-only/send`, body, writer), 'offers:deliver');
  });

  it('of an offer are shown to a caller that may deliver, in the offer and in its pictures', async () => {
    await postJson(offers(), { offerId: 'delivered' }, await keyWith('offers:write'));
    const portal = await keyWith('offers:read', 'offers:deliver');
    const { credentialOffer, credentialOfferUri } = answered(200, await get(`${offers()}/delivered`, portal));
    expect(credentialOffer).toContain(encodeURIComponent(String(credentialOfferUri)));
    for (const path of ['qr.svg', 'qr.png', 'page']) {
      expect((await send(`${offers()}/delivered/${path}`, { headers: portal })).status).toBe(302);
    }
  });

  it.each(['direct_post', 'dc_api.jwt'])(
    'of a %s request are shown again to a caller that may deliver, until a wallet can answer it no longer',
    async (responseMode) => {
      const all = await keyWith('verification:write', 'verification:read', 'verification:deliver');
      const body = { dcql_query: dcql, responseMode, expiresIn: 'PT10M' };
      const asked = answered(201, await postJson(requests(), body, all));
      const { expiresAt: _, state, ...links } = asked;
      const address = `${requests()}/${String(state)}`;
      expect(Object.keys(links)).toEqual(expect.arrayContaining(['authorizationRequest', 'variants', 'links']));
      expect(Object.keys(links).includes('responseUrl')).toBe(responseMode === 'dc_api.jwt');
      const shown = answered(200, await get(address, all));
      expect(unsigned(shown)).toMatchObject({ ...unsigned(links), status: 'pending' });
      expect((await send(`${address}/personal_data`, { method: 'DELETE', headers: all })).status).toBe(204);
      expect((await get(address, all)).text).not.toMatch(anyLink);
      const brief = { state: `brief-${responseMode}`, dcql_query: dcql, responseMode, expiresIn: 'PT1S' };
      answered(201, await postJson(requests(), brief, all));
      let expired: Reply;
      do expired = await get(`${requests()}/${brief.state}`, all);
      while (answered(200, expired)['status'] !== 'expired');
      expect(expired.text).not.toMatch(anyLink);
    },
  );

  it('do not include the transaction code, which only the creator of the offer gets', async () => {
    const writer = await keyWith('offers:write');
    const made = answered(201, await postJson(offers(), { offerId: 'with-code', txCode: true }, writer));
    expect(made['txCode']).toMatch(/^\d{6}$/);
    const portal = await keyWith('offers:read', 'offers:deliver');
    const shown = await get(`${offers()}/with-code`, portal);
    expect(shown.text).not.toContain(made['txCode']);
    expect(shown.text).toMatch(anyLink);
  });
});
