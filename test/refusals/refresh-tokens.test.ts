import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { createHash, randomUUID } from 'node:crypto';
import { expectRefusal } from '../support/http/refusals';
import { answered, type Json, postForm, postJson, type Reply } from '../support/http/requests';
import { publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { authorize, clientId, codeForm, pushRequest } from '../support/wallets/authorization';
import { type Holder, keyProof, newHolder } from '../support/wallets/key-proofs';
import { nonceFrom } from '../support/wallets/wallet';

let service: RunningService;
let membership: string;
beforeAll(async () => {
  service = await startService();
  membership = await publishedTemplate(service.url, { scope: 'membership' });
}, 60_000);
afterAll(() => service.stop());

type Form = Readonly<Record<string, string | undefined>>;
const issuer = (): string => `${service.url}/openid4vci`;

function dpop(key: Holder, path: string, token?: string): string {
  const ath = token === undefined ? undefined : createHash('sha256').update(token).digest('base64url');
  const claims = { aud: undefined, nonce: undefined, htm: 'POST', htu: `${issuer()}/${path}`, jti: randomUUID(), ath };
  return keyProof(key, '', '', { header: { typ: 'dpop+jwt' }, claims });
}

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

  it('is refused with anything wrong, and goes on working', async () => {
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
  });

  it('is bound to a key that the store knows by another name', async () => {
    const { key } = await wallet();
    const { crv, kty, x, y } = key.jwk;
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
    const [found] = await service.app.get<SqlDriver>(SQL_DRIVER).query<{ clear: number; bound: number }>({
      name: 'keys-of-authorizations',
      text: `select count(*) filter (where strpos(e::text, $1) > 0)::integer as clear,
        count(*) filter (where strpos(e::text, 'tokenKey') > 0)::integer as bound from events e`,
      values: [thumbprint],
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
    expectRefusal(await credentialOf(membership, { key, token }), 401, 'invalid_token');
  });

  it('gives nothing while none of its credentials is issued', async () => {
    const archived = await publishedTemplate(service.url, { scope: 'short-lived' });
    const { refresh } = await wallet('short-lived');
    answered(200, await postJson(`${service.url}/v0/templates/${archived}/archive`, ''));
    expectRefusal(await refresh(), 400, 'invalid_grant');
  });
});
