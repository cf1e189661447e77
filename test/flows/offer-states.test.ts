import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { prepareOffer, publishedTemplate, quickStart } from '../support/portal/portal';
import { type RunningService, startService } from '../support/service/service';
import { readOffer, receive, redeem } from '../support/wallets/wallet';

const states = ['Open', 'Redeemed', 'Locked', 'Withdrawn', 'Expired', 'Online', 'Offline'] as const;
type State = (typeof states)[number];

let service: RunningService;
let constant: string;
/** Two offers in every state, and claims of public offers. */
let offers: Record<State, string[]>;
beforeAll(async () => {
  service = await startService();
  const schema = { type: 'object', properties: { event: { const: 'Open day' } } };
  constant = await publishedTemplate(service.url, { schema });
  offers = { Open: [], Redeemed: [], Locked: [], Withdrawn: [], Expired: [], Online: [], Offline: [] };
  for (const made of [await oneOfEach(), await oneOfEach()]) {
    for (const state of states) offers[state].push(...made[state]);
  }
  await delay(3100);
});
afterAll(() => service.stop());

const at = (path = ''): string => `${service.url}/v0/offers${path}`;

async function oneOfEach(): Promise<Record<State, string[]>> {
  const redeemed = await prepareOffer(service.url);
  await redeem(await readOffer(redeemed.link));
  const locked = await prepareOffer(service.url, [quickStart], { txCode: true });
  const read = await readOffer(locked.link);
  for (let guess = 0; guess < 5; guess++) await redeem(read, { tx_code: locked.txCode === '000000' ? '1' : '000000' });
  const withdrawn = await prepareOffer(service.url);
  await send(at(`/${withdrawn.offerId}`), { method: 'DELETE' });
  const online = await publicOffer();
  const claims = await claimsOf(online);
  const offline = await publicOffer('offline', 'P1D');
  const expired = [
    (await prepareOffer(service.url, [quickStart], { expiresIn: 'PT3S' })).offerId,
    (await publicOffer('online', 'PT3S')).offerId,
    (await publicOffer('offline', 'PT3S')).offerId,
  ];
  // A final state stays when the offer expires.
  const late = await prepareOffer(service.url, [quickStart], { expiresIn: 'PT3S' });
  await send(at(`/${late.offerId}`), { method: 'DELETE' });
  return {
    Open: [(await prepareOffer(service.url)).offerId],
    Redeemed: [redeemed.offerId, ...claims],
    Locked: [locked.offerId],
    Withdrawn: [withdrawn.offerId, late.offerId],
    Expired: expired,
    Online: [online.offerId],
    Offline: [offline.offerId],
  };
}

async function publicOffer(state = 'online', expiresIn = 'P1D'): Promise<{ offerId: string; link: string }> {
  const offerId = randomUUID();
  const opened = await postJson(at(), { offerId, templateIds: [constant], public: true, expiresIn });
  const { credentialOffer } = answered(201, opened);
  if (state === 'offline') await postJson(at(`/${offerId}/take_offline`), '');
  return { offerId, link: String(credentialOffer) };
}

/** The claim that a wallet makes of a public offer. */
async function claimsOf({ offerId, link }: { offerId: string; link: string }): Promise<string[]> {
  await receive(link);
  const { items } = answered(200, await get(at('?limit=5')));
  return (items as Json[]).filter(({ claimOf }) => claimOf === offerId).map((claim) => String(claim['offerId']));
}

/** All offers of a filtered list, page by page. */
async function listed(query: string, limit: number): Promise<Json[]> {
  const seen: Json[] = [];
  for (let cursor = ''; ;) {
    const page = answered(200, await get(at(`?limit=${limit}${query}${cursor}`)));
    seen.push(...(page['items'] as Json[]));
    if (page['nextCursor'] === null) return seen;
    cursor = `&cursor=${encodeURIComponent(page['nextCursor'] as string)}`;
  }
}

describe('the list of offers', () => {
  it.each(states)(
    'in the state %s has these and no others, on pages of any size, the latest to expire first',
    async (state) => {
      for (const limit of [1, 2, 200]) {
        const items = await listed(`&state=${state}`, limit);
        expect(new Set(items.map((item) => item['state']))).toEqual(new Set([state]));
        expect(items.map((item) => String(item['offerId'])).sort()).toEqual([...offers[state]].sort());
        const expiries = items.map(({ expiresAt }) => String(expiresAt));
        expect(expiries).toEqual([...expiries].sort().reverse());
      }
    },
  );

  it('has each offer in exactly one state', async () => {
    const all = (await listed('', 200)).map(({ offerId }) => offerId);
    const filtered = await Promise.all(states.map((state) => listed(`&state=${state}`, 200)));
    expect(
      filtered
        .flat()
        .map(({ offerId }) => offerId)
        .sort(),
    ).toEqual([...all].sort());
  });

  it('moves an offer to Expired at the moment its state changes', async () => {
    const { offerId } = await prepareOffer(service.url, [quickStart], { expiresIn: 'PT3S' });
    const seen = new Set<unknown>();
    for (const end = Date.now() + 20_000; !seen.has('Expired') && Date.now() < end;) {
      const [open, expired] = [await listed('&state=Open', 200), await listed('&state=Expired', 200)];
      const found = [...open, ...expired].filter((one) => one['offerId'] === offerId);
      seen.add(found.map(({ state }) => state).join());
      for (const one of open) expect(one['state']).toBe('Open');
      for (const one of expired) expect(one['state']).toBe('Expired');
    }
    // Between the two requests it may move and so be in both, never in none.
    expect([...seen].filter((state) => state !== 'Open,Expired')).toEqual(['Open', 'Expired']);
  });

  it.each(['state=open', 'state=Lost', 'state=', 'state=Open,Locked', 'state=Open&state=Open', 'state[]=Open'])(
    'refuses %s',
    async (query) => {
      const reply = await get(at(`?${query}`));
      expectProblem(reply, 400, 'validation-failed');
      const pointer = query.startsWith('state[]') ? '/state[]' : '/state';
      expect(reply.json['violations']).toMatchObject([{ pointer }]);
    },
  );
});
