import { ApiKeys } from '@app/access';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

const key = 'key-of-the-settings-0f3c91b7';
const headers = { 'x-api-key': key };
let service: RunningService;
let at: string;
beforeAll(async () => {
  service = await startService({ SERVICE__MANAGEMENT__API_KEYS: key });
  at = `${service.url}/v0/api_keys`;
});
afterAll(() => service.stop());

const auditOf = async (object: string): Promise<unknown[]> => {
  const page = answered(200, await get(`${service.url}/v0/audit?object=${object}`, headers));
  return (page['items'] as Json[]).map(({ action, outcome }) => [action, outcome]);
};

describe('API keys of the management API', () => {
  it('are made, listed without their text, and revoked; the audit says so', async () => {
    const made = answered(200, await postJson(at, { name: 'Town hall', scopes: ['offers:read'] }, headers));
    const { apiKey, keyId } = made as { apiKey: string; keyId: string };
    expect(made).toMatchObject({ name: 'Town hall', client: 'town-hall', scopes: ['offers:read'], state: 'active' });
    answered(200, await get(`${service.url}/v0/offers`, { 'x-api-key': apiKey }));

    const listed = await get(at, headers);
    expect(answered(200, listed)['items']).toEqual([expect.objectContaining({ keyId, state: 'active' })]);
    expect(listed.text).not.toContain(apiKey);

    for (let time = 0; time < 2; time++) answered(204, await send(`${at}/${keyId}`, { method: 'DELETE', headers }));
    expectProblem(await get(`${service.url}/v0/offers`, { 'x-api-key': apiKey }), 401, 'unauthorized');
    const [revoked] = answered(200, await get(at, headers))['items'] as Json[];
    expect(revoked).toMatchObject({ keyId, state: 'revoked' });
    expect(await auditOf(keyId)).toEqual([
      ['api_keys.revoke', 'ok'],
      ['api_keys.revoke', 'ok'],
      ['api_keys.create', 'ok'],
    ]);
  });

  it('allow no more than their maker may', async () => {
    const { text } = await service.app.get(ApiKeys).create({ name: 'maker', scopes: ['keys:write', 'offers:read'] });
    const asMaker = { 'x-api-key': text };
    answered(200, await postJson(at, { name: 'child', scopes: ['offers:read'] }, asMaker));
    const refused = await postJson(at, { name: 'child', scopes: ['offers:read', 'audit:read'] }, asMaker);
    expectProblem(refused, 400, 'validation-failed');
    expect(refused.json).toMatchObject({
      violations: [{ pointer: '/scopes/1', message: 'must be a scope that the caller has' }],
    });
    expectProblem(await get(at, asMaker), 403, 'forbidden');
  });

  it('are not made with an expiry that has passed, and one that is unknown is not revoked', async () => {
    const past = { name: 'late', scopes: ['offers:read'], expiresAt: '2020-01-01T00:00:00Z' };
    expectProblem(await postJson(at, past, headers), 400, 'invalid-expiration-date');
    expectProblem(await send(`${at}/00000000`, { method: 'DELETE', headers }), 404, 'not-found');
  });
});
