import { createHash, randomBytes } from 'node:crypto';
import { ApiKeys } from '@app/access';
import { AuthorizationRequests } from '../../libs/authorization/src/authorization-requests';
import { answered, get, type Json, postForm, postJson } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { requestCredential, sessionByCode } from '../support/wallets/wallet';

const redirectUri = 'https://wallet.example/callback';
const surname = 'Canary-surname-9d1';

const service = serviceOfFile();
let configurationId: string;
let requests: AuthorizationRequests;
beforeAll(async () => {
  requests = service.app.get(AuthorizationRequests);
  configurationId = await publishedTemplate(service.url);
});

interface Pushed {
  readonly authorizationId: string;
  readonly clientId: string;
  readonly verifier: string;
}

async function push(clientId: string): Promise<Pushed> {
  const verifier = randomBytes(32).toString('base64url');
  const pushed = await postForm(`${service.url}/openid4vci/par`, [
    ['client_id', clientId],
    ['response_type', 'code'],
    ['redirect_uri', redirectUri],
    ['code_challenge', createHash('sha256').update(verifier).digest('base64url')],
    ['code_challenge_method', 'S256'],
    ['scope', configurationId],
    ['state', 'Canary-state-5f2'],
  ]);
  const found = await requests.find(String(answered(201, pushed)['request_uri']), clientId);
  return { authorizationId: found?.authorizationId ?? '', clientId, verifier };
}

const identify = ({ authorizationId }: Pushed) =>
  requests.identify(authorizationId, 'browser', 'development', { given_name: surname, family_name: surname });

async function consent({ authorizationId }: Pushed): Promise<string> {
  const back = await requests.consent(authorizationId, 'browser');
  if (typeof back === 'string') throw new Error(back);
  return new URL(back.redirectTo).searchParams.get('code') ?? '';
}

const redeem = ({ clientId, verifier }: Pushed, code: string) =>
  postForm(`${service.url}/openid4vci/token`, [
    ['grant_type', 'authorization_code'],
    ['client_id', clientId],
    ['code', code],
    ['redirect_uri', redirectUri],
    ['code_verifier', verifier],
  ]);

const sessionOf = (token: Json) => sessionByCode(`${service.url}/openid4vci`, [configurationId], token);

const at = (authorizationId: string) => `${service.url}/v0/authorizations/${authorizationId}`;
const read = async ({ authorizationId }: Pushed): Promise<Json> => answered(200, await get(at(authorizationId)));
const revoke = ({ authorizationId }: Pushed) => fetch(`${at(authorizationId)}/revoke`, { method: 'POST' });
const list = async (query: string): Promise<Json[]> =>
  answered(200, await get(`${service.url}/v0/authorizations?${query}`))['items'] as Json[];
const idsOf = (items: readonly Json[]): unknown[] => items.map(({ authorizationId }) => authorizationId);

describe('an authorization, to its portal', () => {
  it('shows from its request to its tokens what happened, and nothing of the person', async () => {
    const pushed = await push('https://wallet.example/shown');
    expect(await read(pushed)).toMatchObject({
      authorizationId: pushed.authorizationId,
      status: 'requested',
      clientId: pushed.clientId,
      credentialConfigurationIds: [configurationId],
      timeline: [{ step: 'requested', outcome: 'ok' }],
    });
    await identify(pushed);
    expect((await read(pushed))['status']).toBe('identified');
    const code = await consent(pushed);
    expect((await read(pushed))['status']).toBe('consented');
    const token = answered(200, await redeem(pushed, code));
    const { text, json } = await get(at(pushed.authorizationId));
    expect(json).toMatchObject({ status: 'redeemed', redeemedAt: expect.stringMatching(/^20.*Z$/) as string });
    expect((json['timeline'] as Json[]).map(({ step }) => step)).toEqual([
      'requested',
      'person identified',
      'consent given',
      'code issued',
      'code redeemed',
    ]);
    const listed = (await get(`${service.url}/v0/authorizations`)).text;
    const secrets = [surname, 'Canary-state', code, pushed.verifier, String(token['access_token']), 'andleSalt'];
    for (const secret of secrets) {
      expect(text).not.toContain(secret);
      expect(listed).not.toContain(secret);
    }
  });

  it('is revoked: its code and its token are void, and that it was is in the audit', async () => {
    const withToken = await push('https://wallet.example/revoked');
    await identify(withToken);
    const token = answered(200, await redeem(withToken, await consent(withToken)));
    const withCode = await push('https://wallet.example/revoked');
    await identify(withCode);
    const code = await consent(withCode);
    const undecided = await push('https://wallet.example/revoked');

    for (const one of [withToken, withCode, undecided, withToken]) {
      expect((await revoke(one)).status).toBe(204);
      expect(await read(one)).toMatchObject({ status: 'revoked' });
    }
    const { timeline } = await read(withToken);
    expect((timeline as Json[]).filter(({ step }) => step === 'revoked')).toHaveLength(1);
    const asked = await requestCredential(await sessionOf(token));
    expect([asked.status, asked.json['error']]).toEqual([401, 'invalid_token']);
    expect((await redeem(withCode, code)).json['error']).toBe('invalid_grant');
    expect(await identify(undecided)).toBe('ended');
    const audit = answered(200, await get(`${service.url}/v0/audit?action=authorizations.revoke`));
    expect((audit['items'] as Json[]).map(({ object, outcome }) => [object, outcome])).toContainEqual([
      withToken.authorizationId,
      'ok',
    ]);
  });

  it('shows why its wallet was refused, also with the credential, and still nothing secret', async () => {
    const pushed = await push('https://wallet.example/mistaken');
    await identify(pushed);
    const code = await consent(pushed);
    const wrong = { ...pushed, verifier: 'Canary-verifier'.repeat(3) };
    for (let times = 0; times < 2; times++) expect((await redeem(wrong, code)).json['error']).toBe('invalid_grant');
    const session = await sessionOf(answered(200, await redeem(pushed, code)));
    answered(200, await requestCredential(session));
    const early = { proof: { claims: { iat: 1 } } };
    expect((await requestCredential(session, early)).json['error']).toBe('invalid_proof');

    const { text, json } = await get(at(pushed.authorizationId));
    const refused = (json['timeline'] as Json[]).filter(({ step }) => step === 'wallet refused');
    const [first, second] = refused;
    expect(first).toMatchObject({ refusal: { endpoint: 'token', reason: 'wrong-verifier', count: 2 } });
    expect(second).toMatchObject({ refusal: { endpoint: 'credential', reason: 'too-old', configurationId } });
    for (const secret of ['Canary', code]) expect(text).not.toContain(secret);
    const credential = await get(`${service.url}/v0/credentials/${pushed.authorizationId}.1`);
    expect(credential.json['timeline']).toEqual(expect.arrayContaining(refused));
  });

  it('is refused by the person, which a revocation does not change', async () => {
    const pushed = await push('https://wallet.example/refused');
    await identify(pushed);
    await requests.refuse(pushed.authorizationId, 'browser', 'access_denied');
    expect((await revoke(pushed)).status).toBe(204);
    expect((await read(pushed))['status']).toBe('refused');
  });

  it('is not changed by a caller who read an earlier version, or who names one that does not exist', async () => {
    const pushed = await push('https://wallet.example/stale');
    const { headers } = await fetch(at(pushed.authorizationId));
    await identify(pushed);
    const stale = { method: 'POST', headers: { 'if-match': headers.get('etag') ?? '' } };
    expect((await fetch(`${at(pushed.authorizationId)}/revoke`, stale)).status).toBe(412);
    expect((await read(pushed))['status']).toBe('identified');
    for (const reply of [await get(at('nothing')), await postJson(`${at('nothing')}/revoke`, {})]) {
      expect(reply.json).toMatchObject({ status: 404, detail: 'There is no authorization with the id nothing.' });
    }
  });

  it('is read with authorizations:read and revoked with authorizations:write', async () => {
    const pushed = await push('https://wallet.example/scopes');
    const key = async (scope: 'authorizations:read' | 'authorizations:write'): Promise<Record<string, string>> => {
      const made = { name: scope, client: 'portal', scopes: [scope], expiresAt: undefined };
      return { 'x-api-key': (await service.app.get(ApiKeys).create(made)).text };
    };
    const [reader, writer] = [await key('authorizations:read'), await key('authorizations:write')];
    const revokeWith = (headers: Record<string, string>) =>
      fetch(`${at(pushed.authorizationId)}/revoke`, { method: 'POST', headers });
    expect((await get(at(pushed.authorizationId), reader)).status).toBe(200);
    expect((await get(at(pushed.authorizationId), writer)).status).toBe(403);
    expect((await revokeWith(reader)).status).toBe(403);
    expect((await revokeWith(writer)).status).toBe(204);
  });
});

describe('the list of authorizations', () => {
  it('has them by status, wallet and time, in pages', async () => {
    const clientId = 'https://wallet.example/listed';
    const [first, second, third] = [await push(clientId), await push(clientId), await push(clientId)];
    await identify(second);
    await revoke(third);
    const wallet = `clientId=${encodeURIComponent(clientId)}`;
    const all = [third, second, first].map(({ authorizationId }) => authorizationId);
    expect(idsOf(await list(wallet))).toEqual(all);
    const statuses = await Promise.all(
      ['requested', 'identified', 'revoked', 'expired', 'redeemed'].map((status) => list(`${wallet}&status=${status}`)),
    );
    expect(statuses.map(idsOf)).toEqual([[all[2]], [all[1]], [all[0]], [], []]);
    for (const query of [wallet, `${wallet}&createdAfter=2020-01-01T00:00:00Z`]) {
      const page = answered(200, await get(`${service.url}/v0/authorizations?limit=2&${query}`));
      expect(idsOf(page['items'] as Json[])).toEqual(all.slice(0, 2));
      const next = await list(`limit=2&${query}&cursor=${encodeURIComponent(String(page['nextCursor']))}`);
      expect(idsOf(next)).toEqual(all.slice(2));
    }
    expect(await list(`${wallet}&createdBefore=2020-01-01T00:00:00Z`)).toEqual([]);
    expect(await list('offerId=nothing')).toEqual([]);
    const wrong = await get(`${service.url}/v0/authorizations?status=pushed`);
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('requested') as string]);
  });
});
