import { startTokenIssuer, type TokenIssuer } from '../support/counterparts/token-issuer';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, postJson, type Reply } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';
import { dpopProof, newDpopKey } from '../support/wallets/dpop';
import { thumbprintOf } from '../support/wallets/key-proofs';

let login: TokenIssuer;
let service: RunningService;
const operator = { authorization: 'Bearer key-next-to-the-tokens' };
const keys = new Map<string, string>();

beforeAll(async () => {
  login = await startTokenIssuer();
  service = await startService({ ...login.settings, SERVICE__MANAGEMENT__TENANT_CLAIM: 'org' });
  for (const tenantId of ['town', 'city']) {
    const made = answered(
      201,
      await postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId }, operator),
    );
    keys.set(tenantId, String(made['apiKey']));
  }
});
afterAll(async () => {
  await service.stop();
  login.stop();
});

const bearer = async (claims: Json): Promise<Record<string, string>> => ({
  authorization: `Bearer ${await login.token({ scope: 'offers:read offers:write tenants:read tenants:act', ...claims })}`,
});
const at = (tenant: string): string => (tenant === '' ? service.url : `${service.url}/t/${tenant}`);
const list = (tenant: string, headers: Record<string, string>): Promise<Reply> =>
  get(`${at(tenant)}/v0/offers`, headers);
const idsIn = (reply: Reply): unknown[] => (answered(200, reply)['items'] as Json[]).map(({ offerId }) => offerId);
const reason = (reply: Reply): string => `HTTP ${reply.status}: ${String(reply.json['detail'])}`;
const make = (tenant: string, offerId: string, headers: Record<string, string>): Promise<Reply> =>
  postJson(`${at(tenant)}/v0/offers`, { offerId }, headers);

describe('an access token with the claim of a tenant', () => {
  it('opens that tenant alone, at the address of the service as well', async () => {
    const ofTown = await bearer({ org: 'town' });
    answered(201, await make('', 'by-claim', ofTown));
    expect(idsIn(await list('', ofTown))).toEqual(['by-claim']);
    expect(idsIn(await list('town', ofTown))).toEqual(['by-claim']);
    expect(idsIn(await list('', operator))).toEqual([]);
    expect(reason(await list('city', ofTown))).toBe(
      'HTTP 401: The access token is not accepted: its org must be the id of this tenant.',
    );
    // Whatever its scopes say.
    expectProblem(await get(`${service.url}/v0/tenants`, ofTown), 403, 'forbidden');
    expectProblem(await list('', { ...ofTown, 'x-tenant': 'city' }), 403, 'forbidden');
  });

  it('is no one of another tenant, or of the service', async () => {
    const ofNobody = await bearer({});
    expect(idsIn(await list('', ofNobody))).toEqual([]);
    expect(reason(await list('town', ofNobody))).toBe(
      'HTTP 401: The access token is not accepted: its org must be the id of this tenant.',
    );
    expect(reason(await list('', await bearer({ org: 'village' })))).toBe(
      'HTTP 401: The access token is not accepted: it is of a tenant that is not there.',
    );
    for (const org of [['town'], '', 7, null]) {
      expect(reason(await list('', await bearer({ org })))).toBe(
        'HTTP 401: The access token is not accepted: its org must be the id of a tenant.',
      );
    }
  });
});

describe('an operator who names a tenant', () => {
  it('acts for it, and both learn of it', async () => {
    const asCity = { ...operator, 'x-tenant': 'city' };
    answered(201, await make('', 'by-operator', asCity));
    expect(idsIn(await list('', asCity))).toEqual(['by-operator']);
    expect(idsIn(await list('', operator))).toEqual([]);
    const audit = async (headers: Record<string, string>, filter: string): Promise<Json[]> =>
      answered(200, await get(`${service.url}/v0/audit?${filter}`, headers))['items'] as Json[];
    const [made] = await audit(asCity, 'object=by-operator');
    expect(made).toMatchObject({ object: 'by-operator', client: 'operator:settings' });
    const principal = String(made?.['principal']).replace(/^operator:/, '');
    expect(principal).toMatch(/^settings-key:/);
    const acted = await audit(operator, 'action=tenants.act');
    expect(acted.length).toBeGreaterThanOrEqual(3);
    expect(acted.at(-1)).toMatchObject({ principal, object: 'city', outcome: 'ok', requestId: made?.['requestId'] });
    expect(await audit(operator, 'object=by-operator')).toEqual([]);
  });

  it('needs the scope for that, and the one for what is done', async () => {
    const refused = await list('', { ...(await bearer({ scope: 'offers:read' })), 'x-tenant': 'town' });
    expectProblem(refused, 403, 'forbidden');
    expect(refused.json['detail']).toContain('tenants:act');
    const unable = await make('', 'unable', {
      ...(await bearer({ scope: 'tenants:act offers:read' })),
      'x-tenant': 'town',
    });
    expect(unable.json['detail']).toContain('offers:write');
    expect(idsIn(await list('', { ...(await bearer({})), 'x-tenant': 'town' }))).toEqual(['by-claim']);
  });

  it('is told that there is no such tenant, and nobody acts from one for another', async () => {
    expectProblem(await list('', { ...operator, 'x-tenant': 'village' }), 404, 'tenant-not-found');
    const own = { authorization: `Bearer ${keys.get('town') ?? ''}` };
    expectProblem(await list('town', { ...own, 'x-tenant': 'city' }), 403, 'forbidden');
    expect(idsIn(await list('town', { ...own, 'x-tenant': 'town' }))).toEqual(['by-claim']);
    expect((await list('', { ...own, 'x-tenant': 'town' })).status).toBe(401);
  });
});

describe('an access token of a tenant that is bound to a key', () => {
  const key = newDpopKey();
  const asked = async (url: string, htu: string): Promise<Reply> => {
    const token = await login.token({ org: 'town', scope: 'offers:write', cnf: { jkt: thumbprintOf(key.jwk) } });
    const headers = { authorization: `DPoP ${token}`, dpop: dpopProof(key, htu, token) };
    return postJson(url, { offerId: `bound-${Math.random()}` }, headers);
  };

  it('comes with a proof for the address of the tenant', async () => {
    answered(201, await asked(`${at('town')}/v0/offers`, `${at('town')}/v0/offers`));
    answered(201, await asked(`${at('')}/v0/offers`, `${at('')}/v0/offers`));
  });

  it.each([
    ['that of the service', 'town', ''],
    ['that of another tenant', 'town', 'city'],
    ['that of the tenant, at the service', '', 'town'],
  ])('is refused with a proof for %s', async (_, called, named) => {
    const refused = await asked(`${at(called)}/v0/offers`, `${at(named)}/v0/offers`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_dpop_proof"');
  });

  it('opens no other tenant, whatever its proof says', async () => {
    expect(reason(await asked(`${at('city')}/v0/offers`, `${at('city')}/v0/offers`))).toContain('HTTP 401');
  });
});
