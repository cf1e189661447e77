import { createHash } from 'node:crypto';
import { DueErasures, EventStore, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { type Authorizations, AUTHORIZATIONS } from '../../libs/authorization/src/authorization';
import { forgetPerson, pushAuthorization } from '../../libs/authorization/src/authorization-decisions';
import { storedEvents, storedRows } from '../support/database/stored-rows';
import { withErasure } from '../../libs/authorization/src/person-erasure';
import { expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postForm, type Reply, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import {
  authorize,
  clientId,
  FormBrowser,
  type PushedRequest,
  pushRequest,
  redeemCode,
  wayBack,
} from '../support/wallets/authorization';
import { newHolder } from '../support/wallets/key-proofs';
import { preAuthorizedGrant, readOffer, requestCredential, sessionByCode } from '../support/wallets/wallet';

const service = serviceOfFile();
let membership: string;
beforeAll(async () => {
  membership = await publishedTemplate(service.url, { scope: 'membership' });
});

const issuer = (): string => `${service.url}/openid4vci`;

type Changes = Readonly<Record<string, string | undefined>>;

/** A request that a person has agreed to. */
async function withCode(changes: Changes = {}): Promise<{ request: PushedRequest; code: string }> {
  const request = await pushRequest(service.url, { scope: 'membership', ...changes });
  return { request, code: await authorize(service.url, request) };
}

const sessionWith = (token: Json) => sessionByCode(issuer(), [membership], token);

async function credentialWith(token: Json, claims: Json = {}, holders = [newHolder()]): Promise<Reply> {
  return requestCredential(await sessionWith(token), { holders, proof: { claims } });
}

describe('a token for a code', () => {
  it('names its scope, and public clients without a key get no refresh token with it', async () => {
    const { request, code } = await withCode({ scope: 'membership unknown' });
    const token = answered(200, await redeemCode(service.url, request, code));
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 300, scope: 'membership' });
    expect(token).not.toHaveProperty('refresh_token');
    expect(token).not.toHaveProperty('authorization_details');
  });

  it('names identifiers when the wallet asked by authorization_details', async () => {
    const details = [{ type: 'openid_credential', credential_configuration_id: membership }];
    const { request, code } = await withCode({ scope: undefined, authorization_details: JSON.stringify(details) });
    expect(answered(200, await redeemCode(service.url, request, code))).toMatchObject({
      authorization_details: [{ ...details[0], credential_identifiers: [membership] }],
    });
  });

  it('names identifiers when the wallet redeems it by authorization_details, and is for these alone', async () => {
    const scope = 'w3c_vc_credential membership';
    const details = [{ type: 'openid_credential', credential_configuration_id: membership }];
    const { request, code } = await withCode({ scope });
    const token = answered(200, await redeemCode(service.url, request, code, { authorization_details: details }));
    const identified = [{ ...details[0], credential_identifiers: [membership] }];
    expect(token).toMatchObject({ scope: 'membership', authorization_details: identified });
    const session = await sessionWith(token);
    const ask = (credential_identifier: string) =>
      requestCredential(session, { body: { credential_configuration_id: undefined, credential_identifier } });
    expectRefusal(await requestCredential(session), 400, 'invalid_credential_request');
    expectRefusal(await ask(quickStart), 400, 'unknown_credential_identifier');
    answered(200, await ask(membership));
  });
});

describe('the proof of a key', () => {
  it.each<[string, Json, boolean]>([
    ['names the client of the token', { iss: clientId }, true],
    ['names nobody', {}, true],
    ['names another client', { iss: 'https://other.example' }, false],
  ])('that %s, %j', async (_what, claims, isAccepted) => {
    const { request, code } = await withCode();
    const reply = await credentialWith(answered(200, await redeemCode(service.url, request, code)), claims);
    if (isAccepted) expect(reply.status).toBe(200);
    else expectRefusal(reply, 400, 'invalid_proof');
  });
});

const other = 'A'.repeat(43);
const another = [{ type: 'openid_credential', credential_configuration_id: quickStart }];
const wrongs: [string, Changes | ((code: string) => Changes), number, string][] = [
  ['a code that was never issued', (code) => ({ code: 'A'.repeat(code.length) }), 400, 'invalid_grant'],
  ['a code with one other character', (code) => ({ code: altered(code) }), 400, 'invalid_grant'],
  ['another client', { client_id: 'https://other.example' }, 400, 'invalid_grant'],
  ['no client', { client_id: undefined }, 401, 'invalid_client'],
  ['another redirect_uri', { redirect_uri: 'https://wallet.example/cb' }, 400, 'invalid_grant'],
  ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_grant'],
  ['another code_verifier', { code_verifier: other }, 400, 'invalid_grant'],
  ['no code_verifier', { code_verifier: undefined }, 400, 'invalid_grant'],
  ['a code_verifier of 42 characters', { code_verifier: 'A'.repeat(42) }, 400, 'invalid_grant'],
  ['a code_verifier of odd characters', { code_verifier: `${'A'.repeat(43)}=` }, 400, 'invalid_grant'],
  [
    'details of what nobody agreed to',
    { authorization_details: JSON.stringify(another) },
    400,
    'invalid_authorization_details',
  ],
  ['no code', { code: undefined }, 400, 'invalid_request'],
  [
    'the code as that of an offer',
    (code) => ({ grant_type: preAuthorizedGrant, 'pre-authorized_code': code }),
    400,
    'invalid_grant',
  ],
  [
    'the code as a refresh token',
    (code) => ({ grant_type: 'refresh_token', refresh_token: code }),
    400,
    'invalid_grant',
  ],
  ['no refresh token', { grant_type: 'refresh_token' }, 400, 'invalid_request'],
  ['an unknown grant type', { grant_type: 'implicit' }, 400, 'unsupported_grant_type'],
];

describe('a token request', () => {
  it('with anything wrong is refused and leaves the code good', async () => {
    const { request, code } = await withCode();
    const before = await storedRows(service);
    for (const [what, changes, status, error] of wrongs) {
      const reply = await redeemCode(
        service.url,
        request,
        code,
        typeof changes === 'function' ? changes(code) : changes,
      );
      expect({ what, status: reply.status, error: reply.json['error'] }).toEqual({ what, status, error });
      expectRefusal(reply, status, error);
    }
    const twice = await postForm(`${issuer()}/token`, [
      ['grant_type', 'authorization_code'],
      ['grant_type', 'authorization_code'],
    ]);
    expectRefusal(twice, 400, 'invalid_request');
    expect(await storedRows(service)).toEqual(before);
    answered(200, await redeemCode(service.url, request, code));
  });

  it('with a code_verifier of 42 characters is refused, also when the request was made with it', async () => {
    const verifier = 'a'.repeat(42);
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const { request, code } = await withCode({ code_challenge });
    expectRefusal(await redeemCode(service.url, { ...request, verifier }, code), 400, 'invalid_grant');
  });

  it('with the code of an offer as that of a person is refused', async () => {
    const { request } = await withCode();
    const offer = await readOffer((await prepareOffer(service.url, [quickStart])).link);
    expectRefusal(await redeemCode(service.url, request, offer.code), 400, 'invalid_grant');
  });

  it('with a used code is refused, and what the code gave is void', async () => {
    const { request, code } = await withCode();
    const token = answered(200, await redeemCode(service.url, request, code));
    expectRefusal(await redeemCode(service.url, request, code, { client_id: 'thief' }), 400, 'invalid_grant');
    expectRefusal(await credentialWith(token), 401, 'invalid_token');
  });
});

describe('the revocation endpoint', () => {
  const revoke = (token: unknown, more: [string, string][] = [['client_id', clientId]]): Promise<Reply> =>
    postForm(`${issuer()}/revoke`, [['token', String(token)], ...more]);

  it('ends what the wallet was given, and answers the same afterwards and for what it never gave', async () => {
    const { request, code } = await withCode();
    const token = answered(200, await redeemCode(service.url, request, code));
    for (const given of [token['access_token'], token['access_token'], other, code]) {
      const reply = await revoke(given);
      expect([reply.status, reply.text]).toEqual([200, '']);
    }
    expectRefusal(await credentialWith(token), 401, 'invalid_token');
  });

  it('ends nothing for another client, without a client or a token, and no pre-authorized code', async () => {
    const { request, code } = await withCode();
    const token = answered(200, await redeemCode(service.url, request, code));
    expectRefusal(await revoke(token['access_token'], [['client_id', 'https://other.example']]), 400, 'invalid_grant');
    expectRefusal(await revoke(token['access_token'], []), 401, 'invalid_client');
    expectRefusal(await revoke(''), 400, 'invalid_request');
    const offer = await readOffer((await prepareOffer(service.url, [quickStart])).link);
    const form: [string, string][] = [
      ['grant_type', preAuthorizedGrant],
      ['pre-authorized_code', offer.code],
    ];
    const anonymous = answered(200, await postForm(`${issuer()}/token`, form));
    expectRefusal(await revoke(anonymous['access_token']), 400, 'unsupported_token_type');
    expect((await credentialWith(token)).status).toBe(200);
    expect((await get(`${issuer()}/revoke`)).status).toBe(405);
  });
});

describe('what is known of the person', () => {
  const authorizations = (): Authorizations => service.app.get<Authorizations>(AUTHORIZATIONS);
  const driver = (): SqlDriver => service.app.get<SqlDriver>(SQL_DRIVER);

  async function newest(): Promise<{ id: string; isSealed: boolean; history: readonly string[] }> {
    const id = (await authorizations().list({ limit: 1 })).items[0]?.id ?? '';
    const { dataKey } = await authorizations().load(id);
    return { id, isSealed: dataKey !== undefined, history: await storedEvents(service, `authorization-${id}`) };
  }

  it('is erased when the last credential is out, which the wallet can still ask for again', async () => {
    const { request, code } = await withCode({ scope: `${quickStart} membership` });
    const token = answered(200, await redeemCode(service.url, request, code));
    const holder = newHolder();
    expect((await credentialWith(token, {}, [holder])).status).toBe(200);
    expect(await newest()).toMatchObject({ isSealed: true });
    const other = { holders: [newHolder()], configurationId: quickStart };
    expect((await requestCredential(await sessionWith(token), other)).status).toBe(200);
    expect(await newest()).toMatchObject({
      isSealed: false,
      history: [
        'AuthorizationPushed',
        'PersonIdentified',
        'ConsentGiven',
        'CodeIssued',
        'CodeRedeemed',
        'PersonalDataErased',
      ],
    });
    expect((await credentialWith(token, {}, [holder])).status).toBe(200);
  });

  it('is erased when the person does not agree, and when the wallet gives the token back', async () => {
    const refused = await pushRequest(service.url, { scope: 'membership' });
    const browser = new FormBrowser(service.url);
    await browser.open(refused.page);
    await browser.press('login', { username: 'ada' });
    expect(await newest()).toMatchObject({ isSealed: true });
    expect(wayBack(await browser.press('reject')).get('state')).toBe(refused.state);
    const due = await authorizations().load((await newest()).id);
    // A minute later; between two reads the clock of the database is estimated, and may go back by how long an answer took.
    expect(Date.parse(due.state?.eraseAt ?? '')).toBeLessThanOrEqual(due.now.getTime() + 61_000);
    const { id } = await newest();
    await authorizations().update(id, async ({ state }) => {
      const events = state ? forgetPerson(state, new Date(state.eraseAt ?? '')) : [];
      return (await withErasure(service.app.get(EventStore), id, { events })).events;
    });
    expect(await newest()).toMatchObject({ isSealed: false });

    const { request, code } = await withCode();
    const token = answered(200, await redeemCode(service.url, request, code));
    expect(await newest()).toMatchObject({ isSealed: true });
    const form: [string, string][] = [
      ['token', String(token['access_token'])],
      ['client_id', clientId],
    ];
    answered(200, { ...(await postForm(`${issuer()}/revoke`, form)), json: {} });
    expect(await newest()).toMatchObject({ isSealed: false });
  });

  it('is erased with a credential, and with a request that nobody finished', async () => {
    const { request, code } = await withCode({ scope: `${quickStart} membership` });
    const token = answered(200, await redeemCode(service.url, request, code));
    expect((await credentialWith(token)).status).toBe(200);
    const { id } = await newest();
    const { items } = answered(200, await get(`${service.url}/v0/credentials?authorizationId=${id}`));
    const { credentialId } = (items as Json[])[0] ?? {};
    await send(`${service.url}/v0/credentials/${String(credentialId)}/personal_data`, { method: 'DELETE' });
    expect(await newest()).toMatchObject({ id, isSealed: false });

    const past = new Date(Date.now() - 3_600_000).toISOString();
    const events = pushAuthorization({
      authorizationId: 'abandoned',
      handleSalt: 'A'.repeat(43),
      clientId,
      redirectUri: 'https://wallet.example/cb',
      codeChallenge: 'A'.repeat(43),
      configurationIds: [membership],
      identifiersGiven: false,
      pushedAt: past,
      completableUntil: past,
    });
    await authorizations().save('abandoned', 0, events, { dataKey: Buffer.from('key') });
    await service.app.get(DueErasures).run();
    expect((await authorizations().load('abandoned')).dataKey).toBeUndefined();
    expect(await storedEvents(service, 'authorization-abandoned')).toEqual([
      'AuthorizationPushed',
      'PersonalDataErased',
    ]);
  });

  it('is nowhere in the store in clear, and neither are state, codes and tokens', async () => {
    const { request, code } = await withCode({ state: 'secret-state-of-the-wallet' });
    const token = answered(200, await redeemCode(service.url, request, code));
    const [stored] = await driver().query<{ text: string }>({
      name: 'all-of-authorizations',
      text: `select (select string_agg(e::text, '') from events e) || (select string_agg(s::text, '') from streams s) ||
        (select string_agg(c::text, '') from consumed c) as text`,
      values: [],
    });
    const requestUri = String(request.answer.json['request_uri']).slice(-43);
    const secrets = ['Lovelace', request.state, requestUri, code, request.verifier, String(token['access_token'])];
    expect(secrets.filter((secret) => stored?.text.includes(secret))).toEqual([]);
    expect(stored?.text).toContain(clientId);
  });
});

describe('what is stored of authorizations', () => {
  it('is verified, and rebuilt as it was', async () => {
    const store = service.app.get(EventStore);
    const { differing, findings } = await store.verify();
    expect([differing, findings, (await store.rebuild()).differing]).toEqual([[], 0, []]);
  });
});

function altered(text: string): string {
  return `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
}
