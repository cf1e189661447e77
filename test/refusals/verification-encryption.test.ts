import { compactDecrypt, CompactSign, exportJWK, generateKeyPair, type JWK } from 'jose';
import { randomUUID } from 'node:crypto';
import {
  ask,
  type Asked,
  checkedObject,
  encryptedAnswer,
  type EncryptionChanges,
  formOf,
  linkOf,
  post,
  receiveRequest,
  type Received,
  respond,
  resultOf,
  type Variant,
} from '../support/presenters/presenter';
import { degree, type Holdings, idCard, receiveHoldings, tokensFor } from '../support/presenters/holdings';
import { expectStillOpen } from '../support/presenters/refusals';
import { base64url, newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json, postForm, postJson, type Reply } from '../support/http/requests';
import { expectProblem, expectRefusal } from '../support/http/refusals';
import { serviceOfFile } from '../support/service/service-of-file';

const canary = 'Zwergspitzmaus';

const service = serviceOfFile();
let holdings: Holdings;
beforeAll(async () => {
  holdings = await receiveHoldings(service.url, { given_name: canary, level: 3 });
});

interface EncryptionRefusal {
  readonly what: string;
  readonly variant?: Variant;
  readonly changes: (received: Received) => EncryptionChanges | Promise<EncryptionChanges>;
  /** Changes the finished JWE. */
  readonly jwe?: (jwe: string) => string;
}

const p256 = async (): Promise<JWK> => exportJWK((await generateKeyPair('ECDH-ES', { extractable: true })).publicKey);
const headerOf = (changes: Json) => (jwe: string) => {
  const [header = '', ...rest] = jwe.split('.');
  const parsed = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as Json;
  return [base64url(JSON.stringify({ ...parsed, ...changes })), ...rest].join('.');
};
const untouched = () => ({});
// Each fault of header and content is listed in libs/openid4vc/src/response/authorization-response.spec.ts.
const encryptionRefusals: EncryptionRefusal[] = [
  { what: 'another key', changes: async () => ({ key: await p256() }) },
  { what: 'the kid of another key', changes: () => ({ header: { kid: randomUUID() } }) },
  { what: 'a content encryption not offered', changes: () => ({ header: { enc: 'A128CBC-HS256' } }) },
  {
    what: 'the content encryption of 1.0 in a draft',
    variant: 'draft-20',
    changes: () => ({ header: { enc: 'A128GCM' } }),
  },
  { what: 'an unknown critical header', changes: untouched, jwe: headerOf({ crit: ['x'], x: 1 }) },
  { what: 'no ephemeral key', changes: untouched, jwe: headerOf({ epk: undefined }) },
  {
    what: 'an ephemeral key off the curve',
    changes: untouched,
    jwe: headerOf({ epk: { kty: 'EC', crv: 'P-256', x: base64url('x'.repeat(32)), y: base64url('y'.repeat(32)) } }),
  },
  { what: 'a broken tag', changes: untouched, jwe: (jwe) => `${jwe.slice(0, -4)}AAAA` },
];

describe('an encrypted response is rejected', () => {
  it.each(encryptionRefusals)('with $what ($variant)', async ({ variant = '1.0', changes, jwe = (text) => text }) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, responseMode: 'direct_post.jwt' });
    const received = await receiveRequest(asked, variant);
    const tokens = tokensFor(holdings, received, ['id_card']);
    const response = jwe(await encryptedAnswer(received, { tokens }, await changes(received)));
    const reply = await post(received, [['response', response]]);
    expectRefusal(reply, 400, 'invalid_request');
    await expectStillOpen(asked, received, holdings, ['id_card'], canary, reply);
  });

  it('when it is sent in plain text', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, responseMode: 'direct_post.jwt' });
    const received = await receiveRequest(asked);
    const form = formOf(received, { tokens: tokensFor(holdings, received, ['id_card']) });
    expectRefusal(await post(received, form), 400, 'invalid_request');
    await expectStillOpen(asked, received, holdings, ['id_card'], canary);
  });

  it('when it is encrypted to the key of another request', async () => {
    const body = { dcql_query: { credentials: [idCard] }, responseMode: 'direct_post.jwt' };
    const [asked, other] = [await ask(service.url, body), await ask(service.url, body)];
    const [received, foreign] = [await receiveRequest(asked), await receiveRequest(other)];
    const tokens = tokensFor(holdings, received, ['id_card']);
    const response = await encryptedAnswer({ ...foreign, state: received.state }, { tokens });
    expectRefusal(await post(received, [['response', response]]), 400, 'invalid_request');
    await expectStillOpen(asked, received, holdings, ['id_card'], canary);
  });

  it('when it is a signed JWT, which was not requested', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [degree] }, responseMode: 'direct_post.jwt' });
    const received = await receiveRequest(asked, 'draft-20');
    const signed = new CompactSign(Buffer.from('{}')).setProtectedHeader({ alg: 'ES256' });
    const response = await signed.sign(newHolder().privateKey);
    expectRefusal(await post(received, [['response', response]]), 400, 'invalid_request');
  });

  it('but not when it is an unencrypted error, which holds no personal data', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, responseMode: 'direct_post.jwt' });
    const received = await receiveRequest(asked);
    answered(
      200,
      await post(received, [
        ['error', 'access_denied'],
        ['state', received.state],
      ]),
    );
    expect(await resultOf(asked)).toMatchObject({ status: 'rejected', failure: { reason: 'access_denied' } });
  });
});

describe('the request URI', () => {
  it.each([
    ['an unknown request', (path: string) => path.replace(/[^/]+\/request$/, 'AAAAAAAAAAAAAAAAAAAAAA/request')],
    ['a variant that the request does not have', (path: string) => path.replace('/final/', '/siopv2/')],
    ['an unknown variant', (path: string) => path.replace('/final/', '/constructor/')],
    ['the state of the relying party', (path: string) => path.replace(/[^/]+\/request$/, 'known-state/request')],
  ])('answers 404 for %s', async (_, change) => {
    const body = { dcql_query: { credentials: [idCard] }, state: randomUUID() };
    const asked = await ask(service.url, body);
    const uri = new URL(linkOf(asked)).searchParams.get('request_uri') ?? '';
    const other = change(uri).replace('known-state', body.state);
    expect(other).not.toBe(uri);
    expectRefusal(await get(other), 404, 'invalid_request');
    expectRefusal(await postForm(other, [['wallet_nonce', 'x']]), 404, 'invalid_request');
    expectRefusal(
      await postForm(other.replace(/request$/, 'response'), [['state', 'x']]),
      other.includes('constructor') ? 404 : 400,
      'invalid_request',
    );
  });

  // Each fault of the form is listed in libs/openid4vc/src/request/request-uri-post.spec.ts.
  it('rejects a nonce longer than 1 KiB and stays as it was', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const uri = new URL(linkOf(asked)).searchParams.get('request_uri') ?? '';
    expectRefusal(await postForm(uri, [['wallet_nonce', 'x'.repeat(1025)]]), 400, 'invalid_request');
    expect((await get(uri)).status).toBe(200);
  });

  it('repeats a nonce of 1 KiB exactly, and ignores unknown parameters', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const nonce = `"\\ \u00e4\ud83d\ude00${'~'.repeat(1000)}`;
    expect((await receiveRequest(asked, '1.0', nonce)).parameters['wallet_nonce']).toBe(nonce);
    const uri = new URL(linkOf(asked)).searchParams.get('request_uri') ?? '';
    expect(
      (
        await postForm(uri, [
          ['unknown', '1'],
          ['wallet_metadata', '{"unknown":1}'],
        ])
      ).status,
    ).toBe(200);
  });
});

describe('a request object', () => {
  const encrypting = async () => {
    const pair = await generateKeyPair('ECDH-ES', { extractable: true });
    return { ...pair, jwk: { ...(await exportJWK(pair.publicKey)), use: 'enc' } };
  };
  const metadataWith = (jwk: Json): string =>
    JSON.stringify({
      jwks: { keys: [jwk] },
      request_object_encryption_alg_values_supported: ['ECDH-ES+A128KW'],
      request_object_encryption_enc_values_supported: ['A128CBC-HS256', 'A256GCM'],
    });

  it.each<Variant>(['1.0', 'haip', 'draft-20'])('is encrypted to a wallet of %s that asks for it', async (variant) => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] }, responseMode: 'direct_post.jwt' });
    const uri = new URL(linkOf(asked, variant)).searchParams.get('request_uri') ?? '';
    const { privateKey, jwk } = await encrypting();
    const form: [string, string][] = [
      ['wallet_nonce', canary],
      ['wallet_metadata', metadataWith({ ...jwk, kid: 'mine' })],
    ];
    const reply = await postForm(uri, form);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/oauth-authz-req+jwt']);
    const { plaintext, protectedHeader } = await compactDecrypt(reply.text, privateKey);
    expect(protectedHeader).toMatchObject({ alg: 'ECDH-ES+A128KW', enc: 'A128CBC-HS256', kid: 'mine', cty: 'JWT' });
    const inside = await checkedObject(Buffer.from(plaintext).toString());
    const plain = await receiveRequest(asked, variant, canary);
    expect(inside).toMatchObject({ wallet_nonce: canary, nonce: plain.nonce, state: plain.state });
    await respond(plain, { tokens: tokensFor(holdings, plain, ['id_card']) });
    expect(await resultOf(asked)).toMatchObject({ status: 'verified' });
  });

  // Each fault of the metadata is listed in libs/openid4vc/src/request/request-uri-post.spec.ts.
  it('is refused to a wallet whose key is no point of its curve', async () => {
    const asked = await ask(service.url, { dcql_query: { credentials: [idCard] } });
    const uri = new URL(linkOf(asked)).searchParams.get('request_uri') ?? '';
    const { jwk } = await encrypting();
    const reply = await postForm(uri, [['wallet_metadata', metadataWith({ ...jwk, y: jwk.x })]]);
    expectRefusal(reply, 400, 'invalid_request');
    expect(reply.text).toContain('not a point of its curve');
  });
});

describe('a response code', () => {
  it('of another request, or a random one, releases nothing', async () => {
    const body = { dcql_query: { credentials: [idCard] }, redirectUri: 'https://shop.example/' };
    const both = await Promise.all([ask(service.url, body), ask(service.url, body)]);
    const codes: string[] = [];
    for (const asked of both) {
      const received = await receiveRequest(asked);
      const reply = answered(200, await respond(received, { tokens: tokensFor(holdings, received, ['id_card']) }));
      codes.push(new URL(String(reply['redirect_uri'])).hash.replace('#response_code=', ''));
    }
    const redeem = ({ state }: Asked, responseCode: unknown): Promise<Reply> =>
      postJson(`${service.url}/v0/authorization_requests/${state}/response_code`, { responseCode });
    const [mine, other] = both;
    for (const code of [codes[1], randomUUID()]) expectProblem(await redeem(mine, code), 403, 'invalid-response-code');
    for (const code of ['', 1, null, ['x']]) expectProblem(await redeem(mine, code), 400, 'validation-failed');
    expectProblem(await redeem({ ...other, state: 'unknown' }, codes[1]), 404, 'not-found');
    expect(await resultOf(mine)).toMatchObject({ vp_token: null, credentials: [] });
  });

  it('is not requested for an unknown state, which gets 404', async () => {
    expectProblem(await get(`${service.url}/v0/authorization_requests/${randomUUID()}`), 404, 'not-found');
  });
});
