import { setTimeout as delay } from 'node:timers/promises';
import { ask, receiveRequest, respond } from '../support/presenters/presenter';
import { selfIssued } from '../support/presenters/credentials';
import { newHolder } from '../support/wallets/key-proofs';
import { answered, get, type Json } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { type RunningService, startService } from '../support/service/service';

const statuses = ['pending', 'retrieved', 'verified', 'rejected', 'expired'] as const;
type Status = (typeof statuses)[number];

let service: RunningService;
/** Requests of every status, by the name of the relying party. */
const requests: Record<Status, string[]> = { pending: [], retrieved: [], verified: [], rejected: [], expired: [] };
beforeAll(async () => {
  service = await startService();
  // The expiring ones first, so that they expire while the others are created.
  const begin = performance.now();
  const soon = (['pending', 'retrieved', 'rejected', 'verified'] as const).flatMap((status) => [status, status]);
  const expiring = await Promise.all(
    soon.map(async (status) => ({ status, state: await requestThatIs(status, 'PT5S') })),
  );
  // A verified request stays verified when it expires.
  for (const { status, state } of expiring) requests[status === 'verified' ? 'verified' : 'expired'].push(state);
  for (const status of ['pending', 'retrieved', 'verified', 'rejected'] as const) {
    requests[status].push(await requestThatIs(status), await requestThatIs(status, 'PT2H'));
  }
  await delay(Math.max(0, begin + 8_000 - performance.now()));
});
afterAll(() => service.stop());

/** A request for an ID Token, up to a step of the wallet. */
async function requestThatIs(status: Exclude<Status, 'expired'>, expiresIn = 'PT1H'): Promise<string> {
  const asked = await ask(service.url, { expiresIn });
  if (status === 'pending') return asked.state;
  const received = await receiveRequest(asked, 'siopv2');
  if (status === 'verified') {
    answered(200, await respond(received, { idToken: selfIssued(newHolder('ES256', 'did:jwk'), received, '') }));
  }
  if (status === 'rejected') await respond(received, {}, { error: 'access_denied' });
  return asked.state;
}

/** All requests of a filtered list, page by page. */
async function listed(query: string, limit: number): Promise<Json[]> {
  const seen: Json[] = [];
  for (let cursor = ''; ;) {
    const page = answered(200, await get(`${service.url}/v0/authorization_requests?limit=${limit}${query}${cursor}`));
    seen.push(...(page['items'] as Json[]));
    if (page['nextCursor'] === null) return seen;
    cursor = `&cursor=${encodeURIComponent(page['nextCursor'] as string)}`;
  }
}

describe('the list of authorization requests', () => {
  it.each(statuses)('with the status %s has these and no others, the latest to expire first', async (status) => {
    for (const limit of [1, 2, 200]) {
      const items = await listed(`&status=${status}`, limit);
      expect(new Set(items.map((item) => item['status']))).toEqual(new Set([status]));
      expect(items.map(({ state }) => state).sort()).toEqual([...requests[status]].sort());
      const expiries = items.map(({ expiresAt }) => String(expiresAt));
      expect(expiries).toEqual([...expiries].sort().reverse());
    }
  });

  it('has each request with exactly one status, the newest first', async () => {
    const all = (await listed('', 3)).map(({ state }) => state);
    expect([...all].sort()).toEqual(Object.values(requests).flat().sort());
    expect((await listed('', 200)).map(({ state }) => state)).toEqual(all);
  });

  it.each(['status=Pending', 'status=lost', 'status=', 'status=pending,expired', 'status=pending&status=expired'])(
    'refuses %s',
    async (query) => {
      const reply = await get(`${service.url}/v0/authorization_requests?${query}`);
      expectProblem(reply, 400, 'validation-failed');
      expect(reply.json['violations']).toMatchObject([{ pointer: '/status' }]);
    },
  );

  it('can be those created at some time, with any status', async () => {
    const all = await listed('', 200);
    const [last] = all;
    const after = new Date(Date.parse(String(last?.['createdAt'])) + 1000).toISOString();
    for (const status of ['', ...statuses.map((one) => `&status=${one}`)]) {
      const those = await listed(`${status}&createdBefore=${after}`, 2);
      expect(those).toEqual(await listed(status, 200));
      expect(those.length).toBeGreaterThan(0);
      expect(await listed(`${status}&createdAfter=${after}`, 2)).toEqual([]);
    }
    const [earlier] = all.slice(-1);
    const among = await listed(`&createdAfter=${String(last?.['createdAt'])}`, 2);
    expect(among.map(({ state }) => state)).toContain(last?.['state']);
    expect(among.map(({ state }) => state)).not.toContain(earlier?.['state']);
  });

  it('names the fault of a range of times that is empty', async () => {
    const query = 'createdAfter=2026-01-02T00:00:00Z&createdBefore=2026-01-01T00:00:00Z';
    const reply = await get(`${service.url}/v0/authorization_requests?${query}`);
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.json['violations']).toMatchObject([
      { pointer: '/createdBefore', message: 'must be later than createdAfter' },
    ]);
  });

  it('refuses the cursor of the list without a filter', async () => {
    const { nextCursor } = answered(200, await get(`${service.url}/v0/authorization_requests?limit=1`));
    const query = `status=verified&cursor=${encodeURIComponent(String(nextCursor))}`;
    expectProblem(await get(`${service.url}/v0/authorization_requests?${query}`), 400, 'validation-failed');
  });
});
