import { WalletTokens } from '@app/authorization';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { developmentClaims } from '@app/templates';
import { randomBytes } from 'node:crypto';
import { startWebhookReceiver, type WebhookReceiver } from '../support/counterparts/webhook-receiver';
import { expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postForm, postJson, type Reply } from '../support/http/requests';
import { publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { authorize, clientId, codeForm, pushRequest } from '../support/wallets/authorization';
import { authorizedSession, credentialsOfAuthorization, type TestPerson } from '../support/wallets/authorized';
import { contentOf } from '../support/wallets/credentials';
import { collect } from '../support/wallets/deferred';
import { dpopProof } from '../support/wallets/dpop';
import { type Holder, keyProof, newHolder, thumbprintOf } from '../support/wallets/key-proofs';
import { credentialsOf, nonceFrom, requestCredential, type Session } from '../support/wallets/wallet';

let portal: WebhookReceiver;
let service: RunningService;
let membership: string;
beforeAll(async () => {
  portal = await startWebhookReceiver();
  service = await startService({
    SERVICE__IDENTIFICATION__DATA_URL: `${portal.url}/data`,
    SERVICE__IDENTIFICATION__DATA_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: portal.host,
  });
  membership = await publishedTemplate(service.url, { scope: 'membership', revocable: true });
});
afterAll(async () => {
  await service.stop();
  await portal.stop();
});

type Form = Readonly<Record<string, string | undefined>>;
const issuer = (): string => `${service.url}/openid4vci`;

const dpop = (key: Holder, path: string, token?: string) => dpopProof(key, `${issuer()}/${path}`, token);

function tokenWith(form: Form, key?: Holder): Promise<Reply> {
  const given = Object.entries(form).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return postForm(`${issuer()}/token`, given, key ? { dpop: dpop(key, 'token') } : {});
}

interface Wallet {
  readonly key: Holder;
  readonly token: Json;
  /** @param by the key that signs; `null`: without a proof */
  readonly refresh: (changes?: Form, by?: Holder | null) => Promise<Reply>;
}

/** A wallet that proved a key when it redeemed the code of a person. */
async function wallet(scope = `membership ${quickStart}`): Promise<Wallet> {
  const key = newHolder();
  const pushed = await pushRequest(service.url, { scope });
  const code = await authorize(service.url, pushed);
  const token = answered(200, await tokenWith(codeForm(code, pushed), key));
  const form = { grant_type: 'refresh_token', refresh_token: String(token['refresh_token']), client_id: clientId };
  const refresh = (changes: Form = {}, by: Holder | null = key): Promise<Reply> =>
    tokenWith({ ...form, ...changes }, by ?? undefined);
  return { key, token, refresh };
}

async function credentialOf(configurationId: string, { key, token }: Pick<Wallet, 'key' | 'token'>): Promise<Reply> {
  const accessToken = String(token['access_token']);
  const proof = keyProof(newHolder(), issuer(), await nonceFrom(issuer()), { claims: { iss: clientId } });
  return postJson(
    `${issuer()}/credential`,
    { credential_configuration_id: configurationId, proofs: { jwt: [proof] } },
    { authorization: `DPoP ${accessToken}`, dpop: dpop(key, 'credential', accessToken) },
  );
}

describe('a refresh token', () => {
  it('gives access tokens as often as the wallet asks, and stays the same', async () => {
    const { key, token, refresh } = await wallet();
    expect(token).toMatchObject({ token_type: 'DPoP', refresh_token: expect.stringMatching(/^[\w-]{43,}$/) as string });
    const { refresh_token, scope } = token;
    for (const again of [1, 2]) {
      const refreshed = answered(200, await refresh());
      expect([again, refreshed]).toMatchObject([again, { token_type: 'DPoP', expires_in: 300, refresh_token, scope }]);
      expect((await credentialOf(again === 1 ? membership : quickStart, { key, token: refreshed })).status).toBe(200);
    }
  });

  it('gives each of many requests at once a token, for a proof of its own', async () => {
    const { key, token, refresh } = await wallet();
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const form = { grant_type: 'refresh_token', refresh_token: String(token['refresh_token']), client_id: clientId };
    const proof = { dpop: dpop(key, 'token') };
    answered(200, await postForm(`${issuer()}/token`, Object.entries(form), proof));
    expectRefusal(await postForm(`${issuer()}/token`, Object.entries(form), proof), 400, 'invalid_dpop_proof');
  });

  it('gives a token for less, and later again for all that the person agreed to', async () => {
    const { key, refresh } = await wallet();
    const less = answered(200, await refresh({ scope: 'membership' }));
    expect(less['scope']).toBe('membership');
    expectRefusal(await credentialOf(quickStart, { key, token: less }), 400, 'credential_request_denied');
    expect((await credentialOf(membership, { key, token: less })).status).toBe(200);
    const all = answered(200, await refresh());
    expect(all['scope']).toBe(`membership ${quickStart}`);
    expect((await credentialOf(quickStart, { key, token: all })).status).toBe(200);
  });

  it('is refused with anything wrong, which the timeline tells, and goes on working', async () => {
    const { token, refresh } = await wallet();
    const another = [{ type: 'openid_credential', credential_configuration_id: 'another' }];
    const wrongs: [string, Form, Holder | null | undefined, number, string][] = [
      ['another client', { client_id: 'https://other.example' }, undefined, 400, 'invalid_grant'],
      ['no client', { client_id: undefined }, undefined, 401, 'invalid_client'],
      ['no DPoP proof', {}, null, 400, 'invalid_dpop_proof'],
      ['the proof of another key', {}, newHolder(), 400, 'invalid_dpop_proof'],
      ['a wider scope', { scope: 'membership passport' }, undefined, 400, 'invalid_scope'],
      ['other details', { authorization_details: JSON.stringify(another) }, undefined, 400, 'invalid_scope'],
      ['the access token', { refresh_token: String(token['access_token']) }, undefined, 400, 'invalid_grant'],
      ['the nonce', { refresh_token: String(token['c_nonce']) }, undefined, 400, 'invalid_grant'],
      ['characters outside ASCII', { refresh_token: 'ключ' }, undefined, 400, 'invalid_request'],
    ];
    for (const [what, form, by, status, error] of wrongs) {
      const reply = await refresh(form, by);
      expect({ what, status: reply.status, error: reply.json['error'] }).toEqual({ what, status, error });
      expectRefusal(reply, status, error);
    }
    answered(200, await refresh());
    const { items } = answered(200, await get(`${service.url}/v0/authorizations?limit=1`));
    const [{ authorizationId } = {}] = items as Json[];
    const { timeline } = answered(200, await get(`${service.url}/v0/authorizations/${String(authorizationId)}`));
    const reasons = (timeline as Json[]).flatMap(({ refusal }) => (refusal ? [(refusal as Json)['reason']] : []));
    expect(reasons).toEqual(expect.arrayContaining(['other-client', 'other-key', 'scope-wider']));
  });

  it('is bound to a key that the store knows by another name', async () => {
    const { key } = await wallet();
    const [found] = await service.app.get<SqlDriver>(SQL_DRIVER).query<{ clear: number; bound: number }>({
      name: 'keys-of-authorizations',
      text: `select count(*) filter (where strpos(e::text, $1) > 0)::integer as clear,
        count(*) filter (where strpos(e::text, 'tokenKey') > 0)::integer as bound from events e`,
      values: [thumbprintOf(key.jwk)],
    });
    expect(found).toEqual({ clear: 0, bound: expect.any(Number) as number });
    expect(found?.bound).toBeGreaterThan(0);
  });

  it('and its access tokens end when the wallet gives it back', async () => {
    const { key, token, refresh } = await wallet();
    const revoked = await postForm(`${issuer()}/revoke`, [
      ['token', String(token['refresh_token'])],
      ['token_type_hint', 'refresh_token'],
      ['client_id', clientId],
    ]);
    expect(revoked.status).toBe(200);
    expectRefusal(await refresh(), 400, 'invalid_grant');
    const refused = await credentialOf(membership, { key, token });
    expectRefusal(refused, 401, 'invalid_token');
    // RFC 9449 §7.1: in the scheme that the token came with.
    expect(refused.headers.get('www-authenticate')).toMatch(/^DPoP error="invalid_token", .+, algs="ES256 [\w ]+"$/);
  });

  it('gives nothing while none of its credentials is issued', async () => {
    const archived = await publishedTemplate(service.url, { scope: 'short-lived' });
    const { refresh } = await wallet('short-lived');
    answered(200, await postJson(`${service.url}/v0/templates/${archived}/archive`, ''));
    expectRefusal(await refresh(), 400, 'invalid_grant');
  });

  /** The path of a credential that the wallet of the latest authorization has. */
  async function latest(templateId: string): Promise<string> {
    const { items } = answered(200, await get(`${service.url}/v0/credentials?templateId=${templateId}&limit=1`));
    return `${service.url}/v0/credentials/${String((items as Json[])[0]?.['credentialId'])}`;
  }

  it('gives nothing for a credential that was revoked, but for one that is suspended', async () => {
    const { key, token, refresh } = await wallet('membership');
    expect((await credentialOf(membership, { key, token })).status).toBe(200);
    const path = await latest(membership);
    answered(204, await postJson(`${path}/suspend`, ''));
    answered(200, await refresh());
    answered(204, await postJson(`${path}/revoke`, ''));
    const refused = await refresh();
    expectRefusal(refused, 400, 'invalid_grant');
    expect(refused.json['error_description']).toContain('revoked');
  });

  it('covers no credential of a template while that is archived, and no longer refuses it when it is published again', async () => {
    const { key, token, refresh } = await wallet();
    const only = await wallet('membership');
    const act = async (action: string) =>
      answered(200, await postJson(`${service.url}/v0/templates/${membership}/${action}`, ''));
    await act('archive');
    expectRefusal(await credentialOf(membership, { key, token }), 400, 'credential_request_denied');
    const rest = answered(200, await refresh());
    expect(rest['scope']).toBe(quickStart);
    const refused = await only.refresh();
    expectRefusal(refused, 400, 'invalid_grant');
    expect(refused.json['error_description']).toContain('no longer issued');
    await act('publish');
    expect((await credentialOf(membership, { key, token })).status).toBe(200);
    const whole = answered(200, await refresh());
    expect(whole['scope']).toBe(`membership ${quickStart}`);
    answered(200, await only.refresh());
  });

  it('gives a token for the other credentials when one of them was revoked', async () => {
    const { key, token, refresh } = await wallet();
    expect((await credentialOf(membership, { key, token })).status).toBe(200);
    answered(204, await postJson(`${await latest(membership)}/revoke`, ''));
    const rest = answered(200, await refresh());
    expect(rest['scope']).toBe(quickStart);
    expect((await credentialOf(quickStart, { key, token: rest })).status).toBe(200);
    expectRefusal(await refresh({ scope: 'membership' }), 400, 'invalid_grant');
  });
});

describe('a refreshed token', () => {
  const tester: TestPerson = { source: 'development', claims: developmentClaims('ada.lovelace') };
  const student: TestPerson = { source: 'openid', claims: { sub: 'u1' } };
  const schema = { type: 'object', properties: { given_name: { type: 'string' }, level: { type: 'integer' } } };
  const template = (changes: Json = {}) => publishedTemplate(service.url, { schema, ...changes });

  /** The portal answers each question with this. */
  function portalAnswers(status: number, body?: Json): void {
    portal.answerBy((_message, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
    });
  }

  async function claimsIn(session: Session, holders = [newHolder()]): Promise<Json> {
    const [credential = ''] = credentialsOf(answered(200, await requestCredential(session, { holders })));
    return contentOf(credential).claims;
  }

  /** As the wallet has it after a refresh, which has tests of its own. @param seconds two at once would be the same token */
  function refreshed(session: Session, seconds = 1): Session {
    const tokens = service.app.get(WalletTokens);
    const grant = tokens.readAccessToken(session.accessToken)?.grant;
    if (!grant) throw new Error('no access token');
    // The clocks of this test and of the database may differ by milliseconds.
    const soon = new Date(Date.now() + 1000 * seconds);
    const accessToken = tokens.issueAccessToken(grant, soon, { clientId: 'https://wallet.example' }, false);
    return { ...session, accessToken };
  }

  it('gives the credential anew, with the data of the first, for other keys', async () => {
    const before = portal.messages.length;
    const soon = new Date(Date.now() + 86_400_000).toISOString();
    portalAnswers(200, { credentialSubject: { level: 3 }, expiresAt: soon });
    const session = await authorizedSession(
      service,
      [await template({ data: 'webhook', approval: 'manual' })],
      student,
    );
    const { transaction_id: transactionId } = answered(202, await requestCredential(session));
    const path = `${service.url}/v0/credentials/${session.authorizationId}.1`;
    expect((await postJson(`${path}/approve`, '')).status).toBe(204);
    answered(200, await collect(session, transactionId));

    const later = refreshed(session);
    const holders = [newHolder()];
    expect(await claimsIn(later, holders)).toMatchObject({ level: 3 });
    expect(await claimsIn(later, holders)).toMatchObject({ level: 3 });
    expectRefusal(await requestCredential(later), 400, 'credential_request_denied');
    // The answer to the first one was lost.
    answered(200, await collect(later, transactionId));
    expect(portal.messages.length).toBe(before + 1);
    const credentials = await credentialsOfAuthorization(service.url, session.authorizationId);
    expect(credentials).toMatchObject([
      { status: 'Issued', expiresAt: soon },
      { status: 'Issued', expiresAt: soon },
    ]);
  });

  it('gives none when the first was revoked', async () => {
    const session = await authorizedSession(service, [await template({ revocable: true })], tester);
    await claimsIn(session);
    const path = `${service.url}/v0/credentials/${session.authorizationId}.1`;
    expect((await postJson(`${path}/revoke`, {})).status).toBe(204);
    expectRefusal(await requestCredential(refreshed(session)), 400, 'credential_request_denied');
  });

  it('lets the portal be asked again when it wants that, once for each token', async () => {
    const before = portal.messages.length;
    portalAnswers(200, { credentialSubject: { level: 3 }, refresh: true });
    const session = await authorizedSession(service, [await template({ data: 'webhook' })], student);
    const holders = [newHolder(), newHolder()];
    for (const _again of [1, 2]) expect(await claimsIn(session, holders)).toMatchObject({ level: 3 });
    expect(portal.messages.length).toBe(before + 1);

    portalAnswers(200, { credentialSubject: { level: 4 } });
    const second = refreshed(session);
    for (const _again of [1, 2]) expect(await claimsIn(second, holders)).toMatchObject({ level: 4 });
    const questions = portal.messages.slice(before).map(({ text }) => JSON.parse(text) as Json);
    expect(questions).toMatchObject([{ person: student }, { person: student }]);
    expect(new Set(questions.map(({ credentialId }) => credentialId)).size).toBe(2);
  });

  it('lets the wallet wait when the portal is asked again and cannot say, for a later token too', async () => {
    portalAnswers(200, { credentialSubject: { level: 3 }, refresh: true });
    const session = await authorizedSession(service, [await template({ data: 'webhook' })], student);
    await claimsIn(session);
    portalAnswers(202);
    const { transaction_id: transactionId } = answered(202, await requestCredential(refreshed(session)));
    answered(202, await collect(refreshed(session, 2), transactionId));
    portalAnswers(200, { credentialSubject: { level: 5 } });
    const [credential = ''] = credentialsOf(answered(200, await collect(refreshed(session, 3), transactionId)));
    expect(contentOf(credential).claims).toMatchObject({ level: 5 });
    const credentials = await credentialsOfAuthorization(service.url, session.authorizationId);
    expect(credentials).toMatchObject([{ status: 'Issued' }, { status: 'Issued' }]);

    portalAnswers(403);
    expectRefusal(await requestCredential(refreshed(session, 4)), 400, 'credential_request_denied');
  });

  it('collects what the wallet waited for with the token before', async () => {
    portalAnswers(202);
    const session = await authorizedSession(service, [await template({ data: 'webhook' })], student);
    const { transaction_id: transactionId } = answered(202, await requestCredential(session));
    portalAnswers(200, { credentialSubject: { level: 5 } });
    const [credential = ''] = credentialsOf(answered(200, await collect(refreshed(session), transactionId)));
    expect(contentOf(credential).claims).toMatchObject({ level: 5 });
  });
});
