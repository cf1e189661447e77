import { setTimeout as delay } from 'node:timers/promises';
import { answered, get, type Json, postForm, postJson, type Reply, send } from '../support/http/requests';
import { expectRefusal } from '../support/http/refusals';
import { offerState, type PreparedOffer, prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { type Offer, offerUri, preAuthorizedGrant, readOffer, redeem } from '../support/wallets/wallet';

const service = serviceOfFile();
let membership: string;
beforeAll(async () => {
  membership = await publishedTemplate(service.url);
});

/** An offer in every state that a wallet may find it in. */
const offerIn = {
  open: () => prepareOffer(service.url),
  redeemed: async () => {
    const offer = await prepareOffer(service.url);
    answered(200, await redeem(await readOffer(offer.link)));
    return offer;
  },
  withdrawn: async () => {
    const offer = await prepareOffer(service.url);
    expect((await send(`${service.url}/v0/offers/${offer.offerId}`, { method: 'DELETE' })).status).toBe(204);
    return offer;
  },
  locked: async () => {
    const offer = await prepareOffer(service.url, [quickStart], { txCode: true });
    const read = await readOffer(offer.link);
    for (let guess = 0; guess < 5; guess++) await redeem(read, { tx_code: wrong(offer) });
    return offer;
  },
  expired: async () => {
    const offer = await prepareOffer(service.url, [quickStart], { expiresIn: 'PT1S' });
    await delay(1100);
    return offer;
  },
} satisfies Record<string, () => Promise<PreparedOffer>>;

function wrong({ txCode = '' }: PreparedOffer): string {
  return txCode.startsWith('0') ? `1${txCode.slice(1)}` : `0${txCode.slice(1)}`;
}

describe('the address of an offer', () => {
  it.each(['redeemed', 'withdrawn', 'locked', 'expired'] as const)(
    'answers 404 for an offer that is %s, exactly as for an unknown one',
    async (state) => {
      const unknown = await get(`${service.url}/openid4vci/offers/${'A'.repeat(43)}`);
      expectRefusal(unknown, 404, 'invalid_request');
      const reply = await get(offerUri((await offerIn[state]()).link));
      expect([reply.status, reply.text]).toEqual([404, unknown.text]);
    },
  );

  it.each(['x', '..', '%00', 'A'.repeat(3000), `${'A'.repeat(43)}=`, '__proto__'])(
    'answers 404 for %s',
    async (handle) => {
      const reply = await get(`${service.url}/openid4vci/offers/${handle}`);
      expect(reply.status).toBe(404);
      expect(reply.headers.get('content-type')).toContain('json');
    },
  );

  it('answers JSON also to a wallet that asks for a JWT', async () => {
    const { link } = await offerIn.open();
    const reply = await get(offerUri(link), { accept: 'application/jwt' });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    '/.well-known/openid-credential-issuer',
    '/.well-known/openid-credential-issuer/',
    '/.well-known/openid-credential-issuer/other',
    '/.well-known/openid-credential-issuer/openid4vci/other',
    '/other/.well-known/openid-credential-issuer',
    '/.well-known/oauth-authorization-server/other',
    '/.well-known/jwt-vc-issuer/other',
  ])('there is no issuer at %s', async (path) => {
    expect((await get(service.url + path)).status).toBe(404);
  });
});

interface TokenRefusal {
  readonly what: string;
  readonly offer?: Json;
  readonly act: (offer: Offer, prepared: PreparedOffer) => Promise<Reply>;
  readonly status?: number;
  readonly error: string;
}

const item = (id: string): Json => ({ type: 'openid_credential', credential_configuration_id: id });
const withCode = { txCode: true };
const form = (offer: Offer, more: [string, string][]): Promise<Reply> =>
  postForm(`${offer.issuer}/token`, [['grant_type', preAuthorizedGrant], ['pre-authorized_code', offer.code], ...more]);
const rar =
  (...items: Json[]) =>
  (offer: Offer) =>
    redeem(offer, { authorization_details: JSON.stringify(items) });

// Each fault of a request is listed in libs/openid4vc/src/token/token-request.spec.ts.
const refusals: TokenRefusal[] = [
  {
    what: 'a repeated parameter',
    act: (o) => form(o, [['pre-authorized_code', o.code]]),
    error: 'invalid_request',
  },
  {
    what: 'a code that was never issued',
    act: (o) => redeem({ ...o, code: 'A'.repeat(o.code.length) }),
    error: 'invalid_grant',
  },
  {
    what: 'a code with one other bit',
    act: (o) => redeem({ ...o, code: flipped(o.code) }),
    error: 'invalid_grant',
  },
  {
    what: 'the handle of the offer as code',
    act: (o, { link }) => redeem({ ...o, code: offerUri(link).slice(-43) }),
    error: 'invalid_grant',
  },
  { what: 'a code outside ASCII', act: (o) => redeem({ ...o, code: 'ключ' }), error: 'invalid_request' },
  {
    what: 'no transaction code though one is required',
    offer: withCode,
    act: (o) => redeem(o),
    error: 'invalid_request',
  },
  {
    what: 'a transaction code where none is expected',
    act: (o) => redeem(o, { tx_code: '123456' }),
    error: 'invalid_request',
  },
  {
    what: 'a wrong transaction code',
    offer: withCode,
    act: (o, p) => redeem(o, { tx_code: wrong(p) }),
    error: 'invalid_grant',
  },
  {
    what: 'an unknown grant type',
    act: (o) => redeem(o, { grant_type: 'password' }),
    error: 'unsupported_grant_type',
  },
  {
    what: 'JSON instead of a form',
    act: (o) => postJson(`${o.issuer}/token`, { grant_type: preAuthorizedGrant, 'pre-authorized_code': o.code }),
    error: 'invalid_request',
  },
  { what: 'no body', act: (o) => send(`${o.issuer}/token`, { method: 'POST' }), error: 'invalid_request' },
  {
    what: 'the parameters in the query',
    act: (o) => postForm(`${o.issuer}/token?grant_type=${preAuthorizedGrant}&pre-authorized_code=${o.code}`, ''),
    error: 'invalid_request',
  },
  {
    what: 'a form of 100 KB',
    act: (o) => form(o, [['x', 'x'.repeat(100_000)]]),
    status: 413,
    error: 'invalid_request',
  },
  {
    what: 'authorization_details outside the offer',
    act: rar(item('other')),
    error: 'invalid_authorization_details',
  },
  {
    what: 'authorization_details with a configuration that is not in this offer',
    act: (o) => rar(item(quickStart), item(membership))(o),
    error: 'invalid_authorization_details',
  },
  {
    what: 'authorization_details that are no JSON',
    act: (o) => redeem(o, { authorization_details: '[{"type":' }),
    error: 'invalid_authorization_details',
  },
];

describe('the token endpoint rejects', () => {
  it.each(refusals)('$what, and the code stays valid', async ({ offer = {}, act, status = 400, error }) => {
    const prepared = await prepareOffer(service.url, [quickStart], offer);
    const read = await readOffer(prepared.link);
    expectRefusal(await act(read, prepared), status, error);
    expect(await offerState(service.url, prepared.offerId)).toBe('Open');
    answered(200, await redeem(read, { tx_code: prepared.txCode }));
  });

  it('an expired code', async () => {
    const { link } = await prepareOffer(service.url, [quickStart], { expiresIn: 'PT1S' });
    const offer = await readOffer(link);
    await delay(1100);
    expectRefusal(await redeem(offer), 400, 'invalid_grant');
  });

  it('a code of an offer that was withdrawn', async () => {
    const { link, offerId } = await offerIn.open();
    const offer = await readOffer(link);
    await send(`${service.url}/v0/offers/${offerId}`, { method: 'DELETE' });
    expectRefusal(await redeem(offer), 400, 'invalid_grant');
    expect(await offerState(service.url, offerId)).toBe('Withdrawn');
  });

  it('a second use, also of another code of the same offer', async () => {
    const { link } = await offerIn.open();
    const [first, second] = [await readOffer(link), await readOffer(link)];
    answered(200, await redeem(first));
    expectRefusal(await redeem(first), 400, 'invalid_grant');
    expectRefusal(await redeem(second), 400, 'invalid_grant');
  });

  it('all but one of parallel uses', async () => {
    const offer = await readOffer((await offerIn.open()).link);
    const replies = await Promise.all(Array.from({ length: 20 }, () => redeem(offer)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200)) expectRefusal(reply, 400, 'invalid_grant');
  });

  it('even the right transaction code after five wrong ones, also with a fresh code', async () => {
    const prepared = await prepareOffer(service.url, [quickStart], withCode);
    const offer = await readOffer(prepared.link);
    const other = await readOffer(prepared.link);
    for (let guess = 0; guess < 5; guess++) {
      expectRefusal(await redeem(guess % 2 ? other : offer, { tx_code: wrong(prepared) }), 400, 'invalid_grant');
    }
    expectRefusal(await redeem(offer, { tx_code: prepared.txCode }), 400, 'invalid_grant');
    expectRefusal(await redeem(other, { tx_code: prepared.txCode }), 400, 'invalid_grant');
    expect(await offerState(service.url, prepared.offerId)).toBe('Locked');
  });

  it('parallel guesses beyond the fifth', async () => {
    const prepared = await prepareOffer(service.url, [quickStart], withCode);
    const offer = await readOffer(prepared.link);
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => redeem(offer, { tx_code: `${wrong(prepared).slice(0, 4)}${10 + n}` })),
    );
    for (const reply of guesses) expectRefusal(reply, 400, 'invalid_grant');
    const view = answered(200, await get(`${service.url}/v0/offers/${prepared.offerId}`));
    expect(view).toMatchObject({ state: 'Locked', wrongTxCodes: 5 });
  });
});

function flipped(code: string): string {
  const bytes = Buffer.from(code, 'base64url');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString('base64url');
}
