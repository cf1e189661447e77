import { rm, writeFile } from 'node:fs/promises';
import { movedContent } from '../../apps/cli/src/aggregates';
import { Settings } from '@app/config';
import { EventStore, holdBack, SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { ProofKeys } from '@app/keys';
import { MetricsListener } from '@app/observability';
import { Expiries } from '@app/operation';
import { atStore } from '@app/primitives/context';
import { type MoveStep, moveSteps, moveTenant, storedTenants, TenantRegistry } from '@app/tenants';
import { eventually } from '../event-store/accounts';
import { dropDatabase, sharedPostgres } from '../support/database/postgres';
import { listen } from '../support/http/event-stream';
import { answered, get, type Json, postJson, type Reply } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { ask } from '../support/presenters/presenter';
import { type Ran, sealwrightWith } from '../support/service/command-line';
import { furtherStores } from '../support/service/further-stores';
import { examine } from '../support/service/examination';
import { scrape, valueOf } from '../support/service/scraped-metrics';
import { tokenStatus } from '../support/verifiers/status-readers';
import { readOffer, receive, redeem } from '../support/wallets/wallet';

let other: string;
const { service, settings, file, joinStore, through, north, rowsOf, proxy, receiver, stores } = furtherStores();
afterAll(() => dropDatabase(other));

const at = (tenant: string): string => `${service.url}/t/${tenant}`;
const first = (): string => String(settings()['SERVICE__EVENT_STORE__CONNECTION_STRING']);
const metrics = (): number => service.app.get(MetricsListener, { strict: false }).port ?? 0;
function create(tenantId: string, more: Json = {}): Promise<Reply> {
  return postJson(`${service.url}/v0/tenants`, { tenantId, displayName: tenantId, ...more });
}
function problemOf({ status, json }: Reply): string {
  return `${status} ${String(json['type']).split('/').pop()}`;
}
async function deployment(): Promise<string> {
  const [own] = await rowsOf(north(), 'select deployment::text as deployment from store_identity');
  return String(own?.['deployment']);
}
async function steps(tenant: string, path: string): Promise<unknown[]> {
  const { timeline } = answered(200, await get(`${at(tenant)}/v0/${path}`));
  return (timeline as Json[]).map(({ step }) => step);
}

describe('a further store', () => {
  it('is named when a tenant is to be made in one that is not there', async () => {
    const refused = await create('nowhere', { store: 'north' });
    expect(problemOf(refused)).toBe('400 validation-failed');
    expect(refused.text).toContain('there are: first');
  });

  it('joins while the service runs, and has what a tenant stores', async () => {
    await joinStore('north', through());
    expect(answered(201, await create('here'))['store']).toBe('first');
    expect(answered(201, await create('there', { store: 'north' }))['store']).toBe('north');
    for (const tenant of ['here', 'there'])
      await publishedTemplate(at(tenant), { templateId: 'card', revocable: true });
    const events = await rowsOf(north(), 'select distinct split_part(stream_id, $$-$$, 1) as category from events');
    expect(events.map(({ category }) => String(category).split('~')[0])).toContain('template');
    expect(events.every(({ category }) => String(category).includes('~'))).toBe(true);
  });

  it('serves wallets, status lists, webhooks, streams and the audit of its tenants', async () => {
    answered(201, await postJson(`${at('there')}/v0/webhooks`, { url: receiver().url }));
    const stream = await listen(`${at('there')}/v0/events`);
    const { link, credentialIds, offerId } = await prepareOffer(at('there'), ['card']);
    const [credential = ''] = await receive(link);
    expect(await tokenStatus(credential)).toBe(0);
    answered(
      204,
      await postJson(`${at('there')}/v0/credentials/${credentialIds[0] ?? ''}/revoke`, { reason: 'keyCompromise' }),
    );
    await eventually(async () => (await tokenStatus(credential)) === 1);
    const types = (await stream.take(2)).map(({ type }) => type);
    stream.cut();
    expect(types[0]).toBe('offer.fetched');
    await eventually(() => receiver().messages.some(({ event }) => event['type'] === 'credential.revoked'));
    expect(receiver().messages.every(({ event }) => event['source'] === at('there'))).toBe(true);
    const { items } = answered(200, await get(`${at('there')}/v0/audit`)) as { items: Json[] };
    expect(items.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['templates.publish', 'webhooks.create', 'credentials.revoke']),
    );
    expect(answered(200, await get(`${service.url}/v0/tenants/there/usage`))).toMatchObject({
      offers: 1,
      templates: 1,
    });
    expect((await get(`${at('here')}/v0/offers/${offerId}`)).status).toBe(404);
  });

  it('records what has expired in it', async () => {
    const { offerId } = await prepareOffer(at('there'), [], { expiresIn: 'PT1S' });
    const { state } = await ask(at('there'), { expiresIn: 'PT1S' });
    await eventually(async () => {
      await service.app.get(Expiries, { strict: false }).record();
      const paths = [`offers/${offerId}`, `authorization_requests/${state}`];
      const all = await Promise.all(paths.map((path) => steps('there', path)));
      return all.every((one) => one.includes('expired'));
    });
  });

  it('makes its own tenants unavailable while it is away, and no others', async () => {
    proxy().cut();
    const refused = await get(`${at('there')}/v0/offers`);
    expect(problemOf(refused)).toBe('503 unavailable');
    expect(refused.text).toContain('The store of this tenant does not answer');
    expect(refused.headers.get('retry-after')).toBe('2');
    await prepareOffer(at('here'), ['card']);
    answered(200, await get(`${service.url}/v0/offers`));
    expect((await get(`${service.url}/readyz`)).status).toBe(200);
    await eventually(
      async () => valueOf(await scrape(metrics()), 'sealwright_store_up', { store: 'north' }) === 0,
      20_000,
    );
    proxy().mend();
    await eventually(
      async () => valueOf(await scrape(metrics()), 'sealwright_store_up', { store: 'north' }) === 1,
      20_000,
    );
    await eventually(async () => (await get(`${at('there')}/v0/offers`)).status === 200, 20_000);
    await prepareOffer(at('there'), ['card']);
  });

  it('is neither the first store nor that of another name or deployment', async () => {
    await joinStore('again', north());
    other = await sharedPostgres().createDatabase();
    await joinStore('foreign', other);
    expect(answered(201, await create('guest', { store: 'foreign' }))['store']).toBe('foreign');
    await rowsOf(other, `update store_identity set deployment = gen_random_uuid()`);
    await writeFile(file('stranger'), other);
    await stores().look();
    const faults = new Map(
      stores()
        .standings()
        .map(({ name, fault }) => [name, fault]),
    );
    expect(faults.get('again')).toBe('Its database is the store north.');
    expect(faults.get('stranger')).toBe('Its database belongs to another deployment.');
    expect(faults.get('north')).toBeUndefined();
    expect(problemOf(await create('lost', { store: 'again' }))).toBe('503 unavailable');
  });
});

describe('a tenant that moves', () => {
  const rows = (tenant: string, connection: string, text: string): Promise<Json[]> =>
    rowsOf(connection, text.replaceAll('MARK', marks.get(tenant) ?? ''));
  const marks = new Map<string, string>();
  const registry = (): TenantRegistry => service.app.get(TenantRegistry, { strict: false });

  /** As the command does it, from another process. */
  async function move(tenant: string, to: string, onStep?: (step: MoveStep) => void): Promise<unknown> {
    const driver = service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
    const settings = service.app.get(Settings, { strict: false });
    const stored = storedTenants(driver, settings, service.app.get(ProofKeys, { strict: false }), stores());
    const content = movedContent(service.app.get(EventStore, { strict: false }));
    return moveTenant(stored, stores(), content, tenant, to, {
      settle: 100,
      ...(onStep && { onStep }),
    });
  }

  async function town(tenant: string, store: string): Promise<Town> {
    answered(201, await create(tenant, { store }));
    marks.set(tenant, (await registry().byId(tenant))?.mark ?? '');
    await publishedTemplate(at(tenant), { templateId: 'card', revocable: true });
    answered(201, await postJson(`${at(tenant)}/v0/webhooks`, { url: receiver().url }));
    const [held = ''] = await receive((await prepareOffer(at(tenant), ['card'])).link);
    const { link, credentialIds } = await prepareOffer(at(tenant), ['card']);
    const [revoked = ''] = await receive(link);
    answered(
      204,
      await postJson(`${at(tenant)}/v0/credentials/${credentialIds[0] ?? ''}/revoke`, { reason: 'keyCompromise' }),
    );
    const open = await prepareOffer(at(tenant), ['card']);
    return { held, revoked, open: open.link, offerId: open.offerId };
  }
  interface Town {
    readonly held: string;
    readonly revoked: string;
    readonly open: string;
    readonly offerId: string;
  }

  async function isWhole(tenant: string, { held, revoked, open, offerId }: Town): Promise<void> {
    const offer = await readOffer(open);
    await expect(receive(open)).resolves.toHaveLength(1);
    expect((await redeem(offer)).status).toBe(400);
    expect(await steps(tenant, `offers/${offerId}`)).toContain('redeemed');
    await eventually(async () => (await tokenStatus(revoked)) === 1);
    expect(await tokenStatus(held)).toBe(0);
    const { items } = answered(200, await get(`${at(tenant)}/v0/credentials?status=Issued`)) as { items: Json[] };
    for (const { credentialId } of items) {
      const shown = answered(200, await get(`${at(tenant)}/v0/credentials/${String(credentialId)}`));
      expect(shown['credential']).toMatchObject({ credentialSubject: { given_name: 'Erika' } });
    }
    answered(
      204,
      await postJson(`${at(tenant)}/v0/credentials/${String(items[0]?.['credentialId'])}/revoke`, {
        reason: 'keyCompromise',
      }),
    );
    const audit = answered(200, await get(`${at(tenant)}/v0/audit?action=templates.publish`));
    expect(audit['items']).toHaveLength(1);
    const { id: last } = receiver().messages.at(-1) ?? { id: '' };
    await eventually(
      () =>
        receiver().messages.some(
          ({ event }) => event['source'] === at(tenant) && event['type'] === 'credential.issued',
        ),
      10_000,
    );
    expect(last).not.toBe('');
    const sent = receiver()
      .messages.filter(({ event }) => event['source'] === at(tenant))
      .map(({ id }) => id);
    expect(new Set(sent).size).toBe(sent.length);
  }

  async function isProven(): Promise<void> {
    const store = service.app.get(EventStore, { strict: false });
    for (const at of [undefined, 'north']) {
      const findings: unknown[] = [];
      const watch = { finding: (one: unknown) => findings.push(one), progress: () => undefined };
      await atStore(at, () => store.verify({ watch }));
      expect({ at, findings }).toEqual({ at, findings: [] });
    }
  }

  it('is served as before by the other store, and refused meanwhile', async () => {
    const made = await town('moving', 'first');
    const stream = await listen(`${at('moving')}/v0/events`);
    const { links } = answered(200, await get(`${at('moving')}/v0/offers/${made.offerId}`));
    const page = await listen(`${String((links as Json)['page'])}/events`);
    const meanwhile: Reply[] = [];
    let asking: Promise<unknown> = Promise.resolve();
    await move('moving', 'north', (step) => {
      if (step === 'begun') registry().forget('moving');
      if (step !== 'held-back') return;
      asking = Promise.all([
        get(`${at('moving')}/v0/offers`).then((reply) => meanwhile.push(reply)),
        readOffer(made.open)
          .then(redeem)
          .then((reply) => meanwhile.push(reply)),
      ]);
      return;
    });
    await asking;
    registry().forget('moving');
    expect(meanwhile.map(({ status }) => status)).toEqual([503, 503]);
    expect(meanwhile.map(({ headers }) => headers.get('retry-after'))).toEqual(['5', '5']);
    for (const one of [page, stream]) {
      while ((await one.next()) !== undefined) continue;
      expect([one.status, one.isComplete()]).toEqual([200, true]);
    }
    expect(answered(200, await get(`${service.url}/v0/tenants/moving`))['store']).toBe('north');
    const brought = await rows(
      'moving',
      north(),
      `select a.tx from tenant_arrivals a join events e using (tx) where tenant = 'MARK'`,
    );
    expect(brought.length).toBeGreaterThan(5);
    const id = String(stream.lastEventId());
    // As a heartbeat may give it: of an event of another tenant.
    const [place] = await rows(
      'moving',
      first(),
      `select max(position) from events where stream_id not like '%~MARK-%'`,
    );
    await isWhole('moving', made);
    await isResumed(id);
    await isResumed(String(place?.['max']));
    await isProven();
  });
  async function isResumed(id: string): Promise<void> {
    const again = await listen(`${at('moving')}/v0/events`, { 'last-event-id': id });
    const [next] = await again.take(1);
    again.cut();
    expect([next?.['type'], Number(next?.['id']) > Number(id)]).toEqual(['offer.fetched', true]);
  }

  it('comes back, with what came about meanwhile', async () => {
    const { link } = await prepareOffer(at('moving'), ['card']);
    await move('moving', 'first');
    registry().forget('moving');
    await expect(receive(link)).resolves.toHaveLength(1);
    expect(await rows('moving', north(), `select 1 as one from data_keys where stream_id like '%~MARK-%'`)).toEqual([]);
    await isProven();
  });

  it.each(moveSteps)(
    'is finished by the same command when the first ended after the step %s',
    async (last) => {
      const to = answered(200, await get(`${service.url}/v0/tenants/moving`))['store'] === 'first' ? 'north' : 'first';
      const { link } = await prepareOffer(at('moving'), ['card']);
      const ended = move('moving', to, (step) => {
        if (step === last) throw new Error('killed');
      });
      await expect(ended).rejects.toThrow('killed');
      registry().forget('moving');
      const isServed = last === 'switched' || last === 'removed';
      expect((await get(`${at('moving')}/v0/offers`)).status).toBe(isServed ? 200 : 503);
      const elsewhere = move('moving', to === 'first' ? 'north' : 'first');
      await expect(elsewhere).rejects.toMatchObject({ slug: 'conflict' });
      await move('moving', to);
      registry().forget('moving');
      await expect(receive(link)).resolves.toHaveLength(1);
      await isProven();
    },
    60_000,
  );

  it('stores nothing in the store that it leaves, by a replica that does not know yet', async () => {
    const held = await town('late', 'first');
    const driver = service.app.get<SqlDriver>(SQL_DRIVER, { strict: false });
    await holdBack(driver, marks.get('late') ?? '');
    const refused = await postJson(`${at('late')}/v0/offers`, { templateIds: ['card'] });
    expect(problemOf(refused)).toBe('503 unavailable');
    expect((await redeem(await readOffer(held.open))).status).toBe(503);
    await move('late', 'north');
    registry().forget('late');
    await isWhole('late', held);
  });
});

describe('the command line', () => {
  const run = (...parameters: string[]): Promise<Ran> => sealwrightWith(settings(), parameters);

  it('makes tenants in a store, moves them, and lists the stores', async () => {
    await rm(file('again'));
    await rm(file('stranger'));
    expect(await run('migrate')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another deployment') as unknown,
    });
    await rm(file('foreign'));
    expect(await run('migrate')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('store north are up to date') as unknown,
    });
    expect(await run('tenants', 'create', 'typed', '--name', 'Typed', '--store', 'north')).toMatchObject({ code: 0 });
    await publishedTemplate(at('typed'), { templateId: 'card' });
    const { link } = await prepareOffer(at('typed'), ['card']);
    const moved = await run('tenants', 'move', 'typed', '--to', 'first');
    expect(moved).toMatchObject({ code: 0, stdout: 'typed: in the store first.\n' });
    await eventually(async () => {
      const listed = await get(`${at('typed')}/v0/offers`);
      // From the store where it was, there would be none.
      if (listed.status === 200) expect(listed.json).toMatchObject({ items: [{ state: 'Open' }] });
      return listed.status === 200;
    });
    await expect(receive(link)).resolves.toHaveLength(1);
    expect((await run('tenants', 'show', 'typed')).stdout).toContain('store: first');
    const { stdout } = await run('stores', 'list');
    expect(stdout).toMatch(/^north +\d+ +ready/m);
    expect(stdout).toMatch(/^foreign +1 +no file in SERVICE__STORES__DIRECTORY names it/m);
    const verified = await run('verify-store', '--store', 'north');
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Verified .* events/) as unknown });
  });

  it('rebuilds a store', async () => {
    const rebuilt = await run('rebuild', '--store', 'north');
    expect(rebuilt).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Folded [1-9].*; 0 differed/) as unknown });
    expect(await run('rebuild', '--store', 'foreign')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no file in SERVICE__STORES__DIRECTORY names it') as unknown,
    });
  });

  it('says of each store what is wrong with it', async () => {
    await writeFile(file('stranger'), other);
    await writeFile(file('again'), north());
    await writeFile(file('closed'), 'postgresql://nobody@127.0.0.1:1/closed');
    const { of } = await examine(settings());
    expect(of('store north')).toMatchObject({ outcome: 'ok' });
    expect(of('store again')).toMatchObject({ outcome: 'fail', found: 'its database is the store north' });
    expect(of('store stranger')).toMatchObject({
      outcome: 'fail',
      found: 'its database belongs to another deployment',
    });
    expect(of('store closed')?.remedy).toContain('the file closed of SERVICE__STORES__DIRECTORY');
    expect(of('store foreign')?.found).toContain('no file names it');
    for (const name of ['stranger', 'again', 'closed']) await rm(file(name));
  });

  it('refuses to change erasure keys while there are further stores', async () => {
    await writeFile(file('foreign'), other);
    await rowsOf(other, `update store_identity set deployment = '${await deployment()}'`);
    for (const command of ['add', 'remove'])
      expect(await run('erasure-keys', command)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('changes data keys in the first store alone') as unknown,
      });
    await rowsOf(other, 'update store_identity set deployment = gen_random_uuid()');
    await rm(file('foreign'));
  });

  it('does not change the root key, nor erasure keys, while a store is away', async () => {
    const { code, stderr } = await run('keys', 'rewrap');
    expect([code, stderr]).toEqual([1, expect.stringContaining('the store foreign cannot be used')]);
  });
});
