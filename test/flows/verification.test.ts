import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { ask, fetchObject, linkOf, post, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { presentJwtVc, selfIssued } from '../support/presenters/credentials';
import { degree, type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { type Holder, thumbprintOf } from '../support/wallets/key-proofs';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { serviceOfFile } from '../support/service/service-of-file';

// A word that occurs in presented claims only.
const canary = 'Zwergspitzmaus';

const service = serviceOfFile();
let holdings: Holdings;
let holder: Holder;
beforeAll(async () => {
  holdings = await receiveHoldings(service.url, { given_name: canary, level: 3 });
  ({ holder } = holdings);
});

// Verbatim what the README shows.
describe('the quick start', () => {
  it('asks for a credential and shows it once the wallet has answered', async () => {
    const asked = await postJson(`${service.url}/v0/authorization_requests`, {
      nonce: 'this is a nonce',
      state: 'state001',
      dcql_query: {
        credentials: [
          {
            id: 'credential_1',
            format: 'jwt_vc_json',
            meta: { type_values: [['VerifiableCredential']] },
            claims: [{ path: ['credentialSubject', 'given_name'] }],
          },
        ],
      },
    });
    expect(asked.status).toBe(201);
    expect(asked.headers.get('location')).toBe('/v0/authorization_requests/state001');
    expect(asked.json).toMatchObject({
      state: 'state001',
      authorizationRequest: expect.stringMatching(/^openid4vp:\/\/\?/) as unknown,
      warnings: [expect.stringContaining('nonce')],
    });
    const before = answered(200, await get(`${service.url}/v0/authorization_requests/state001`));
    expect(before).toMatchObject({ status: 'pending', vp_token: null, credentials: [], failure: null });

    const request = { url: service.url, state: 'state001', answer: asked.json };
    const uri = new URL(String(asked.json['authorizationRequest'])).searchParams.get('request_uri') ?? '';
    expect((await send(uri, { method: 'HEAD' })).status).toBe(200);
    expect(await resultOf(request)).toMatchObject({ status: 'pending' });
    const received = await receiveRequest(request);
    expect(received.nonce).toBe('this is a nonce');
    expect(received.link.href).toBe(asked.json['authorizationRequest']);
    expect(await resultOf(request)).toMatchObject({ status: 'retrieved', vp_token: null });

    const token = presentJwtVc([holdings.jwtVc], holder, received);
    expect(answered(200, await respond(received, { tokens: { credential_1: token } }))).toEqual({});
    const result = await resultOf(request);
    expect(result).toMatchObject({ status: 'verified', vp_token: { credential_1: [token] }, failure: null });
    const [shown] = result['credentials'] as [Json];
    expect(shown).toMatchObject({
      id: 'credential_1',
      format: 'jwt_vc_json',
      trust: 'trusted',
      claims: { credentialSubject: { given_name: canary } },
      holder: { did: holder.did, thumbprint: thumbprintOf(holder.jwk) },
    });
  });

  it('rejects a state that was used before', async () => {
    const again = await postJson(`${service.url}/v0/authorization_requests`, { state: 'state001' });
    expect(again.status).toBe(409);
    expect(again.json['type']).toMatch(/\/problems\/state-already-used$/);
  });
});

describe('a request', () => {
  it('is shown as link, as pictures and as a page', async () => {
    const body = { state: 'a state/with ? odd # signs', dcql_query: { credentials: [idCard] } };
    const plain = await postJson(`${service.url}/v0/authorization_requests`, body, { accept: 'text/plain' });
    expect(plain.text).toMatch(/^openid4vp:\/\/\?client_id=decentralized_identifier/);
    const asked = { url: service.url, state: body.state, answer: {} };
    expect(await resultOf(asked)).toMatchObject({ state: body.state, status: 'pending' });
    const { links } = answered(201, await postJson(`${service.url}/v0/authorization_requests`, { state: '100%' }));
    const { qrSvg, qrPng, page } = links as Record<'qrSvg' | 'qrPng' | 'page', string>;
    const shown = await Promise.all([qrSvg, qrPng, page].map((link) => get(link)));
    expect(shown.map(({ headers }) => headers.get('content-type'))).toEqual([
      'image/svg+xml',
      'image/png',
      'text/html; charset=utf-8',
    ]);
    for (const [path, address] of Object.entries({ 'qr.svg': qrSvg, 'qr.png': qrPng, page })) {
      const { status, headers } = await get(`${service.url}/v0/authorization_requests/100%25/${path}`);
      expect([status, headers.get('location')]).toEqual([302, address]);
    }
    expect(await resultOf({ ...asked, state: '100%' })).toMatchObject({ status: 'pending' });
  });

  it('names the available variants and why the others are not', async () => {
    const { answer } = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    expect(answer['variants']).toMatchObject({
      '1.0': answer['authorizationRequest'],
      'draft-20': expect.stringContaining('client_id_scheme=did') as unknown,
      'draft-20-redirect': expect.stringContaining('client_id_scheme=did') as unknown,
      siopv2: null,
      unavailable: { siopv2: expect.any(String) },
    });
  });

  it('is fetched twice with the same nonce, and by POST with the nonce of the wallet', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const [first, second, posted] = [
      await receiveRequest(asked),
      await receiveRequest(asked),
      await receiveRequest(asked, '1.0', 'wallet nonce "1"'),
    ];
    expect(first.link.searchParams.get('request_uri_method')).toBe('post');
    expect(first.nonce).toMatch(/^[A-Za-z0-9_-]{22,}$/);
    expect([second.nonce, posted.nonce]).toEqual([first.nonce, first.nonce]);
    expect(first.parameters).not.toHaveProperty('wallet_nonce');
    expect(posted.parameters['wallet_nonce']).toBe('wallet nonce "1"');
    expect((await receiveRequest(asked, 'draft-20')).nonce).not.toBe(first.nonce);
    const { timeline } = await resultOf(asked);
    expect((timeline as Json[]).map(({ step, detail }) => [step, detail])).toEqual([
      ['requested', ['1.0', 'draft-20', 'draft-20-redirect']],
      ['retrieved', '1.0'],
      ['retrieved', 'draft-20'],
    ]);
  });

  it('has the parameters of its generation and no other', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [degree] } });
    const final = (await receiveRequest(asked)).parameters;
    const draft = (await receiveRequest(asked, 'draft-20')).parameters;
    const redirect = (await receiveRequest(asked, 'draft-20-redirect')).parameters;
    for (const other of ['client_id_scheme', 'scope', 'redirect_uri', 'presentation_definition']) {
      expect(final).not.toHaveProperty(other);
    }
    expect(draft).not.toHaveProperty('dcql_query');
    expect(draft).not.toHaveProperty('redirect_uri');
    expect(redirect).not.toHaveProperty('dcql_query');
    expect(redirect).not.toHaveProperty('response_uri');
    expect([final, draft, redirect].map(({ client_id: id }) => String(id).split(':')[0])).toEqual([
      'decentralized_identifier',
      'did',
      'did',
    ]);
  });
});

describe('claims named like members that every object inherits', () => {
  const claims = { constructor: canary, toString: { valueOf: [1, { hasOwnProperty: true }] } };
  const paths = [['constructor'], ['toString', 'valueOf', 1, 'hasOwnProperty']];
  const queries = (others: Json[] = []) => [
    { ...idCard, claims: [...paths.map((path) => ({ path })), ...others] },
    { ...degree, claims: paths.map((path) => ({ path: ['credentialSubject', ...path] })) },
  ];
  let named: Holdings;
  beforeAll(async () => {
    named = await receiveHoldings(service.url, claims);
  });

  it('are issued, requested and shown like any other', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: queries() } });
    const received = await receiveRequest(asked);
    answered(200, await respond(received, { tokens: tokensFor(named, received, ['id_card', 'degree']) }));
    expect(await resultOf(asked)).toMatchObject({
      status: 'verified',
      credentials: [{ claims }, { claims: { credentialSubject: claims } }],
    });
  });

  it('are absent when they were not issued', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: queries([{ path: ['isPrototypeOf'] }]) } });
    const received = await receiveRequest(asked);
    await respond(received, { tokens: tokensFor(named, received, ['id_card', 'degree']) });
    expect(await resultOf(asked)).toMatchObject({ status: 'rejected' });
  });
});

describe('on the same device', () => {
  it('the result waits for the response code, and is released by it once', async () => {
    const asked = await ask(service.url, {
      dcql_query: { credentials: [idCard] },
      redirectUri: 'https://shop.example/back?order=1',
    });
    const received = await receiveRequest(asked);
    const reply = answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));
    const [address, fragment = ''] = String(reply['redirect_uri']).split('#');
    expect(address).toBe('https://shop.example/back?order=1');
    const code = new URLSearchParams(fragment).get('response_code');
    expect(code).toMatch(/^[A-Za-z0-9_-]{22,}$/);
    const redemption = `/v0/authorization_requests/${asked.state}/response_code`;
    const withheld = await resultOf(asked);
    expect(withheld).toMatchObject({ status: 'verified', vp_token: null, credentials: [] });
    expect(withheld['withheld']).toContain(`POST ${redemption} {"responseCode": "..."}`);
    const redeem = (responseCode: unknown) => postJson(`${service.url}${redemption}`, { responseCode });
    const refused = await redeem(`${String(code)}A`);
    expect(refused.status).toBe(403);
    expect((await get(String(refused.json['type']))).text).toContain('responseCode');
    expect(await resultOf(asked)).toMatchObject({ vp_token: null, credentials: [] });
    expect(answered(200, await redeem(code))).toMatchObject({
      withheld: null,
      credentials: [{ claims: { given_name: canary } }],
    });
    expect((await redeem(code)).status).toBe(403);
    expect((await resultOf(asked))['vp_token']).not.toBeNull();
  });
});

describe('a wallet that declines', () => {
  it('is the last to have answered, after responses that could not be read', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    const unreadable = () => respond(received, {}, { vp_token: 'unreadable' });
    expect((await unreadable()).status).toBe(400);
    // What is shown has been recorded; from then on equal refusals wait, to be counted together.
    expect(await resultOf(asked)).toMatchObject({ status: 'rejected', failure: { check: 'response' } });
    expect((await unreadable()).status).toBe(400);
    expect((await respond(received, {}, { error: 'access_denied' })).status).toBe(200);
    expect(await resultOf(asked)).toMatchObject({ status: 'rejected', failure: { check: 'wallet' } });
  });

  it('gets 200, and its description is kept as text', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const received = await receiveRequest(asked);
    const words = 'no\r\nSet-Cookie: a=b <img src=x onerror="alert(1)">';
    const reply = await respond(received, {}, { error: 'access_denied', error_description: words });
    expect(answered(200, reply)).toEqual({});
    const result = await resultOf(asked);
    expect(result).toMatchObject({ status: 'rejected', failure: { check: 'wallet', reason: 'access_denied' } });
    expect(JSON.stringify(result['timeline'])).not.toMatch(/[\r\n]|\\r|\\n/);
    const other = await receiveRequest(asked, 'draft-20');
    answered(200, await respond(other, { tokens: tokensFor(holdings, other, ['id_card']) }));
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', failure: null });
  });

  it.each(['direct_post', 'direct_post.jwt'])(
    'does not end a %s request for the wallet it was meant for',
    async (mode) => {
      const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, responseMode: mode });
      const seen = await receiveRequest(asked);
      for (const error of ['access_denied', 'invalid_request']) {
        answered(200, await post(seen, Object.entries({ error, state: seen.state })));
      }
      const received = await receiveRequest(asked);
      answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));
      const result = await resultOf(asked);
      expect(result).toMatchObject({ status: 'verified', failure: null });
      expect((result['timeline'] as Json[]).filter(({ step }) => step === 'declined')).toHaveLength(2);
    },
  );
});

describe('the list of requests', () => {
  it('is read page by page, newest or oldest, without what was presented', async () => {
    const states: string[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const reply = await get(`${service.url}/v0/authorization_requests?limit=5${next}`);
      const page = answered(200, reply) as { items: Json[]; nextCursor: string | null };
      expect(page.items.length).toBeLessThanOrEqual(5);
      expect(reply.text).not.toContain(canary);
      states.push(...page.items.map(({ state }) => String(state)));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(states).toContain('state001');
    expect(new Set(states).size).toBe(states.length);
  });

  it('rejects an invented cursor', async () => {
    expect((await get(`${service.url}/v0/authorization_requests?cursor=x`)).status).toBe(400);
  });
});

describe('a request that is not signed', () => {
  it('is in its link and nowhere else; the drafts next to it are still signed', async () => {
    const asked = await ask(service.url, {
      dcql_query: { credentials: [degree] },
      clientIdPrefix: 'redirect_uri',
    });
    const link = new URL(linkOf(asked));
    const responseUri = link.searchParams.get('response_uri') ?? '';
    const reply = await get(responseUri.replace(/response$/, 'request'));
    expect(reply.status).toBe(404);
    expect(reply.json).toMatchObject({ error: 'invalid_request' });
    expect(await resultOf(asked)).toMatchObject({ status: 'pending' });
    expect((await receiveRequest(asked, 'draft-20')).nonce).not.toBe('');
  });
});

describe('a link too long for a QR code', () => {
  it('is shown as text, and the page has no QR code', async () => {
    const claims = Array.from({ length: 40 }, (_, index) => ({
      path: ['credentialSubject', `claim_${index}`.padEnd(60, 'x')],
    }));
    const asked = await ask(service.url, {
      dcql_query: { credentials: [{ ...degree, claims }] },
      clientIdPrefix: 'redirect_uri',
    });
    const { qrSvg, qrPng, page: address } = asked.answer['links'] as Record<'qrSvg' | 'qrPng' | 'page', string>;
    expect([(await get(qrSvg)).status, (await get(qrPng)).status]).toEqual([406, 406]);
    const page = await get(address);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<img');
    expect(page.text).toContain('The link is too long for a QR code.');
    expect(page.text).toContain('Open the wallet on this device');
  });
});

describe('an unusual query', () => {
  it('that makes everything optional is not satisfied by an empty answer', async () => {
    const optional = { credentials: [degree], credential_sets: [{ options: [[degree.id]], required: false }] };
    const asked = await ask(service.url, { dcql_query: optional });
    const received = await receiveRequest(asked);
    expect((await respond(received, { tokens: {} })).json).toMatchObject({ error: 'invalid_request' });
    expect(await resultOf(asked)).toMatchObject({ status: 'rejected', vp_token: null, failure: { check: 'query' } });
    expect((await respond(received, { tokens: tokensFor(holdings, received, [degree.id]) })).status).toBe(200);
  });

  it('that names trusted authorities gets a warning that none can be met here', async () => {
    const named = { ...degree, trusted_authorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }] };
    const { answer } = await ask(service.url, { dcql_query: { credentials: [named] } });
    expect(answer['warnings']).toEqual([expect.stringContaining('trusted_authorities')]);
  });
});

describe('the database', () => {
  it('holds neither presented claims nor tokens nor response codes', async () => {
    const asked = await ask(service.url, {
      dcql_query: { credentials: [idCard, degree] },
      responseType: 'vp_token id_token',
      redirectUri: 'https://shop.example/',
      purpose: canary,
    });
    const received = await receiveRequest(asked);
    const tokens = tokensFor(holdings, received, ['id_card', 'degree']);
    const idToken = selfIssued(holder, received, '');
    const forged = {
      ...tokens,
      degree: presentJwtVc([holdings.jwtVc], holder, received, { payload: { nonce: canary } }),
    };
    expect((await respond(received, { tokens: forged, idToken })).status).toBe(400);
    const { redirect_uri: back } = answered(200, await respond(received, { tokens, idToken }));
    const driver = service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
    const tables = await driver.query<{ name: string }>({
      name: 'test-tables',
      text: `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
      values: [],
    });
    const rows = await Promise.all(
      tables.map(({ name }) =>
        driver.query({ name: `test-dump-${name}`, text: `select t::text as row from ${name} t`, values: [] }),
      ),
    );
    const dump = JSON.stringify(rows);
    expect(dump).toContain(asked.state);
    const secrets = [
      canary,
      Buffer.from(canary).toString('base64'),
      Buffer.from(canary).toString('hex'),
      ...[...Object.values(tokens), idToken].map((token) => token.slice(-40)),
      String(back).split('=').at(-1) ?? '',
      holder.did ?? '',
      received.state,
      new URL(received.responseUri).pathname.split('/')[3] ?? '',
    ];
    expect(secrets.filter((secret) => secret.length < 8 || dump.includes(secret))).toEqual([]);
  });
});

it('what was presented is stored once, in its event, and shown from there', async () => {
  const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
  const received = await receiveRequest(asked);
  answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));
  const driver = service.app.get<SqlDriver>(SQL_DRIVER);
  const [stored] = await driver.query<{ sealed: string; state: string }>({
    name: 'test-stored-once',
    text: `select e.data->>'sealedResult' as sealed, s.state::text as state from events e join streams s using (stream_id)
      where e.type = 'PresentationVerified' and stream_id = $1`,
    values: [`authorization_request-${asked.state}`],
  });
  expect(stored?.sealed.length).toBeGreaterThan(100);
  expect(stored?.state).toContain('"status": "verified"');
  expect(stored?.state).not.toContain(stored?.sealed.slice(50, 90));
  expect(await resultOf(asked)).toMatchObject({ status: 'verified', credentials: [{ id: 'id_card' }] });
});

it('the same request object is served to every holder of the link, but not after a valid answer', async () => {
  const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
  const received = await receiveRequest(asked);
  answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));
  const uri = new URL(linkOf(asked)).searchParams.get('request_uri') ?? '';
  await expect(fetchObject(uri)).rejects.toThrow('answered 404');
});
