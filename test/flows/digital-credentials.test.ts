import { doctype, elements, mdocQuery, space } from '@app/credentials/fixtures/mdoc';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { presentSdJwt, type SdJwtPresentationChanges } from '../support/presenters/credentials';
import {
  dataOf,
  type DigitalRequest,
  postDigital,
  receiveDigital,
  receiveSignedDigital,
} from '../support/presenters/digital-credential';
import { type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { presentMdoc, writeDocumentAnchor } from '../support/presenters/mdoc';
import { ask, type Asked, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { answered, get, type Json, postForm, postJson, send } from '../support/http/requests';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { serviceOfFile } from '../support/service/service-of-file';

const shop = 'https://shop.example';
const canary = 'Zwergspitzmaus';
/** Stands for that of the service, which is expected as well. */
const ownOrigin = 'own';
const dcql_query = { credentials: [idCard] };

const anchors = mkdtempSync(join(tmpdir(), 'anchors-'));
writeDocumentAnchor(anchors);
afterAll(() => rm(anchors, { recursive: true }));

const service = serviceOfFile({ SERVICE__TRUST__ANCHORS: anchors });
let holdings: Holdings;
beforeAll(async () => {
  holdings = await receiveHoldings(service.url, { given_name: canary, level: 3 });
});

const askPages = (body: Json = {}): Promise<Asked> =>
  ask(service.url, { dcql_query, responseMode: 'dc_api.jwt', expectedOrigins: [shop], ...body });

const tokens = (received: DigitalRequest, changes?: SdJwtPresentationChanges): Record<string, string> => ({
  id_card: presentSdJwt(holdings.sdJwt, holdings.holder, received, changes),
});

const kindsOf = (result: Json): unknown[] =>
  (result['timeline'] as { step: string; detail?: { reason?: string } }[]).map(({ step }) => step);

describe('over the Digital Credentials API', () => {
  it.each(['dc_api', 'dc_api.jwt'])('a page asks and hands on the answer with the response mode %s', async (mode) => {
    const asked = await askPages({ responseMode: mode });
    const received = receiveDigital(asked, shop);
    const { parameters } = received;
    expect(Object.keys(parameters).sort()).toEqual(
      ['client_metadata', 'dcql_query', 'nonce', 'response_mode', 'response_type'].sort(),
    );
    expect(parameters).toMatchObject({ response_type: 'vp_token', response_mode: mode, dcql_query });
    expect(received.nonce).toMatch(/^[\w-]{43}$/);
    const { jwks, encrypted_response_enc_values_supported: enc } = parameters['client_metadata'] as Json;
    expect([jwks !== undefined, enc]).toEqual(mode === 'dc_api' ? [false, undefined] : [true, ['A128GCM', 'A256GCM']]);
    const reply = await postDigital(received, await dataOf(received, tokens(received)));
    expect(answered(200, reply)).toEqual({});
    expect(await resultOf(asked)).toMatchObject({
      status: 'verified',
      responseMode: mode,
      credentials: [{ claims: { given_name: canary } }],
      timeline: [
        {
          detail:
            mode === 'dc_api'
              ? ['1.0', 'draft-20', 'draft-20-redirect', 'dc-api']
              : ['1.0', 'haip', 'draft-20', 'dc-api'],
        },
        { detail: { via: 'dc-api' } },
      ],
    });
  });

  it('wallets can ask for a signed request: by the hash of the certificate, for the expected origins alone', async () => {
    const asked = await askPages();
    const received = await receiveSignedDigital(asked, shop);
    const { parameters } = received;
    const unsigned = receiveDigital(asked, shop).parameters;
    expect(parameters).toEqual({
      ...unsigned,
      aud: 'https://self-issued.me/v2',
      iat: expect.any(Number) as unknown,
      exp: expect.any(Number) as unknown,
      client_id: expect.stringMatching(/^x509_hash:[\w-]{43}$/) as unknown,
      expected_origins: [shop, service.url],
    });
    const toClient = tokens(received, { keyBinding: { payload: { aud: parameters['client_id'] } } });
    const refused = await postDigital(received, await dataOf(received, toClient));
    expect(refused.json['error_description']).toMatch(/^The check audience of id_card failed: /);
    answered(200, await postDigital(received, await dataOf(received, tokens(received))));
    expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
  });

  it('the links of the same request answer it as well, encrypted by the same rule', async () => {
    const asked = await askPages();
    const received = await receiveRequest(asked);
    expect(received.parameters['response_mode']).toBe('direct_post.jwt');
    expect(received.nonce).not.toBe(receiveDigital(asked, shop).nonce);
    answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));
    expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
    const late = receiveDigital(asked, shop);
    expectRefusal(await postDigital(late, await dataOf(late, tokens(late))), 409, 'invalid_request');
  });

  it('the page of the request may ask too, and a server may pass the answer on for its page', async () => {
    for (const [origin, changes] of [
      [service.url, {}],
      [shop, { header: null, origin: shop }],
    ] as const) {
      const asked = await askPages();
      const received = receiveDigital(asked, origin);
      answered(200, await postDigital(received, await dataOf(received, tokens(received)), changes));
      expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
    }
  });

  it('the page gets the address with the response code, and the result waits for it', async () => {
    const asked = await askPages({ redirectUri: `${shop}/back?basket=1` });
    const received = receiveDigital(asked, shop);
    const { redirect_uri } = answered(200, await postDigital(received, await dataOf(received, tokens(received))));
    const [address, code] = String(redirect_uri).split('#response_code=');
    expect(address).toBe(`${shop}/back?basket=1`);
    expect(await resultOf(asked)).toMatchObject({ status: 'verified', credentials: [] });
    const redemption = `${service.url}/v0/authorization_requests/${asked.state}/response_code`;
    expect(answered(200, await postJson(redemption, { responseCode: code }))).toMatchObject({
      credentials: [{ claims: { given_name: canary } }],
    });
  });

  it('an answer is taken once: a copy of it gets 409, also at the same time', async () => {
    const asked = await askPages();
    const received = receiveDigital(asked, shop);
    const data = await dataOf(received, tokens(received));
    const replies = await Promise.all([postDigital(received, data), postDigital(received, data)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expectRefusal(await postDigital(received, data), 409, 'invalid_request');
    expect(kindsOf(await resultOf(asked))).toEqual(['requested', 'presented']);
  });

  it('the error of a wallet is recorded, also one that is not encrypted', async () => {
    const asked = await askPages();
    const received = receiveDigital(asked, shop);
    answered(200, await postDigital(received, { error: 'access_denied', error_description: 'not now' }));
    expect(await resultOf(asked)).toMatchObject({
      status: 'rejected',
      failure: { check: 'wallet', reason: 'access_denied' },
    });
  });

  it.each([
    ['an origin that was not expected', { header: 'https://evil.example' }, 'origin-not-expected'],
    ['an origin with a slash at the end', { header: `${shop}/` }, 'origin-not-expected'],
    ['the same host with another port', { header: `${shop}:8443` }, 'origin-not-expected'],
    ['the same host without https', { header: 'http://shop.example' }, 'origin-not-expected'],
    ['the origin null', { header: 'null' }, 'origin-not-expected'],
    [
      'an unexpected origin that names an expected one',
      { header: 'https://evil.example', origin: shop },
      'origin-not-expected',
    ],
    ['an expected origin that names another one', { origin: 'https://evil.example' }, 'origin-not-expected'],
    ['an expected origin that names another expected one', { origin: ownOrigin }, 'origin-not-expected'],
    ['no origin at all', { header: null }, 'origin-missing'],
    ['the protocol of requests that several sign', { protocol: 'openid4vp-v1-multisigned' }, 'protocol-not-asked-for'],
    ['another protocol', { protocol: 'org-iso-mdoc' }, 'protocol-not-asked-for'],
    ['no protocol', { protocol: undefined }, 'digital-credential-malformed'],
    ['data as text', { data: '{"response":"x"}' }, 'digital-credential-malformed'],
    ['no data', { data: undefined }, 'digital-credential-malformed'],
  ])('an answer with %s is refused, recorded, and leaves the request open', async (_what, given, reason) => {
    const changes = 'origin' in given && given.origin === ownOrigin ? { origin: service.url } : given;
    const asked = await askPages();
    const received = receiveDigital(asked, shop);
    const data = await dataOf(received, tokens(received));
    const refused = await postDigital(received, data, changes);
    expectRefusal(refused, 400, 'invalid_request');
    const header = 'header' in changes ? changes.header : shop;
    expect(refused.headers.get('access-control-allow-origin')).toBe(header === shop ? shop : null);
    const result = await resultOf(asked);
    expect(result).toMatchObject({ status: 'rejected', credentials: [], failure: { check: 'response' } });
    expect((result['timeline'] as Json[]).at(-1)).toMatchObject({ step: 'wallet refused', refusal: { reason } });
    expect(JSON.stringify(result)).not.toContain(canary);
    answered(200, await postDigital(received, data));
  });

  it.each<[string, string, (received: DigitalRequest) => Json | Promise<Json>]>([
    ['that is not encrypted as asked for', 'dc_api.jwt', (received) => ({ vp_token: tokens(received) })],
    ['that is encrypted although nobody asked for it', 'dc_api', () => ({ response: 'a.b.c.d.e' })],
    [
      'that is encrypted by an algorithm that was not offered',
      'dc_api.jwt',
      (received) => dataOf(received, tokens(received), { header: { enc: 'A128CBC-HS256' } }),
    ],
    ['without a token', 'dc_api', () => ({})],
    [
      'to something that was not asked for',
      'dc_api',
      (received) => ({ vp_token: { other: Object.values(tokens(received)) } }),
    ],
    ['with the error and a token', 'dc_api', (received) => ({ error: 'access_denied', vp_token: tokens(received) })],
  ])('an answer %s is refused', async (_what, responseMode, data) => {
    const received = receiveDigital(await askPages({ responseMode }), shop);
    expectRefusal(await postDigital(received, await data(received)), 400, 'invalid_request');
  });

  it.each<[string, string, (received: DigitalRequest) => Json]>([
    [
      'for the client id of the request',
      'audience',
      () => ({ aud: 'decentralized_identifier:did:web:verifier.example' }),
    ],
    ['for the origin without its prefix', 'audience', () => ({ aud: shop })],
    ['for another expected origin than that of the page', 'audience', () => ({ aud: `origin:${service.url}` })],
    ['for the nonce of a link', 'nonce', () => ({ nonce: 'x'.repeat(43) })],
  ])('a presentation %s is rejected', async (_what, check, payload) => {
    const asked = await askPages();
    const received = receiveDigital(asked, shop);
    const bad = tokens(received, { keyBinding: { payload: payload(received) } });
    const reply = await postDigital(received, await dataOf(received, bad));
    expectRefusal(reply, 400, 'invalid_request');
    expect(reply.json['error_description']).toMatch(new RegExp(`^The check ${check} of id_card failed: `));
    if (check === 'audience') expect(reply.json['error_description']).toContain(`is not origin:${shop}`);
    expect(await resultOf(asked)).toMatchObject({ status: 'rejected', failure: { check } });
  });
});

describe('the address for answers', () => {
  it('lets pages of expected origins in, and no others', async () => {
    const { answer } = await askPages();
    const url = String(answer['responseUrl']);
    const preflight = (origin: string, method = 'POST') =>
      send(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': method } });
    const allowed = await preflight(shop);
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, shop]);
    expect(allowed.headers.get('access-control-allow-headers')).toBe('Content-Type');
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    expect(allowed.headers.get('vary')).toBe('Origin');
    for (const origin of ['https://evil.example', 'null', `${shop}.evil.example`]) {
      const refused = await preflight(origin);
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([404, null]);
    }
  });

  it('is only there for requests that pages may make, and their objects are not', async () => {
    const plain = await ask(service.url, { dcql_query });
    expect(plain.answer).not.toHaveProperty('digitalCredential');
    expect(plain.answer).not.toHaveProperty('responseUrl');
    const page = (plain.answer['links'] as { page: string }).page;
    expectRefusal(await postJson(`${page}/digital_credential`, {}, { origin: shop }), 404, 'invalid_request');
    const handle = String((await askPages()).answer['responseUrl'])
      .split('/')
      .at(-2);
    const link = `${service.url}/openid4vp/dc-api/${String(handle)}`;
    for (const reply of [await get(`${link}/request`), await postForm(`${link}/response`, [])]) {
      expectRefusal(reply, 404, 'invalid_request');
    }
  });

  it('expects JSON', async () => {
    const url = String((await askPages()).answer['responseUrl']);
    const headers = { origin: shop, 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await send(url, { method: 'POST', headers, body: 'protocol=x' });
    expectRefusal(reply, 415, 'invalid_request');
    expect(reply.headers.get('access-control-allow-origin')).toBe(shop);
  });
});

describe('a request for pages is rejected', () => {
  it.each<[string, Json, string]>([
    ['that returns to its page', { returnToPage: true }, '/returnToPage'],
    ['with origins but another response mode', { responseMode: 'direct_post' }, '/expectedOrigins'],
    ['with origins and no response mode', { responseMode: undefined }, '/expectedOrigins'],
    ['with an address in place of an origin', { expectedOrigins: [`${shop}/checkout`] }, '/expectedOrigins'],
    ['with a slash after the origin', { expectedOrigins: [shop, `${shop}/`] }, '/expectedOrigins'],
    ['with the usual port', { expectedOrigins: [`${shop}:443`] }, '/expectedOrigins'],
    ['with an upper-case host', { expectedOrigins: ['https://Shop.example'] }, '/expectedOrigins'],
    ['with the origin null', { expectedOrigins: ['null'] }, '/expectedOrigins'],
    ['with one origin in place of a list', { expectedOrigins: shop }, '/expectedOrigins'],
    ['with no origin in the list', { expectedOrigins: [] }, '/expectedOrigins'],
    ['for an ID Token as well', { responseType: 'vp_token id_token' }, '/responseType'],
    ['without a query', { dcql_query: undefined }, '/responseMode'],
  ])('%s', async (_what, changes, pointer) => {
    const body = { dcql_query, responseMode: 'dc_api', expectedOrigins: [shop], ...changes };
    const reply = await postJson(`${service.url}/v0/authorization_requests`, body);
    expectProblem(reply, 400, 'validation-failed');
    expect((reply.json['violations'] as Json[]).map(({ pointer: at }) => at)).toContain(pointer);
  });
});

describe('an mdoc', () => {
  const licence = { ...mdocQuery, claims: mdocQuery.claims?.map((claim) => ({ ...claim, intent_to_retain: false })) };
  const askFor = (body: Json = {}): Promise<Asked> =>
    ask(service.url, { dcql_query: { credentials: [licence] }, ...body });

  const verified = {
    status: 'verified',
    credentials: [
      {
        id: 'licence',
        format: 'mso_mdoc',
        issuer: 'CN=IACA of Utopia',
        type: [doctype],
        claims: { [space]: { ...elements[space], birth_date: '1990-02-03', portrait: 'YSBwaWN0dXJl' } },
        status: 'none',
        trust: 'trusted',
        trustAnchor: { name: 'utopia' },
      },
    ],
  };

  it.each([
    ['direct_post', '1.0'],
    ['direct_post.jwt', '1.0'],
    ['direct_post.jwt', 'haip'],
  ] as const)('is asked for and verified over %s, by wallets of %s', async (responseMode, variant) => {
    const asked = await askFor({ responseMode });
    const received = await receiveRequest(asked, variant);
    expect(received.parameters['dcql_query']).toEqual({ credentials: [licence] });
    const { vp_formats_supported: formats } = received.parameters['client_metadata'] as Json;
    const numbers = [-7, -9, -8, -19, -35, -51];
    expect(formats).toEqual({ mso_mdoc: { issuerauth_alg_values: numbers, deviceauth_alg_values: numbers } });
    answered(200, await respond(received, { tokens: { licence: presentMdoc(received) } }));
    expect(await resultOf(asked)).toMatchObject(verified);
  });

  it.each(['dc_api', 'dc_api.jwt'])('is asked for and verified in pages, over %s', async (responseMode) => {
    const asks = await Promise.all(
      [receiveDigital, receiveSignedDigital].map(async (receive) => {
        const asked = await askFor({ responseMode, expectedOrigins: [shop] });
        return { asked, received: await receive(asked, shop) };
      }),
    );
    for (const { asked, received } of asks) {
      const data = await dataOf(received, { licence: presentMdoc(received) });
      answered(200, await postDigital(received, data));
      expect(await resultOf(asked)).toMatchObject(verified);
    }
  });

  it('is not asked for by a presentation definition', async () => {
    const { variants } = (await askFor()).answer as { variants: Json };
    expect(variants).toMatchObject({
      '1.0': expect.any(String) as unknown,
      'draft-20': null,
      'draft-20-redirect': null,
    });
  });

  it('that was signed for another session is refused, and the event holds nothing of it', async () => {
    const asked = await askFor();
    const received = await receiveRequest(asked);
    const token = presentMdoc({ ...received, nonce: 'another' });
    const refused = await respond(received, { tokens: { licence: token } });
    expect(refused.json['error_description']).toMatch(/^The check key-binding of licence failed: /);
    expect(JSON.stringify(await resultOf(asked))).not.toContain('Bergstr');
  });

  it('is presented instead of another credential, as the query allows', async () => {
    const asked = await askFor({
      dcql_query: { credentials: [licence, idCard], credential_sets: [{ options: [['licence'], ['id_card']] }] },
    });
    const received = await receiveRequest(asked);
    answered(200, await respond(received, { tokens: { licence: presentMdoc(received) } }));
    expect(await resultOf(asked)).toMatchObject(verified);
    const other = await receiveRequest(await askFor());
    const crossed = await respond(other, { tokens: { licence: presentSdJwt(holdings.sdJwt, holdings.holder, other) } });
    expect(crossed.json['error_description']).toMatch(/^The check [a-z-]+ of licence failed: /);
  });

  it.each<[string, Json]>([
    [
      'is asked for without the binding to its holder',
      { dcql_query: { credentials: [{ ...licence, require_cryptographic_holder_binding: false }] } },
    ],
    ['is to confirm transaction data', { transactionData: [{ type: 'payment', credential_ids: ['licence'] }] }],
  ])('is refused when it %s', async (_, body) => {
    const reply = await postJson(`${service.url}/v0/authorization_requests`, {
      dcql_query: { credentials: [licence] },
      ...body,
    });
    expect(reply.status).toBe(400);
  });
});
