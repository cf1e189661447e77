import { randomUUID } from 'node:crypto';
import { sharedPostgres } from '../support/database/postgres';
import { asServiceRole } from '../support/database/service-role';
import { expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postForm, postJson, type Reply, send, sendBytes } from '../support/http/requests';
import { prepareOffer } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { authorize, codeForm, pushRequest } from '../support/wallets/authorization';
import { type DpopChanges, dpopProof, newDpopKey } from '../support/wallets/dpop';
import { thumbprintOf } from '../support/wallets/key-proofs';
import {
  credentialRequest,
  type Offer,
  openSession,
  preAuthorizedGrant,
  readOffer,
  type Session,
} from '../support/wallets/wallet';

/** Two replicas on one database behind one address: the proofs name that of the first one wherever they are sent. */
let first: RunningService;
let second: RunningService;
let issuer: string;
beforeAll(async () => {
  const database = {
    SERVICE__EVENT_STORE__TYPE: 'postgres',
    SERVICE__EVENT_STORE__CONNECTION_STRING: await asServiceRole(await sharedPostgres().createDatabase()),
  };
  first = await startService(database);
  second = await startService({ ...database, SERVICE__APPLICATION_URL: first.url });
  issuer = `${first.url}/openid4vci`;
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
});

const key = newDpopKey();
const other = newDpopKey();
const nonceForm = /^[\w-]{43}$/;
const endpoints = [
  'credential',
  'draft-13/credential',
  'draft-13/batch_credential',
  'deferred_credential',
  'notification',
];

const codeOf = async (): Promise<Offer> => readOffer((await prepareOffer(first.url)).link);

function redeem({ code }: Offer, proof: string | undefined, at = first): Promise<Reply> {
  const form: [string, string][] = [
    ['grant_type', preAuthorizedGrant],
    ['pre-authorized_code', code],
  ];
  return postForm(`${at.url}/openid4vci/token`, form, proof === undefined ? {} : { dpop: proof });
}

const tokenProof = (changes: DpopChanges = {}, by = key) => dpopProof(by, `${issuer}/token`, undefined, changes);

/** A wallet with a token that is bound to `key`. */
async function boundSession(): Promise<Session> {
  const offer = await codeOf();
  const token = answered(200, await redeem(offer, tokenProof()));
  const metadata = { credential_endpoint: `${issuer}/credential` };
  return { requestClass: 'F', offer, metadata, token, accessToken: String(token['access_token']) };
}

interface Call {
  readonly scheme?: string;
  readonly proof?: string | undefined;
  readonly body?: unknown;
  readonly at?: RunningService;
  readonly path?: string;
}

/** @param proof a good one when absent, none when `undefined` is given */
async function call(session: Session, asked: Call = {}): Promise<Reply> {
  const { scheme = 'DPoP', at = first, path = 'credential' } = asked;
  const proof = 'proof' in asked ? asked.proof : resourceProof(session, {}, key, path);
  const headers = { authorization: `${scheme} ${session.accessToken}`, ...(proof !== undefined && { dpop: proof }) };
  return postJson(`${at.url}/openid4vci/${path}`, asked.body ?? (await credentialRequest(session)), headers);
}

function resourceProof({ accessToken }: Session, changes: DpopChanges = {}, by = key, path = 'credential'): string {
  return dpopProof(by, `${issuer}/${path}`, accessToken, changes);
}

/** RFC 9449 §7.1: the challenge names scheme, error and algorithms. */
function expectChallenge(reply: Reply, error: string): void {
  expectRefusal(reply, 401, error);
  expect(reply.headers.get('www-authenticate')).toMatch(
    new RegExp(`^DPoP error="${error}", error_description="[^"\\\\]+", algs="ES256 [\\w ]+"$`),
  );
}

describe('the token endpoint', () => {
  let offer: Offer;
  beforeAll(async () => {
    offer = await codeOf();
  });

  // Each fault of a proof is listed in libs/authorization/src/dpop/dpop-proof.spec.ts. A refused request uses nothing up,
  // so all have the same code.
  it.each<[string, () => string]>([
    ['that is none', () => 'proof'],
    ['that is joined with another', () => `${tokenProof()}, ${tokenProof()}`],
    ['for another endpoint', () => dpopProof(key, `${issuer}/credential`)],
    [
      'for the address of the replica instead of the public one',
      () => dpopProof(key, `${second.url}/openid4vci/token`),
    ],
    ['for GET', () => tokenProof({ claims: { htm: 'GET' } })],
    ['with a key that is not its own', () => tokenProof({ header: { jwk: other.jwk } })],
    ['of an hour ago', () => tokenProof({ claims: { iat: Date.now() / 1000 - 3600 } })],
  ])('rejects a proof %s', async (_, proof) => {
    const reply = await redeem(offer, proof(), second);
    expectRefusal(reply, 400, 'invalid_dpop_proof');
    expect(reply.headers.get('dpop-nonce')).toMatch(nonceForm);
  });

  it('rejects two DPoP headers', async () => {
    const body = new URLSearchParams({ grant_type: preAuthorizedGrant, 'pre-authorized_code': offer.code }).toString();
    const head = [
      'POST /openid4vci/token HTTP/1.1',
      'Host: 127.0.0.1',
      'Connection: close',
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
      `DPoP: ${tokenProof()}`,
      `DPoP: ${tokenProof()}`,
    ];
    const answer = await sendBytes(first.url, `${head.join('\r\n')}\r\n\r\n${body}`);
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*"invalid_dpop_proof"/);
  });

  it('asks for its own nonce in place of a foreign one, and takes that on another replica', async () => {
    const proof = tokenProof({ claims: { nonce: 'foreign' } });
    const reply = await redeem(offer, proof);
    expectRefusal(reply, 400, 'use_dpop_nonce');
    const nonce = reply.headers.get('dpop-nonce');
    expect(nonce).toMatch(nonceForm);
    // The nonce says when it was made, whatever the clock of the wallet says.
    const good = tokenProof({ claims: { nonce, iat: Date.now() / 1000 - 3600 } });
    const answer = await redeem(offer, good, second);
    expect(answered(200, answer)).toMatchObject({ token_type: 'DPoP', expires_in: 300 });
    expect(answer.headers.get('dpop-nonce')).toMatch(nonceForm);
  });

  it('takes a proof once, over all replicas', async () => {
    const proof = tokenProof();
    answered(200, await redeem(await codeOf(), proof));
    const again = await codeOf();
    for (const at of [first, second]) expectRefusal(await redeem(again, proof, at), 400, 'invalid_dpop_proof');
    answered(200, await redeem(again, tokenProof()));
  });

  it('takes a proof once when it comes to two replicas at once', async () => {
    const proof = tokenProof();
    const [one, another] = [await codeOf(), await codeOf()];
    const replies = await Promise.all([redeem(one, proof), redeem(another, proof, second)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('gives the answer to a redemption again to the same key only', async () => {
    const lost = await codeOf();
    answered(200, await redeem(lost, tokenProof()));
    expectRefusal(await redeem(lost, tokenProof({}, other)), 400, 'invalid_grant');
  });

  it('binds nothing for a wallet without a proof', async () => {
    const answer = await redeem(await codeOf(), undefined);
    expect(answered(200, answer)).toMatchObject({ token_type: 'Bearer' });
    expect(answer.headers.get('dpop-nonce')).toMatch(nonceForm);
  });
});

describe('a pushed authorization request', () => {
  const parUrl = () => `${issuer}/par`;

  it('binds the code to the key of its proof', async () => {
    const pushed = await pushRequest(first.url, {}, { dpop: dpopProof(key, parUrl()) });
    const code = await authorize(first.url, pushed);
    const form = Object.entries(codeForm(code, pushed));
    const url = `${issuer}/token`;
    expectRefusal(await postForm(url, form, { dpop: tokenProof({}, other) }), 400, 'invalid_dpop_proof');
    expectRefusal(await postForm(url, form), 400, 'invalid_dpop_proof');
    const token = answered(200, await postForm(url, form, { dpop: tokenProof() }));
    expect(token['token_type']).toBe('DPoP');

    const refresh: [string, string][] = [
      ['grant_type', 'refresh_token'],
      ['refresh_token', String(token['refresh_token'])],
      ['client_id', 'https://wallet.example'],
    ];
    for (const proof of [undefined, tokenProof({}, other)]) {
      const reply = await postForm(url, refresh, proof === undefined ? {} : { dpop: proof });
      expectRefusal(reply, 400, 'invalid_dpop_proof');
    }
    expect(answered(200, await postForm(url, refresh, { dpop: tokenProof() }))['token_type']).toBe('DPoP');
  });

  it('binds the code to the key that dpop_jkt names', async () => {
    const pushed = await pushRequest(first.url, { dpop_jkt: thumbprintOf(key.jwk) });
    const form = Object.entries(codeForm(await authorize(first.url, pushed), pushed));
    expectRefusal(await postForm(`${issuer}/token`, form, { dpop: tokenProof({}, other) }), 400, 'invalid_dpop_proof');
    answered(200, await postForm(`${issuer}/token`, form, { dpop: tokenProof() }));
  });

  it('is rejected when dpop_jkt names another key than its proof has', async () => {
    const proof = dpopProof(key, parUrl());
    const { answer } = await pushRequest(first.url, { dpop_jkt: thumbprintOf(other.jwk) }, { dpop: proof });
    expectRefusal(answer, 400, 'invalid_dpop_proof');
    // Nothing was recorded of it, so the proof is still good.
    answered(201, (await pushRequest(first.url, { dpop_jkt: thumbprintOf(key.jwk) }, { dpop: proof })).answer);
    expectRefusal((await pushRequest(second.url, {}, { dpop: proof })).answer, 400, 'invalid_dpop_proof');
  });
});

describe('a bound access token', () => {
  let session: Session;
  beforeAll(async () => {
    session = await boundSession();
  });

  it.each<[string, () => Call, string]>([
    ['as a bearer token', () => ({ scheme: 'Bearer', proof: undefined }), 'invalid_token'],
    ['as a bearer token beside a proof', () => ({ scheme: 'bearer' }), 'invalid_token'],
    ['without a proof', () => ({ proof: undefined }), 'invalid_dpop_proof'],
    [
      'with a proof that lacks ath',
      () => ({ proof: resourceProof(session, { claims: { ath: undefined } }) }),
      'invalid_dpop_proof',
    ],
    [
      'with a proof for another token',
      () => ({ proof: dpopProof(key, `${issuer}/credential`, 'other') }),
      'invalid_dpop_proof',
    ],
    ['with a proof by another key', () => ({ proof: resourceProof(session, {}, other) }), 'invalid_dpop_proof'],
    [
      'with a proof for another endpoint',
      () => ({ proof: resourceProof(session, {}, key, 'notification') }),
      'invalid_dpop_proof',
    ],
    ['with the proof for the token request', () => ({ proof: tokenProof() }), 'invalid_dpop_proof'],
    [
      'with a foreign nonce',
      () => ({ proof: resourceProof(session, { claims: { nonce: randomUUID() } }) }),
      'use_dpop_nonce',
    ],
  ])('gives nothing %s', async (_, asked, error) => {
    // A proof is for one address.
    const paths = asked().proof === undefined ? endpoints : ['credential'];
    for (const path of paths) expectChallenge(await call(session, { ...asked(), path }), error);
  });

  it('that is not ours is refused in the scheme it came with', async () => {
    for (const accessToken of ['foreign', 'two words']) {
      expectChallenge(await call({ ...session, accessToken }), 'invalid_token');
    }
  });

  it('gives a nonce with each refusal, which is good on another replica', async () => {
    const refused = await call(session, { proof: undefined });
    const nonce = refused.headers.get('dpop-nonce');
    const proof = resourceProof(session, { claims: { nonce } });
    const reply = await call(session, { proof, at: second, body: { credential_configuration_id: 'unknown' } });
    expectRefusal(reply, 400, 'invalid_proof');
    expect(reply.headers.get('dpop-nonce')).toMatch(nonceForm);
  });

  it('takes a proof once, on whichever replica, with the credential', async () => {
    const proof = resourceProof(session);
    // A refused request writes nothing.
    expectRefusal(await call(session, { proof, body: '{' }), 400, 'invalid_credential_request');
    const issued = answered(200, await call(session, { proof, scheme: 'dpop' }));
    for (const at of [first, second]) expectChallenge(await call(session, { proof, at }), 'invalid_dpop_proof');

    const body = { notification_id: issued['notification_id'], event: 'credential_accepted' };
    const notified = resourceProof(session, {}, key, 'notification');
    const path = 'notification';
    expect((await call(session, { path, body, scheme: 'Bearer', proof: undefined })).status).toBe(401);
    expect((await call(session, { path, body, proof: notified })).status).toBe(204);
    expectChallenge(await call(session, { path, body, proof: notified, at: second }), 'invalid_dpop_proof');
  });

  it('is read at the deferred credential endpoint', async () => {
    const reply = await call(session, { path: 'deferred_credential', body: { transaction_id: 'A'.repeat(43) } });
    expectRefusal(reply, 400, 'invalid_transaction_id');
  });

  it('takes a proof once when it comes to two replicas at once', async () => {
    const one = await boundSession();
    const proof = resourceProof(one);
    const bodies = [await credentialRequest(one), await credentialRequest(one)];
    const replies = await Promise.all(
      bodies.map((body, n) => call(one, { proof, body, at: n === 0 ? first : second })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe('an access token that is bound to no key', () => {
  it('is refused with the scheme DPoP, and good with Bearer', async () => {
    const session = await openSession((await prepareOffer(first.url)).link);
    const refused = await call(session);
    expectRefusal(refused, 401, 'invalid_token');
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
    answered(200, await call(session, { scheme: 'BEARER', proof: undefined }));
  });
});

describe('an answer', () => {
  it.each([...endpoints, 'draft-13/deferred_credential', 'token', 'par', 'nonce'])(
    'of %s has a nonce, also to a request that says nothing',
    async (path) => {
      const reply = await send(`${issuer}/${path}`, { method: 'POST' });
      expect(reply.headers.get('dpop-nonce')).toMatch(nonceForm);
    },
  );
});

describe('a page of another origin', () => {
  it('may send proofs and read nonces', async () => {
    const asked = { origin: 'https://wallet.example', 'access-control-request-method': 'POST' };
    const preflight = await send(`${issuer}/credential`, { method: 'OPTIONS', headers: asked });
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/\bDPoP\b/);
    const nonce = await send(`${issuer}/nonce`, { method: 'POST' });
    expect(nonce.headers.get('access-control-expose-headers')).toMatch(/\bDPoP-Nonce\b/);
    expect(nonce.headers.get('dpop-nonce')).toMatch(nonceForm);
    expect(nonce.json['c_nonce']).not.toBe(nonce.headers.get('dpop-nonce'));
  });
});

describe('a service that binds every token and wants its nonce in every proof', () => {
  let strict: RunningService;
  beforeAll(async () => {
    strict = await startService({
      SERVICE__AUTHORIZATION__SENDER_CONSTRAINED: 'always',
      SERVICE__AUTHORIZATION__DPOP_NONCE: 'required',
    });
  });
  afterAll(() => strict.stop());

  it('gives nothing without a proof, and nothing for a proof without its nonce', async () => {
    const tokenUrl = `${strict.url}/openid4vci/token`;
    const offer = await readOffer((await prepareOffer(strict.url)).link);
    expectRefusal(await redeem(offer, undefined, strict), 400, 'invalid_dpop_proof');
    const asked = await redeem(offer, dpopProof(key, tokenUrl), strict);
    expectRefusal(asked, 400, 'use_dpop_nonce');
    const nonce = asked.headers.get('dpop-nonce');
    const token = answered(
      200,
      await redeem(offer, dpopProof(key, tokenUrl, undefined, { claims: { nonce } }), strict),
    );
    const accessToken = String(token['access_token']);
    const proof = dpopProof(key, `${strict.url}/openid4vci/notification`, accessToken);
    const headers = { authorization: `DPoP ${accessToken}`, dpop: proof };
    expectChallenge(await postJson(`${strict.url}/openid4vci/notification`, {}, headers), 'use_dpop_nonce');
  });

  it('shows no fault to the portal where a wallet does as it is told, and one where it does not listen', async () => {
    const tokenUrl = `${strict.url}/openid4vci/token`;
    const refusalsAfter = async (tries: number): Promise<unknown> => {
      const { offerId, link } = await prepareOffer(strict.url);
      const offer = await readOffer(link);
      for (let each = 0; each < tries; each++) {
        expectRefusal(await redeem(offer, dpopProof(key, tokenUrl), strict), 400, 'use_dpop_nonce');
      }
      const { timeline } = answered(200, await get(`${strict.url}/v0/offers/${offerId}`));
      return (timeline as Json[]).filter(({ outcome }) => outcome === 'refused').length;
    };
    expect([await refusalsAfter(1), await refusalsAfter(3)]).toEqual([0, 1]);
  });
});
